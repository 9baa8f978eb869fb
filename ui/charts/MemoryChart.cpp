// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/MemoryChart.h"

#include <algorithm>
#include <cmath>

#include <QClipboard>
#include <QContextMenuEvent>
#include <QFileDialog>
#include <QGuiApplication>
#include <QMenu>
#include <QVBoxLayout>

#include "ui/bridge/ViewState.h"
#include "ui/charts/ChartExport.h"
#include "ui/charts/MemoryChartParts.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {
namespace {

constexpr double kFillAlpha = 0.09;
constexpr double kReservedAlpha = 0.5;
constexpr double kZoomStep = 1.25;
constexpr int kLeastSide = 24;             // px under which axes have no room
constexpr double kHeadroom = 1.2;          // of the largest value
constexpr double kDifferenceShare = 0.34;  // of the height
constexpr double kDifferenceAlpha = 0.35;
constexpr int kDragFrom = 4;  // px of movement that make a click a drag

// A mark a run, so that runs are told apart without colour: filled with a rim of the pane, later runs open.
QCPScatterStyle markOf(int runNumber, const QColor& ink, const QColor& pane, double size) {
  struct Mark {
    QCPScatterStyle::ScatterShape shape;
    bool filled;
  };
  static constexpr Mark kMarks[] = {{QCPScatterStyle::ssCircle, true},   {QCPScatterStyle::ssSquare, true},
                                    {QCPScatterStyle::ssTriangle, true}, {QCPScatterStyle::ssDiamond, true},
                                    {QCPScatterStyle::ssCircle, false},  {QCPScatterStyle::ssSquare, false},
                                    {QCPScatterStyle::ssCross, false},   {QCPScatterStyle::ssPlus, false}};
  const Mark mark = kMarks[static_cast<std::size_t>(runNumber) % std::size(kMarks)];
  return {mark.shape, QPen(mark.filled ? pane : ink), QBrush(mark.filled ? ink : pane), size};
}

QCPItemText* addWords(QCustomPlot& plot, const QFont& font, const QColor& colour, Qt::Alignment alignment) {
  auto* item = new QCPItemText(&plot);
  item->setFont(font);
  item->setColor(colour);
  item->setPositionAlignment(alignment);
  item->setTextAlignment(Qt::AlignLeft);
  item->position->setType(QCPItemPosition::ptAbsolute);
  item->setClipToAxisRect(false);
  item->setPadding(QMargins(0, 0, 0, 0));
  return item;
}

QCPItemLine* addLine(QCustomPlot& plot, const QPen& pen) {
  auto* line = new QCPItemLine(&plot);
  line->setPen(pen);
  return line;
}

}  // namespace

MemoryChart::MemoryChart(ViewState& view, const Theme& theme, std::function<std::int64_t(int)> anchor, QWidget* parent)
    : QWidget(parent),
      m_view(view),
      m_theme(theme),
      m_anchor(std::move(anchor)),
      m_runs(std::make_shared<MemoryRuns>()),
      m_parts(std::make_unique<Parts>()),
      m_plot(new QCustomPlot(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_plot);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Allocated memory over time"));
  m_plot->setContextMenuPolicy(Qt::NoContextMenu);  // this widget's own
  m_plot->setFocusPolicy(Qt::NoFocus);
  m_plot->xAxis->setTicker(m_parts->timeTicker);
  m_plot->yAxis->setTicker(m_parts->byteTicker);
  // The cursor moves often and alone: a layer of its own is drawn without the rest.
  m_plot->addLayer(QStringLiteral("cursor"), m_plot->layer(QStringLiteral("overlay")), QCustomPlot::limBelow);
  m_plot->layer(QStringLiteral("cursor"))->setMode(QCPLayer::lmBuffered);

  connect(m_plot, &QCustomPlot::mousePress, this, &MemoryChart::pressed);
  connect(m_plot, &QCustomPlot::mouseMove, this, &MemoryChart::moved);
  connect(m_plot, &QCustomPlot::mouseRelease, this, &MemoryChart::released);
  connect(m_plot, &QCustomPlot::mouseWheel, this, &MemoryChart::wheeled);
  connect(m_plot, &QCustomPlot::mouseDoubleClick, this, [this] { m_view.showAll(); });
  connect(&view, &ViewState::viewChanged, this, &MemoryChart::feed);
  connect(&view, &ViewState::cursorChanged, this, [this] {
    placeCursor();
    if (m_plot->height() < kLeastSide) return;
    m_plot->layer(QStringLiteral("cursor"))->replot();
  });
  connect(&theme, &Theme::changed, this, &MemoryChart::applyTheme);
  applyTheme();
}

MemoryChart::~MemoryChart() = default;

void MemoryChart::setRuns(std::shared_ptr<const MemoryRuns> runs, std::optional<MemoryDifference> difference) {
  m_runs = std::move(runs);
  m_difference = std::move(difference);
  rebuild();
}

void MemoryChart::refresh() { feed(); }

void MemoryChart::applyTheme() {
  styleChart(*m_plot, m_theme);
  rebuild();
}

// The unit of the largest value, and room over it for the label of its peak.
void MemoryChart::scaleBytes() {
  double most = 0;
  double least = 0;
  for (const MemoryRun& run : *m_runs) {
    most = std::max({most, run.predictedBytes, run.scoreMatrixBytes});
    for (const StepSeries* series : {&run.allocated, &run.reserved}) {
      const CounterRange range = series->range();
      if (range.empty) continue;
      most = std::max(most, range.high);
      least = std::min(least, range.low);
    }
  }
  const format::ByteUnit unit = format::byteUnitFor(static_cast<std::int64_t>(most));
  m_unitBytes = std::pow(1024.0, static_cast<double>(unit));
  m_plot->yAxis->setRange(least / m_unitBytes * 1.05, std::max(most / m_unitBytes, 1e-9) * kHeadroom);
  m_parts->byteUnit->setText(format::unitName(unit));
}

void MemoryChart::rebuild() {
  m_plot->clearPlottables();
  m_plot->clearItems();
  if (m_parts->difference.axes != nullptr) m_plot->plotLayout()->remove(m_parts->difference.axes);
  m_plot->plotLayout()->simplify();
  m_parts->runs.clear();
  m_parts->levels.clear();
  m_parts->difference = {};
  const QFont caption = m_theme.font(FontRole::kCaption);
  const QColor label = m_theme.colour(QStringLiteral("chart.label"));
  m_parts->byteUnit = addWords(*m_plot, caption, label, Qt::AlignRight | Qt::AlignVCenter);
  m_parts->timeUnit = addWords(*m_plot, caption, label, Qt::AlignRight | Qt::AlignTop);
  scaleBytes();
  // Without a run, axes would measure nothing.
  for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis}) axis->setVisible(!m_runs->empty());
  for (QCPItemText* unitWords : {m_parts->byteUnit, m_parts->timeUnit}) unitWords->setVisible(!m_runs->empty());

  for (const MemoryRun& run : *m_runs) addRun(run);
  addDifference();
  addLevels();
  m_parts->cursor = addLine(*m_plot, QPen(m_theme.colour(QStringLiteral("timeline.cursor")), 1));
  m_parts->cursor->setLayer(QStringLiteral("cursor"));
  feed();
}

void MemoryChart::addRun(const MemoryRun& run) {
  const QColor ink = m_theme.run(run.runNumber);
  Parts::RunParts parts;
  if (!run.reserved.isEmpty()) {
    QColor half = ink;
    half.setAlphaF(static_cast<float>(kReservedAlpha));
    QPen dashed(half, 1);
    dashed.setDashPattern({4, 3});
    parts.reserved = m_plot->addGraph();
    parts.reserved->setPen(dashed);
  }
  parts.allocated = m_plot->addGraph();
  parts.allocated->setPen(QPen(ink, 1));
  parts.allocated->setAdaptiveSampling(false);  // the points are as many as the screen has use for
  if (&run == &m_runs->front()) {
    QColor fill = ink;
    fill.setAlphaF(static_cast<float>(kFillAlpha));
    parts.allocated->setBrush(fill);
  }
  parts.peak = m_plot->addGraph();
  parts.peak->setLineStyle(QCPGraph::lsNone);
  parts.peak->setScatterStyle(
      QCPScatterStyle(QCPScatterStyle::ssTriangleInverted, QPen(ink), QBrush(ink), m_theme.scaled(8)));
  parts.dot = m_plot->addGraph();
  parts.dot->setLineStyle(QCPGraph::lsNone);
  parts.dot->setLayer(QStringLiteral("cursor"));
  parts.dot->setScatterStyle(
      markOf(run.runNumber, ink, m_theme.colour(QStringLiteral("surface.pane")), m_theme.scaled(8)));
  parts.peakTitle = addWords(*m_plot, m_theme.font(FontRole::kData, QFont::DemiBold),
                             m_theme.colour(QStringLiteral("text.primary")), Qt::AlignLeft | Qt::AlignTop);
  parts.peakHolder = addWords(*m_plot, m_theme.font(FontRole::kCaption),
                              m_theme.colour(QStringLiteral("text.secondary")), Qt::AlignLeft | Qt::AlignTop);
  m_parts->runs.push_back(parts);
}

// Axes of their own: in those of the runs its line would pass through everything else.
void MemoryChart::addDifference() {
  if (!m_difference || m_difference->series.isEmpty()) return;
  Parts::Difference& parts = m_parts->difference;
  parts.axes = new QCPAxisRect(m_plot);
  m_plot->plotLayout()->addElement(1, 0, parts.axes);
  m_plot->plotLayout()->setRowSpacing(0);
  m_plot->plotLayout()->setRowStretchFactor(0, 1 - kDifferenceShare);
  m_plot->plotLayout()->setRowStretchFactor(1, kDifferenceShare);
  styleAxes(*parts.axes, m_theme);
  QCPAxis* time = parts.axes->axis(QCPAxis::atBottom);
  QCPAxis* bytes = parts.axes->axis(QCPAxis::atLeft);
  time->setTicker(m_parts->timeTicker);
  time->setTickLabels(false);
  bytes->setTicker(m_parts->differenceTicker);
  bytes->grid()->setZeroLinePen(QPen(m_theme.colour(QStringLiteral("chart.axis")), 1));
  const auto graph = [&](const QString& bar) {
    QCPGraph* made = m_plot->addGraph(time, bytes);
    const QColor ink = m_theme.colour(bar);
    QColor fill = ink;
    fill.setAlphaF(static_cast<float>(kDifferenceAlpha));
    made->setPen(QPen(ink, 1));
    made->setBrush(fill);
    made->setAdaptiveSampling(false);
    return made;
  };
  parts.more = graph(QStringLiteral("delta.slower_bar"));
  parts.less = graph(QStringLiteral("delta.faster_bar"));
  parts.title = addWords(*m_plot, m_theme.font(FontRole::kData, QFont::DemiBold),
                         m_theme.colour(QStringLiteral("text.primary")), Qt::AlignLeft | Qt::AlignVCenter);
  parts.title->setText(m_difference->words);
  parts.largest = addWords(*m_plot, m_theme.font(FontRole::kCaption), m_theme.colour(QStringLiteral("text.secondary")),
                           Qt::AlignLeft | Qt::AlignVCenter);
  parts.cursor = addLine(*m_plot, QPen(m_theme.colour(QStringLiteral("timeline.cursor")), 1));
  parts.cursor->setLayer(QStringLiteral("cursor"));
  for (QCPItemPosition* end : {parts.cursor->start, parts.cursor->end}) end->setAxes(time, bytes);
  parts.cursor->setClipAxisRect(parts.axes);
}

// Predicted peaks first: of the lines these are asked for most.
void MemoryChart::addLevels() {
  const auto add = [this](double bytes, int priority, const QColor& ink, const QString& full, const QString& brief) {
    Parts::Level level{bytes, priority, full, brief, nullptr, nullptr, nullptr};
    QPen dashed(ink, 1);
    dashed.setDashPattern({6, 4});
    level.line = addLine(*m_plot, dashed);
    level.leader = addLine(*m_plot, QPen(ink, 1));
    level.leader->setClipToAxisRect(false);
    for (QCPItemPosition* end : {level.leader->start, level.leader->end}) end->setType(QCPItemPosition::ptAbsolute);
    level.label = addWords(*m_plot, m_theme.font(FontRole::kCaption), m_theme.colour(QStringLiteral("text.secondary")),
                           Qt::AlignLeft | Qt::AlignVCenter);
    m_parts->levels.push_back(std::move(level));
  };
  std::vector<double> scores;
  for (const MemoryRun& run : *m_runs) {
    const QString bytes = format::bytes(run.predictedBytes);
    if (run.predictedBytes > 0) {
      add(run.predictedBytes, 0, m_theme.run(run.runNumber), tr("%1 predicted %2").arg(run.letter, bytes),
          tr("%1 %2").arg(run.letter, bytes));
    }
  }
  for (const MemoryRun& run : *m_runs) {
    const bool isKnown = std::find(scores.begin(), scores.end(), run.scoreMatrixBytes) != scores.end();
    if (run.scoreMatrixBytes <= 0 || isKnown) continue;
    scores.push_back(run.scoreMatrixBytes);
    const QString bytes = format::bytes(run.scoreMatrixBytes);
    add(run.scoreMatrixBytes, 1, m_theme.colour(QStringLiteral("text.secondary")), tr("score matrix %1").arg(bytes),
        tr("scores %1").arg(bytes));
  }
}

int MemoryChart::plotWidth() const { return std::max(1, m_plot->axisRect()->width()); }

void MemoryChart::feed() {
  m_plot->xAxis->setRange(m_view.startNs(), m_view.endNs());
  placeLevels();  // they say how wide the plot is
  m_plot->xAxis->ticker()->setTickCount(std::max(2, plotWidth() / m_theme.scaled(110)));
  m_plot->yAxis->ticker()->setTickCount(std::clamp(m_plot->axisRect()->height() / m_theme.scaled(44), 1, 6));
  const double nsPerPixel = m_view.spanNs() / plotWidth();
  const auto give = [&](QCPGraph& graph, const StepSeries& series, double anchor) {
    const std::vector<ChartPoint> points = series.corners(m_view.startNs() + anchor, nsPerPixel, plotWidth() + 1);
    QVector<QCPGraphData> drawn;
    drawn.reserve(static_cast<qsizetype>(points.size()));
    for (const ChartPoint& point : points) drawn.append(QCPGraphData(point.ns - anchor, point.value / m_unitBytes));
    // In order already: sorting would move points of one column past each other.
    graph.data()->set(drawn, true);
  };
  for (std::size_t i = 0; i < m_parts->runs.size(); ++i) {
    const MemoryRun& run = (*m_runs)[i];
    const auto anchor = static_cast<double>(m_anchor(run.runNumber));
    give(*m_parts->runs[i].allocated, run.allocated, anchor);
    if (m_parts->runs[i].reserved != nullptr) give(*m_parts->runs[i].reserved, run.reserved, anchor);
  }
  feedDifference();
  if (m_plot->width() < kLeastSide || m_plot->height() < kLeastSide) return;  // folded away, or not laid out yet
  placeLabels();
  placeCursor();
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void MemoryChart::feedDifference() {
  const Parts::Difference& parts = m_parts->difference;
  if (parts.axes == nullptr) return;
  const auto anchor = static_cast<double>(m_anchor(m_difference->baseNumber));
  const double nsPerPixel = m_view.spanNs() / plotWidth();
  QVector<QCPGraphData> more;
  QVector<QCPGraphData> less;
  for (const ChartPoint& point : m_difference->series.corners(m_view.startNs() + anchor, nsPerPixel, plotWidth() + 1)) {
    const double value = point.value / m_unitBytes;
    const bool isGap = std::isnan(value);
    more.append(QCPGraphData(point.ns - anchor, isGap ? value : std::max(value, 0.0)));
    less.append(QCPGraphData(point.ns - anchor, isGap ? value : std::min(value, 0.0)));
  }
  parts.more->data()->set(more, true);
  parts.less->data()->set(less, true);
  const CounterRange range = m_difference->series.rangeIn(m_view.startNs() + anchor, m_view.endNs() + anchor);
  const double low = range.empty ? 0 : std::min(range.low / m_unitBytes, 0.0);
  const double high = range.empty ? 0 : std::max(range.high / m_unitBytes, 0.0);
  const double margin = std::max(high - low, 1e-9) * 0.1;
  parts.axes->axis(QCPAxis::atLeft)->setRange(low - margin, high + margin);
  parts.axes->axis(QCPAxis::atBottom)->setRange(m_plot->xAxis->range());
  m_parts->differenceTicker->setTickCount(2);
  const double largest = -low > high ? low : high;
  parts.largest->setText(range.empty ? QString() : tr("largest %1").arg(format::signedBytes(largest * m_unitBytes)));
}

void MemoryChart::placeCursor() {
  const bool shown = m_view.hasCursor() && m_view.cursorNs() >= m_view.startNs() && m_view.cursorNs() <= m_view.endNs();
  const auto place = [&](QCPItemLine& line, const QCPRange& range) {
    line.setVisible(shown);
    line.start->setCoords(m_view.cursorNs(), range.lower);
    line.end->setCoords(m_view.cursorNs(), range.upper);
  };
  place(*m_parts->cursor, m_plot->yAxis->range());
  const Parts::Difference& difference = m_parts->difference;
  if (difference.axes != nullptr) place(*difference.cursor, difference.axes->axis(QCPAxis::atLeft)->range());
  for (std::size_t i = 0; i < m_parts->runs.size(); ++i) {
    QCPGraph* dot = m_parts->runs[i].dot;
    dot->data()->clear();
    if (!shown) continue;
    const MemoryRun& run = (*m_runs)[i];
    const double value = run.allocated.valueAt(m_view.cursorNs() + static_cast<double>(m_anchor(run.runNumber)));
    if (!std::isnan(value)) dot->addData(m_view.cursorNs(), value / m_unitBytes);
  }
}

double MemoryChart::nsAt(double x) const { return m_plot->xAxis->pixelToCoord(x); }

void MemoryChart::pressed(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton) return;
  setFocus(Qt::MouseFocusReason);
  m_pressed = true;
  m_dragging = false;
  m_pressX = event->position().x();
  m_pressStartNs = m_view.startNs();
}

void MemoryChart::moved(QMouseEvent* event) {
  if (!m_pressed) return;
  const double by = event->position().x() - m_pressX;
  if (!m_dragging && std::abs(by) < kDragFrom) return;
  m_dragging = true;
  m_view.setView(m_pressStartNs - by * m_view.spanNs() / plotWidth(), m_view.spanNs());
}

void MemoryChart::released(QMouseEvent* event) {
  if (m_pressed && !m_dragging && event->button() == Qt::LeftButton) m_view.setCursor(nsAt(event->position().x()));
  m_pressed = false;
  m_dragging = false;
}

void MemoryChart::wheeled(QWheelEvent* event) {
  const double steps = event->angleDelta().y() / 120.0;
  const double sideways = event->angleDelta().x() / 120.0;
  if (event->modifiers().testFlag(Qt::ShiftModifier) || sideways != 0) {
    m_view.panBy(-(steps + sideways) * m_view.spanNs() / 10);
  } else {
    m_view.zoomAbout(nsAt(event->position().x()), std::pow(kZoomStep, -steps));
  }
  event->accept();
}

void MemoryChart::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  m_plot->setVisible(height() >= kLeastSide);
  // The layout gives the plot its size after this: what depends on it is made when it has it.
  QMetaObject::invokeMethod(this, &MemoryChart::feed, Qt::QueuedConnection);
}

void MemoryChart::contextMenuEvent(QContextMenuEvent* event) {
  QMenu menu(this);
  menu.addAction(tr("Copy data in view"), this, [this] { QGuiApplication::clipboard()->setText(dataInView()); });
  menu.addAction(tr("Save as PNG…"), this, [this] {
    const QString path = QFileDialog::getSaveFileName(this, tr("Save the memory chart"), QStringLiteral("memory.png"),
                                                      tr("PNG image (*.png)"));
    if (!path.isEmpty()) save(path);
  });
  menu.addAction(tr("Save as SVG…"), this, [this] {
    const QString path = QFileDialog::getSaveFileName(this, tr("Save the memory chart"), QStringLiteral("memory.svg"),
                                                      tr("SVG drawing (*.svg)"));
    if (!path.isEmpty()) save(path);
  });
  menu.addSeparator();
  menu.addAction(tr("Show all"), this, [this] { m_view.showAll(); });
  menu.exec(event->globalPos());
}

QString MemoryChart::dataInView() const {
  QString text = QStringLiteral("run\ttime (ns)\tallocated (bytes)\treserved (bytes)\n");
  for (const MemoryRun& run : *m_runs) {
    const std::int64_t anchor = m_anchor(run.runNumber);
    const auto shift = static_cast<double>(anchor);
    const auto [first, last] = run.allocated.recordsIn(m_view.startNs() + shift, m_view.endNs() + shift);
    for (std::size_t i = first; i < last; ++i) {
      const double reserved = run.reserved.isEmpty() ? std::nan("") : run.reserved.values()[i];
      text += QStringLiteral("%1\t%2\t%3\t%4\n")
                  .arg(run.letter)
                  .arg(run.allocated.atNs()[i] - anchor)
                  .arg(QString::number(run.allocated.values()[i], 'f', 0),
                       std::isnan(reserved) ? QString() : QString::number(reserved, 'f', 0));
    }
  }
  return text;
}

bool MemoryChart::save(const QString& path) { return saveChart(*m_plot, path); }

}  // namespace attnscope::ui
