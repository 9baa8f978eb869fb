// SPDX-License-Identifier: GPL-3.0-or-later
// Where the words of the memory chart stand.
#include <algorithm>
#include <array>
#include <cmath>

#include "ui/bridge/ViewState.h"
#include "ui/charts/LabelSpread.h"
#include "ui/charts/MemoryChartParts.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {

namespace {

constexpr std::size_t kRunsWithHolders = 2;  // more runs have no room for who holds the peak
constexpr int kBriefUnder = 560;             // px of the chart: there the labels of levels are short
constexpr int kRightMargin = 16;
constexpr int kLeader = 10;  // px from the end of a line to its label

void updateLayout(QCustomPlot& plot) {
  for (const auto phase : {QCPLayoutElement::upPreparation, QCPLayoutElement::upMargins, QCPLayoutElement::upLayout}) {
    plot.plotLayout()->update(phase);
  }
}

void setRightMargin(QCPAxisRect& axes, int right) {
  QMargins margins = axes.margins();
  margins.setRight(right);
  axes.setMargins(margins);
}

}  // namespace

void MemoryChart::placeUnits() {
  const QRect area = m_plot->axisRect()->rect();
  m_parts->byteUnit->position->setCoords(area.left() - m_theme.scaled(6), area.top() - m_theme.scaled(12));
  m_parts->timeUnit->position->setCoords(area.right() + m_theme.scaled(12), area.bottom() + m_theme.scaled(8));
  // The ticker knows the unit once it has seen the range.
  QVector<double> ticks;
  m_parts->timeTicker->generate(m_plot->xAxis->range(), QLocale(), u'f', 0, ticks, nullptr, nullptr);
  m_parts->timeUnit->setText(format::unitName(m_parts->timeTicker->unit()));
}

// The column at the right is as wide as the longest of its labels; each stands at its line or as near as others let it.
void MemoryChart::placeLevels() {
  const bool isBrief = m_plot->width() < m_theme.scaled(kBriefUnder);
  const QFontMetricsF metrics(m_theme.font(FontRole::kCaption));
  const Parts::Difference& difference = m_parts->difference;
  double widest = 0;
  for (Parts::Level& level : m_parts->levels) {
    level.label->setText(isBrief ? level.brief : level.full);
    widest = std::max(widest, metrics.horizontalAdvance(level.label->text()));
  }
  if (difference.axes != nullptr) {
    const QString longest = tr("largest %1").arg(format::signedBytes(-999.0 * 1024 * 1024));
    widest = std::max(widest, metrics.horizontalAdvance(longest));
  }
  const int column = widest > 0 ? m_theme.scaled(kLeader + 4) + static_cast<int>(std::ceil(widest)) : 0;
  setRightMargin(*m_plot->axisRect(), column + m_theme.scaled(kRightMargin));
  if (difference.axes != nullptr) {
    difference.axes->setMargins(
        QMargins(m_theme.scaled(56), m_theme.scaled(2), column + m_theme.scaled(kRightMargin), m_theme.scaled(6)));
  }
  updateLayout(*m_plot);

  const QRect area = m_plot->axisRect()->rect();
  std::vector<LabelWish> wishes;
  for (const Parts::Level& level : m_parts->levels) {
    wishes.push_back({m_plot->yAxis->coordToPixel(level.bytes / m_unitBytes), level.priority});
  }
  const auto places = spreadLabels(wishes, metrics.height(), area.top() - m_theme.scaled(8), area.bottom());
  for (std::size_t i = 0; i < m_parts->levels.size(); ++i) {
    const Parts::Level& level = m_parts->levels[i];
    level.line->start->setCoords(m_plot->xAxis->range().lower, level.bytes / m_unitBytes);
    level.line->end->setCoords(m_plot->xAxis->range().upper, level.bytes / m_unitBytes);
    level.label->setVisible(places[i].has_value());
    level.leader->setVisible(places[i].has_value());
    if (!places[i]) continue;
    const double left = area.right() + m_theme.scaled(kLeader);
    level.leader->start->setCoords(area.right(), wishes[i].y);
    level.leader->end->setCoords(left, *places[i]);
    level.label->position->setCoords(left + m_theme.scaled(4), *places[i]);
  }
}

void MemoryChart::placeLabels() {
  placeUnits();
  std::vector<QRectF> taken;
  const double mark = m_theme.scaled(10);
  for (std::size_t i = 0; i < m_parts->runs.size(); ++i) {
    const MemoryRun& run = (*m_runs)[i];
    const double x = m_plot->xAxis->coordToPixel(static_cast<double>(run.peakAtNs - m_anchor(run.runNumber)));
    const double y = m_plot->yAxis->coordToPixel(run.peakBytes / m_unitBytes);
    if (run.hasPeak) taken.emplace_back(x - mark / 2, y - mark, mark, mark);
  }
  for (std::size_t i = 0; i < m_parts->runs.size(); ++i) placePeak(i, taken);

  const Parts::Difference& difference = m_parts->difference;
  if (difference.axes == nullptr) return;
  const QRect area = difference.axes->rect();
  const double left = area.right() + m_theme.scaled(kLeader + 4);
  const double line = QFontMetricsF(difference.title->font()).height();
  difference.title->position->setCoords(left, area.center().y() - line / 2);
  difference.largest->position->setCoords(left, area.center().y() + line / 2);
}

// Beside its triangle, where nothing stands and no line passes; without such a place the triangle is alone, and the
// table has the figure.
void MemoryChart::placePeak(std::size_t at, std::vector<QRectF>& taken) {
  const MemoryRun& run = (*m_runs)[at];
  const Parts::RunParts& parts = m_parts->runs[at];
  const QRectF area = m_plot->axisRect()->rect();
  const double ns = static_cast<double>(run.peakAtNs - m_anchor(run.runNumber));
  parts.peak->data()->clear();
  parts.peakTitle->setVisible(false);
  parts.peakHolder->setVisible(false);
  if (!run.hasPeak || ns < m_view.startNs() || ns > m_view.endNs()) return;
  const double x = m_plot->xAxis->coordToPixel(ns);
  const double y = m_plot->yAxis->coordToPixel(run.peakBytes / m_unitBytes);
  // The triangle stands on the line, not around it.
  parts.peak->addData(ns, m_plot->yAxis->pixelToCoord(y - m_theme.scaled(4)));
  parts.peakTitle->setText(tr("%1 peak %2").arg(run.letter, format::bytes(run.peakBytes)));
  parts.peakHolder->setText(run.holder);
  // As the items themselves measure: that is what is drawn.
  const QSizeF title = Parts::placeOf(*parts.peakTitle).size();
  const QSizeF holder = Parts::placeOf(*parts.peakHolder).size();
  for (const bool withHolder : {true, false}) {
    if (withHolder && (run.holder.isEmpty() || m_runs->size() > kRunsWithHolders)) continue;
    const double width = std::max(title.width(), withHolder ? holder.width() : 0);
    const double height = title.height() + (withHolder ? holder.height() : 0);
    const double side = m_theme.scaled(12);
    const double above = y - m_theme.scaled(12) - height;
    const std::array<QPointF, 5> corners{QPointF(x + side, above), QPointF(x - side - width, above),
                                         QPointF(x - width / 2, above), QPointF(x + side, y + 2),
                                         QPointF(x - side - width, y + 2)};
    for (const QPointF& corner : corners) {
      const QRectF place(corner, QSizeF(width, height));
      const auto touches = [&place](const QRectF& other) { return place.intersects(other); };
      if (!area.adjusted(0, -m_theme.scaled(16), 0, 0).contains(place) || isCrossed(place)) continue;
      if (std::any_of(taken.begin(), taken.end(), touches)) continue;
      taken.push_back(place);
      parts.peakTitle->setVisible(true);
      parts.peakHolder->setVisible(withHolder);
      parts.peakTitle->position->setCoords(place.left(), place.top());
      parts.peakHolder->position->setCoords(place.left(), place.top() + title.height());
      return;
    }
  }
}

bool MemoryChart::isCrossed(const QRectF& place) const {
  constexpr double kAir = 1;  // px beside the words
  const double top = place.top() - kAir;
  const double bottom = place.bottom() + kAir;
  for (const Parts::Level& level : m_parts->levels) {
    const double y = m_plot->yAxis->coordToPixel(level.bytes / m_unitBytes);
    if (y > top && y < bottom && place.left() < m_plot->axisRect()->right()) return true;
  }
  const double from = m_plot->xAxis->pixelToCoord(place.left() - kAir);
  const double to = m_plot->xAxis->pixelToCoord(place.right() + kAir);
  for (const MemoryRun& run : *m_runs) {
    const auto anchor = static_cast<double>(m_anchor(run.runNumber));
    for (const StepSeries* series : {&run.allocated, &run.reserved}) {
      const CounterRange range = series->rangeIn(from + anchor, to + anchor);
      if (range.empty) continue;
      const double high = m_plot->yAxis->coordToPixel(range.high / m_unitBytes);
      const double low = m_plot->yAxis->coordToPixel(range.low / m_unitBytes);
      if (high < bottom && low > top) return true;
    }
  }
  return false;
}

std::vector<QRectF> MemoryChart::labelPlaces() const {
  std::vector<QRectF> places;
  const auto add = [&places](const QCPItemText* item) {
    if (item != nullptr && item->visible() && !item->text().isEmpty()) places.push_back(Parts::placeOf(*item));
  };
  for (const Parts::RunParts& run : m_parts->runs) {
    add(run.peakTitle);
    add(run.peakHolder);
  }
  for (const Parts::Level& level : m_parts->levels) add(level.label);
  add(m_parts->difference.title);
  add(m_parts->difference.largest);
  return places;
}

}  // namespace attnscope::ui
