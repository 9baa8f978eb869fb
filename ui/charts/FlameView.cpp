// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/FlameView.h"

#include <algorithm>
#include <cmath>

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

#include "ui/bridge/Format.h"
#include "ui/bridge/ShortLabel.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {
namespace {

constexpr int kLeastLabel = 30;    // px of a box that has its name
constexpr double kLeastBox = 0.6;  // px: what is narrower is not drawn on its own

}  // namespace

FlameView::FlameView(const Theme& theme, QWidget* parent)
    : QAbstractScrollArea(parent), m_theme(theme), m_graph(std::make_shared<FlameGraph>()) {
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::StrongFocus);
  viewport()->setMouseTracking(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setAccessibleName(tr("Flame graph of operators"));
  connect(&theme, &Theme::changed, this, [this] {
    layOut();
    viewport()->update();
  });
}

void FlameView::setGraph(std::shared_ptr<const FlameGraph> graph) {
  m_graph = std::move(graph);
  m_zoomed = m_current = m_hovered = FlameBox::kNone;
  layOut();
  viewport()->update();
  Q_EMIT wordsChanged();
}

void FlameView::setRoots(FlameRoots roots) {
  m_roots = roots;
  layOut();
  viewport()->update();
}

void FlameView::zoomTo(std::uint32_t box) {
  m_zoomed = box;
  viewport()->update();
}

int FlameView::rowHeight() const { return m_theme.size(QStringLiteral("slice_row")); }

double FlameView::left() const { return m_zoomed == FlameBox::kNone ? 0 : m_graph->boxes[m_zoomed].start; }

double FlameView::width() const { return m_zoomed == FlameBox::kNone ? 1 : m_graph->boxes[m_zoomed].width; }

void FlameView::layOut() {
  const int needed = m_graph->depths * rowHeight();
  verticalScrollBar()->setRange(0, std::max(0, needed - viewport()->height()));
  verticalScrollBar()->setPageStep(viewport()->height());
  verticalScrollBar()->setSingleStep(rowHeight());
  if (m_roots == FlameRoots::kBottom) verticalScrollBar()->setValue(verticalScrollBar()->maximum());
}

int FlameView::topOf(int depth) const {
  const int scroll = verticalScrollBar()->value();
  if (m_roots == FlameRoots::kTop) return depth * rowHeight() - scroll;
  const int bottom = std::max(m_graph->depths * rowHeight(), viewport()->height());
  return bottom - (depth + 1) * rowHeight() - scroll;
}

QRect FlameView::boxRect(std::uint32_t box) const {
  const FlameBox& of = m_graph->boxes[box];
  const double scale = viewport()->width() / width();
  const int from = static_cast<int>(std::lround((of.start - left()) * scale));
  const int to = static_cast<int>(std::lround((of.start + of.width - left()) * scale));
  return QRect(from, topOf(of.depth), std::max(1, to - from), rowHeight() - 1);
}

std::uint32_t FlameView::boxUnder(QPoint at) const {
  for (int depth = 0; depth < m_graph->depths; ++depth) {
    const int top = topOf(depth);
    if (at.y() < top || at.y() >= top + rowHeight()) continue;
    return m_graph->boxAt(depth, left() + (at.x() + 0.5) / viewport()->width() * width());
  }
  return FlameBox::kNone;
}

void FlameView::paintBox(QPainter& painter, std::uint32_t box) const {
  const QRect rect = boxRect(box).intersected(
      QRect(-2, -rowHeight(), viewport()->width() + 4, viewport()->height() + 2 * rowHeight()));
  if (rect.isEmpty()) return;
  const KindColours colours = m_theme.kind(m_graph->row(box).kind);
  painter.fillRect(rect, colours.fill);
  if (rect.width() >= 3) painter.fillRect(QRect(rect.right(), rect.top(), 1, rect.height()), colours.edge);
  if (rect.width() < m_theme.scaled(kLeastLabel)) return;
  painter.setPen(colours.label);
  const QRect words = rect.intersected(viewport()->rect()).adjusted(m_theme.scaled(4), 0, -m_theme.scaled(4), 0);
  const QFontMetrics metrics = painter.fontMetrics();
  QString name = m_graph->name(box);
  if (metrics.horizontalAdvance(name) > words.width()) {
    const std::string whole = name.toStdString();
    const std::string_view last = withoutNamespaces(whole);
    name = metrics.elidedText(QString::fromUtf8(last.data(), static_cast<qsizetype>(last.size())), Qt::ElideRight,
                              words.width());
    if (name.endsWith(QChar(0x2026)) && name.size() <= kLeastLabelLetters) return;
  }
  painter.drawText(words, Qt::AlignVCenter | Qt::AlignLeft, name);
}

void FlameView::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  painter.fillRect(viewport()->rect(), m_theme.colour(QStringLiteral("surface.pane")));
  painter.setFont(m_theme.font(FontRole::kCaption));
  const double scale = viewport()->width() / width();
  const double right = left() + width();
  for (int depth = 0; depth < m_graph->depths; ++depth) {
    const int top = topOf(depth);
    if (top + rowHeight() < 0 || top > viewport()->height()) continue;
    // From the first box in view; narrow ones share a pixel, of which one is enough.
    auto at = std::partition_point(m_graph->boxes.begin(), m_graph->boxes.end(), [&](const FlameBox& box) {
      return box.depth < depth || (box.depth == depth && box.start + box.width <= left());
    });
    double drawnTo = -1;
    for (; at != m_graph->boxes.end() && at->depth == depth && at->start < right; ++at) {
      const double end = (at->start + at->width - left()) * scale;
      if (at->width * scale < kLeastBox && std::floor(end) <= drawnTo) continue;
      drawnTo = std::floor(end);
      paintBox(painter, static_cast<std::uint32_t>(at - m_graph->boxes.begin()));
    }
  }
  const auto outline = [&](std::uint32_t box, const QString& token, int pen) {
    if (box == FlameBox::kNone) return;
    painter.setPen(QPen(m_theme.colour(token), pen));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(boxRect(box).adjusted(0, 0, -1, -1));
  };
  outline(m_hovered, QStringLiteral("timeline.hover"), 1);
  outline(m_current, hasFocus() ? QStringLiteral("state.focus") : QStringLiteral("timeline.selection"), 2);
}

void FlameView::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  layOut();
}

void FlameView::setCurrent(std::uint32_t box) {
  if (box == FlameBox::kNone || box == m_current) return;
  m_current = box;
  const QRect rect = boxRect(box);
  QScrollBar* bar = verticalScrollBar();
  if (rect.top() < 0) bar->setValue(bar->value() + rect.top());
  if (rect.bottom() >= viewport()->height()) bar->setValue(bar->value() + rect.bottom() - viewport()->height() + 1);
  viewport()->update();
  Q_EMIT wordsChanged();
}

void FlameView::setHovered(std::uint32_t box) {
  if (box == m_hovered) return;
  m_hovered = box;
  viewport()->update();
  Q_EMIT wordsChanged();
}

void FlameView::keyPressEvent(QKeyEvent* event) {
  if (m_graph->boxes.empty()) return QAbstractScrollArea::keyPressEvent(event);
  const bool isNone = m_current == FlameBox::kNone;
  const int towardsChildren = m_roots == FlameRoots::kTop ? Qt::Key_Down : Qt::Key_Up;
  const int towardsParent = m_roots == FlameRoots::kTop ? Qt::Key_Up : Qt::Key_Down;
  if (event->key() == towardsChildren) {
    setCurrent(isNone ? 0 : m_graph->firstChild(m_current));
  } else if (event->key() == towardsParent) {
    setCurrent(isNone ? 0 : m_graph->boxes[m_current].parent);
  } else if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right) {
    setCurrent(isNone ? 0 : m_graph->neighbour(m_current, event->key() == Qt::Key_Left ? -1 : 1));
  } else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
    if (!isNone) zoomTo(m_current);
  } else if (event->key() == Qt::Key_Backspace) {
    if (m_zoomed != FlameBox::kNone) zoomTo(m_graph->boxes[m_zoomed].parent);
  } else if (event->key() == Qt::Key_Home) {
    zoomTo(FlameBox::kNone);
  } else if (event->key() == Qt::Key_Space) {
    if (!isNone) Q_EMIT boxChosen(m_current);
  } else {
    QAbstractScrollArea::keyPressEvent(event);
  }
}

void FlameView::mouseMoveEvent(QMouseEvent* event) { setHovered(boxUnder(event->pos())); }

void FlameView::mousePressEvent(QMouseEvent* event) {
  const std::uint32_t box = boxUnder(event->pos());
  if (event->button() != Qt::LeftButton || box == FlameBox::kNone) return;
  setCurrent(box);
  Q_EMIT boxChosen(box);
}

void FlameView::mouseDoubleClickEvent(QMouseEvent* event) {
  const std::uint32_t box = boxUnder(event->pos());
  // On what is zoomed already: back to the whole.
  zoomTo(box == m_zoomed ? FlameBox::kNone : box);
}

bool FlameView::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::Leave) setHovered(FlameBox::kNone);
  return QAbstractScrollArea::viewportEvent(event);
}

void FlameView::focusInEvent(QFocusEvent* event) {
  QAbstractScrollArea::focusInEvent(event);
  viewport()->update();
}

void FlameView::focusOutEvent(QFocusEvent* event) {
  QAbstractScrollArea::focusOutEvent(event);
  viewport()->update();
}

QString FlameView::words() const {
  const std::uint32_t box = m_hovered != FlameBox::kNone ? m_hovered : m_current;
  if (box == FlameBox::kNone) return {};
  const auto total = static_cast<double>(m_graph->totalNs(box));
  const std::uint64_t calls = m_graph->row(box).calls;
  return tr("%1, %2, %3 of all, self %4, %5")
      .arg(m_graph->name(box), format::time(total), format::percent(total / static_cast<double>(m_graph->wholeNs)),
           format::time(static_cast<double>(m_graph->selfNs(box))),
           calls == 1 ? tr("1 call") : tr("%1 calls").arg(format::count(static_cast<std::int64_t>(calls))));
}

QString FlameView::data() const {
  QString text = QStringLiteral("path\ttotal (ns)\tself (ns)\tcalls\n");
  QStringList paths;
  for (std::uint32_t box = 0; box < m_graph->boxes.size(); ++box) {
    const std::uint32_t parent = m_graph->boxes[box].parent;
    QString path = m_graph->name(box).simplified();
    if (parent != FlameBox::kNone) path = paths[parent] + QLatin1Char(';') + path;
    paths << path;
    text += QStringLiteral("%1\t%2\t%3\t%4\n")
                .arg(path)
                .arg(m_graph->totalNs(box))
                .arg(m_graph->selfNs(box))
                .arg(m_graph->row(box).calls);
  }
  return text;
}

bool FlameView::save(const QString& path) { return viewport()->grab().save(path, "PNG"); }

}  // namespace attnscope::ui
