// SPDX-License-Identifier: GPL-3.0-or-later
// Where bar, overview, rulers, panes and seams stand, at which size of the window.
#include <algorithm>

#include "ui/timeline/TimelineView.h"

namespace attnscope::ui {

namespace {

// Windows narrower or lower than this give way as the design says.
constexpr int kNarrow = 1440;
constexpr int kLow = 860;
constexpr int kVeryLow = 760;
constexpr int kTall = 900;

}  // namespace

int TimelineView::windowHeight() const { return window()->height(); }

LayoutSizes TimelineView::sizes() const {
  LayoutSizes sizes;
  sizes.row = m_theme.size(QStringLiteral("slice_row"));
  sizes.slice = sizes.row - 1;
  const bool isCompact = m_panes.size() > 2 || windowHeight() < kVeryLow;
  sizes.compared =
      m_theme.size(isCompact ? QStringLiteral("compared_track_compact") : QStringLiteral("compared_track"));
  sizes.comparedSlice = m_theme.size(QStringLiteral("compared_slice"));
  sizes.counter = m_theme.size(QStringLiteral("counter_track"));
  sizes.group = m_theme.size(QStringLiteral("group_header"));
  sizes.trackLeast = m_theme.scaled(24);
  return sizes;
}

void TimelineView::layoutStack() {
  if (m_isLayingOut) return;  // a pane's wish changes while it is laid out
  m_isLayingOut = true;
  const bool isNarrow = window()->width() < kNarrow;
  m_state.setHeaderWidth(
      m_theme.size(isNarrow ? QStringLiteral("track_header_compact") : QStringLiteral("track_header")));
  m_state.setTrackWidth(std::max(1, width() - m_state.headerWidth()));
  int y = 0;
  const auto place = [&](QWidget& widget, int height) {
    widget.setGeometry(0, y, width(), height);
    y += height;
  };
  place(m_bar, m_theme.size(QStringLiteral("timeline_bar")));
  const bool hasOverview = windowHeight() >= kLow && !m_session.readyRuns().empty();
  m_overview.setVisible(hasOverview);
  if (hasOverview) place(m_overview, m_overview.wantedHeight());
  const int ruler = m_theme.size(QStringLiteral("ruler"));
  const bool isShared = !m_panes.empty() && m_ownRulers.empty();
  m_ruler.setVisible(isShared);
  m_focusLine.setGeometry(0, y, width(), 2);
  if (isShared) place(m_ruler, ruler);
  const int height = std::max(0, this->height() - y);
  m_stack.setGeometry(0, y, width(), height);
  m_trackFilter.setGeometry(0, isShared ? y - ruler : y, m_state.headerWidth() - 1, ruler - 1);
  m_trackFilter.raise();
  m_empty.setGeometry(m_stack.rect());
  m_focusLine.raise();

  const char* seamToken = m_panes.size() > 2 || windowHeight() < kVeryLow ? "seam_small"
                          : windowHeight() < kTall                        ? "seam_compact"
                                                                          : "seam";
  const int seamHeight = m_theme.size(QString::fromLatin1(seamToken));
  const LayoutSizes sizes = this->sizes();
  std::vector<int> wanted;
  for (TimelinePane* pane : m_panes) {
    pane->setSizes(sizes);
    wanted.push_back(pane->wantedHeight());
  }
  int seamsHeight = 0;
  std::vector<bool> hasSeam(m_seams.size());
  for (std::size_t at = 0; at < m_seams.size(); ++at) {
    hasSeam[at] = modelOf(m_seams[at]->upper()) && modelOf(m_seams[at]->lower());
    if (hasSeam[at]) seamsHeight += seamHeight;
  }
  seamsHeight += static_cast<int>(m_ownRulers.size()) * ruler;
  std::vector<int> heights = shareHeights(wanted, height - seamsHeight);
  // What is left over goes to the last pane, so that no gap of another colour shows below.
  int used = seamsHeight;
  for (const int each : heights) used += each;
  if (!heights.empty() && used < height) heights.back() += height - used;
  for (std::size_t at = 0; at < m_borders.size(); ++at) {
    ui::moveBorder(heights, at, m_borders[at], leastPaneHeight());
  }
  int top = 0;
  for (std::size_t at = 0; at < m_panes.size(); ++at) {
    // At the outer side of its pane, so that the compared rows stay at the seam.
    const bool isBelow = !m_ownRulers.empty() && m_panes[at]->role() == PaneRole::kLower;
    if (!m_ownRulers.empty()) {
      m_ownRulers[at]->setGeometry(0, isBelow ? top + heights[at] : top, width(), ruler);
      if (!isBelow) top += ruler;
    }
    m_panes[at]->setGeometry(0, top, width(), heights[at]);
    if (isBelow) top += ruler;
    top += heights[at];
    if (at >= m_seams.size()) continue;
    constexpr int kGrab = 7;
    m_splits[at]->setGeometry(0, top - kGrab / 2, width(), kGrab);
    m_splits[at]->raise();
    m_seams[at]->setVisible(hasSeam[at]);
    if (!hasSeam[at]) continue;
    m_seams[at]->setGeometry(0, top, width(), seamHeight);
    top += seamHeight;
  }
  m_isLayingOut = false;
}

// One a border; what the user moved is forgotten when the number of panes changes.
void TimelineView::placeSplits() {
  const std::size_t wanted = m_panes.empty() ? 0 : m_panes.size() - 1;
  if (wanted != m_splits.size()) m_borders.assign(wanted, 0);
  while (m_splits.size() > wanted) {
    delete m_splits.back();
    m_splits.pop_back();
  }
  while (m_splits.size() < wanted) {
    const std::size_t border = m_splits.size();
    auto* split = new PaneSplit(&m_stack);
    connect(split, &PaneSplit::pressed, this, [this, border] { m_borderAtPress = m_borders[border]; });
    connect(split, &PaneSplit::dragged, this,
            [this, border](int pixels) { moveBorderBy(border, m_borderAtPress + pixels - m_borders[border]); });
    connect(split, &PaneSplit::resetWanted, this, [this, border] {
      m_borders[border] = 0;
      layoutStack();
    });
    split->show();
    m_splits.push_back(split);
  }
}

int TimelineView::leastPaneHeight() const { return m_theme.size(QStringLiteral("compared_track_compact")); }

void TimelineView::moveBorderBy(std::size_t border, int pixels) {
  std::vector<int> heights;
  for (const TimelinePane* pane : m_panes) heights.push_back(pane->height());
  m_borders[border] += ui::moveBorder(heights, border, pixels, leastPaneHeight());
  layoutStack();
}

void TimelineView::moveBorder(Direction direction) {
  if (m_splits.empty()) return;
  std::size_t border = 0;
  while (border + 1 < m_splits.size() && m_session.run(m_panes[border]->run()) != m_control.active()) ++border;
  constexpr int kRows = 2;
  const int step = kRows * m_theme.size(QStringLiteral("slice_row"));
  moveBorderBy(border, direction == Direction::kBack ? -step : step);
}

void TimelineView::placeRulers() {
  const std::size_t wanted = m_control.isLocked() ? 0 : m_panes.size();
  while (m_ownRulers.size() > wanted) {
    delete m_ownRulers.back();
    m_ownRulers.pop_back();
  }
  while (m_ownRulers.size() < wanted) {
    auto* ruler = new Ruler(m_control, m_theme, &m_stack);
    connect(ruler, &Ruler::noteActivated, this, &TimelineView::changeNote);
    ruler->show();
    m_ownRulers.push_back(ruler);
  }
  for (std::size_t at = 0; at < wanted; ++at) m_ownRulers[at]->setRun(m_panes[at]->run());
}

}  // namespace attnscope::ui
