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
#include "ui/charts/ChartAxes.h"
#include "ui/charts/ChartExport.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {
namespace {

constexpr double kFillAlpha = 0.09;
constexpr double kReservedAlpha = 0.5;
constexpr double kZoomStep = 1.25;
constexpr int kLeastSide = 24;             // px under which axes have no room
constexpr std::size_t kRunsWithWords = 2;  // more runs have no room for holders and formulas
constexpr int kDragFrom = 4;               // px of movement that make a click a drag

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

}  // namespace

struct MemoryChart::Parts {
  struct RunParts {
    QCPGraph* allocated = nullptr;
    QCPGraph* reserved = nullptr;
    QCPGraph* peak = nullptr;
    QCPGraph* dot = nullptr;  // on the cursor
    QCPItemText* peakTitle = nullptr;
    QCPItemText* peakHolder = nullptr;
    QCPItemLine* prediction = nullptr;  // where the run has one
    QCPItemText* predictionWords = nullptr;
  };
  QSharedPointer<TimeTicker> timeTicker{new TimeTicker};
  QSharedPointer<NumberTicker> byteTicker{new NumberTicker};
  std::vector<RunParts> runs;
  QCPItemLine* cursor = nullptr;
  QCPItemText* timeUnit = nullptr;
  QCPItemText* byteUnit = nullptr;
};

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

void MemoryChart::setRuns(std::shared_ptr<const MemoryRuns> runs) {
  m_runs = std::move(runs);
  rebuild();
}

void MemoryChart::refresh() { feed(); }

void MemoryChart::applyTheme() {
  styleChart(*m_plot, m_theme);
  rebuild();
}

void MemoryChart::rebuild() {
  m_plot->clearPlottables();
  m_plot->clearItems();
  m_parts->runs.clear();
  double most = 0;
  double least = 0;
  for (const MemoryRun& run : *m_runs) {
    most = std::max(most, run.predictedBytes);
    for (const StepSeries* series : {&run.allocated, &run.reserved}) {
      const CounterRange range = series->range();
      if (range.empty) continue;
      most = std::max(most, range.high);
      least = std::min(least, range.low);
    }
  }
  const format::ByteUnit unit = format::byteUnitFor(static_cast<std::int64_t>(most));
  m_unitBytes = std::pow(1024.0, static_cast<double>(unit));
  const double top = std::max(most / m_unitBytes, 1e-9) * 1.12;
  m_plot->yAxis->setRange(least / m_unitBytes * 1.05, top);
  // Without a run, axes would measure nothing.
  for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis}) axis->setVisible(!m_runs->empty());

  const auto text = [this](const QFont& font, const QColor& colour, Qt::Alignment alignment) {
    auto* item = new QCPItemText(m_plot);
    item->setFont(font);
    item->setColor(colour);
    item->setPositionAlignment(alignment);
    item->setTextAlignment(Qt::AlignLeft);
    item->position->setType(QCPItemPosition::ptAbsolute);
    item->setClipToAxisRect(false);
    item->setPadding(QMargins(0, 0, 0, 0));
    return item;
  };
  const QFont caption = m_theme.font(FontRole::kCaption);
  const QColor label = m_theme.colour(QStringLiteral("chart.label"));
  m_parts->byteUnit = text(caption, label, Qt::AlignRight | Qt::AlignVCenter);
  m_parts->byteUnit->setText(format::unitName(unit));
  m_parts->timeUnit = text(caption, label, Qt::AlignRight | Qt::AlignTop);
  for (QCPItemText* unitWords : {m_parts->byteUnit, m_parts->timeUnit}) unitWords->setVisible(!m_runs->empty());

  for (const MemoryRun& run : *m_runs) {
    const QColor ink = m_theme.run(run.runNumber);
    QColor half = ink;
    half.setAlphaF(static_cast<float>(kReservedAlpha));
    Parts::RunParts parts;
    if (!run.reserved.isEmpty()) {
      parts.reserved = m_plot->addGraph();
      QPen dashed(half, 1);
      dashed.setDashPattern({4, 3});
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
    parts.peakTitle = text(m_theme.font(FontRole::kData, QFont::DemiBold),
                           m_theme.colour(QStringLiteral("text.primary")), Qt::AlignLeft | Qt::AlignTop);
    parts.peakHolder = text(m_theme.font(FontRole::kCaption), m_theme.colour(QStringLiteral("text.secondary")),
                            Qt::AlignLeft | Qt::AlignTop);
    QColor ground = m_theme.colour(QStringLiteral("surface.pane"));
    ground.setAlphaF(0.8F);  // the label is read over the lines, which still show
    parts.peakTitle->setBrush(ground);
    parts.peakHolder->setBrush(ground);
    if (run.predictedBytes > 0) {
      parts.prediction = new QCPItemLine(m_plot);
      QPen dashed(ink, 1);
      dashed.setDashPattern({6, 4});
      parts.prediction->setPen(dashed);
      parts.predictionWords = text(m_theme.font(FontRole::kCaption), m_theme.colour(QStringLiteral("text.secondary")),
                                   Qt::AlignRight | Qt::AlignBottom);
      parts.predictionWords->setBrush(ground);
    }
    m_parts->runs.push_back(parts);
  }
  m_parts->cursor = new QCPItemLine(m_plot);
  m_parts->cursor->setLayer(QStringLiteral("cursor"));
  m_parts->cursor->setPen(QPen(m_theme.colour(QStringLiteral("timeline.cursor")), 1));
  feed();
}

int MemoryChart::plotWidth() const { return std::max(1, m_plot->axisRect()->width()); }

void MemoryChart::feed() {
  m_plot->xAxis->setRange(m_view.startNs(), m_view.endNs());
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
  if (m_plot->width() < kLeastSide || m_plot->height() < kLeastSide) return;  // folded away, or not laid out yet
  placePeaks();
  placeCursor();
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void MemoryChart::placePeaks() {
  const QRect area = m_plot->axisRect()->rect();
  m_parts->byteUnit->position->setCoords(area.left() - m_theme.scaled(6), area.top() - m_theme.scaled(12));
  m_parts->timeUnit->position->setCoords(area.right() + m_theme.scaled(12), area.bottom() + m_theme.scaled(8));
  // The ticker knows the unit once it has seen the range.
  QVector<double> ticks;
  m_parts->timeTicker->generate(m_plot->xAxis->range(), QLocale(), u'f', 0, ticks, nullptr, nullptr);
  m_parts->timeUnit->setText(format::unitName(m_parts->timeTicker->unit()));

  std::vector<QRectF> taken;
  placePredictions(taken);
  for (std::size_t i = 0; i < m_parts->runs.size(); ++i) {
    const MemoryRun& run = (*m_runs)[i];
    Parts::RunParts& parts = m_parts->runs[i];
    const double at = static_cast<double>(run.peakAtNs - m_anchor(run.runNumber));
    const bool isShown = run.hasPeak && at >= m_view.startNs() && at <= m_view.endNs();
    parts.peak->data()->clear();
    parts.peakTitle->setVisible(isShown);
    const bool hasHolder = isShown && !run.holder.isEmpty() && m_runs->size() <= kRunsWithWords;
    parts.peakHolder->setVisible(hasHolder);
    if (!isShown) continue;
    const double x = m_plot->xAxis->coordToPixel(at);
    const double y = m_plot->yAxis->coordToPixel(run.peakBytes / m_unitBytes);
    // The triangle stands on the line, not around it.
    parts.peak->addData(at, m_plot->yAxis->pixelToCoord(y - m_theme.scaled(4)));
    parts.peakTitle->setText(tr("%1 peak %2").arg(run.letter, format::bytes(run.peakBytes)));
    parts.peakHolder->setText(run.holder);
    const QFontMetricsF title(parts.peakTitle->font());
    const QFontMetricsF holder(parts.peakHolder->font());
    const double width = std::max(title.horizontalAdvance(parts.peakTitle->text()),
                                  hasHolder ? holder.horizontalAdvance(run.holder) : 0);
    const double height = title.height() + (hasHolder ? holder.height() : 0);
    double left = x + m_theme.scaled(12);
    if (left + width > area.right()) left = std::max<double>(area.left() + 4, x - m_theme.scaled(12) - width);
    QRectF place(left, y - m_theme.scaled(4), width, height);
    // Peaks at nearly the same level: the later label goes below the earlier, or above where there is no room.
    if (place.bottom() > area.bottom()) place.moveBottom(area.bottom() - 2);
    for (const QRectF& other : taken) {
      if (!place.intersects(other)) continue;
      place.moveTop(other.bottom() + 4);
      if (place.bottom() > area.bottom()) place.moveBottom(other.top() - 4);
    }
    // Where there is no room left the triangle stands alone: two labels over one another say nothing.
    if (std::any_of(taken.begin(), taken.end(), [&place](const QRectF& other) { return place.intersects(other); })) {
      parts.peakTitle->setVisible(false);
      parts.peakHolder->setVisible(false);
      continue;
    }
    taken.push_back(place);
    parts.peakTitle->position->setCoords(place.left(), place.top());
    parts.peakHolder->position->setCoords(place.left(), place.top() + title.height());
  }
}

// Dashed lines over the whole width with their formula in words at the right end. Peaks' labels keep off them.
void MemoryChart::placePredictions(std::vector<QRectF>& taken) {
  const QRect area = m_plot->axisRect()->rect();
  for (std::size_t i = 0; i < m_parts->runs.size(); ++i) {
    const MemoryRun& run = (*m_runs)[i];
    Parts::RunParts& parts = m_parts->runs[i];
    if (parts.prediction == nullptr) continue;
    const double level = run.predictedBytes / m_unitBytes;
    parts.prediction->start->setCoords(m_plot->xAxis->range().lower, level);
    parts.prediction->end->setCoords(m_plot->xAxis->range().upper, level);
    QString words = tr("%1 predicted %2").arg(run.letter, format::bytes(run.predictedBytes));
    if (!run.predictionWords.isEmpty() && m_runs->size() <= kRunsWithWords)
      words += QStringLiteral(": ") + run.predictionWords;
    const QFontMetricsF metrics(parts.predictionWords->font());
    words = metrics.elidedText(words, Qt::ElideRight, area.width() * 0.7);
    parts.predictionWords->setText(words);
    QRectF place(area.right() - metrics.horizontalAdvance(words), m_plot->yAxis->coordToPixel(level) - metrics.height(),
                 metrics.horizontalAdvance(words), metrics.height());
    for (const QRectF& other : taken) {
      if (place.intersects(other)) place.moveBottom(other.top() - 2);
    }
    const bool fits = place.top() >= area.top() - place.height();
    parts.predictionWords->setVisible(fits);
    if (fits) taken.push_back(place);
    parts.predictionWords->position->setCoords(place.right(), place.bottom());
  }
}

void MemoryChart::placeCursor() {
  const bool shown = m_view.hasCursor() && m_view.cursorNs() >= m_view.startNs() && m_view.cursorNs() <= m_view.endNs();
  m_parts->cursor->setVisible(shown);
  m_parts->cursor->start->setCoords(m_view.cursorNs(), m_plot->yAxis->range().lower);
  m_parts->cursor->end->setCoords(m_view.cursorNs(), m_plot->yAxis->range().upper);
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
