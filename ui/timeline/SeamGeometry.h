// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Ribbons between two compared rows: straight-sided shapes from a stretch of time above to one below, hit tests, and
// their scan lines. Device pixels, x from the left edge of the tracks, y from the top of the lane. Pure functions.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <QImage>
#include <QRect>

#include "core/compare/SeamLinks.h"
#include "ui/timeline/TimeScale.h"

namespace attnscope::ui {

enum class Change : std::uint8_t { kFaster, kNeutral, kSlower };
// Within 3 % of the larger, or within a microsecond: two recordings of the same work differ by as much.
[[nodiscard]] Change changeOf(std::int64_t baseNs, std::int64_t otherNs);

struct Ribbon {
  double topLeft = 0;
  double topRight = 0;
  double bottomLeft = 0;
  double bottomRight = 0;
  std::uint32_t link = 0;
  Change change = Change::kNeutral;
  bool isOneSided = false;  // it ends in a point: work of one run alone

  [[nodiscard]] double leftAt(double share) const { return topLeft + (bottomLeft - topLeft) * share; }
  [[nodiscard]] double rightAt(double share) const { return topRight + (bottomRight - topRight) * share; }
};

// The links of two runs with what is needed to find some of them: made once, in a worker; O(n log n) of the slices.
struct SeamMatch {
  explicit SeamMatch(std::vector<SeamLink> matched);
  [[nodiscard]] const SeamLink* linkOfUpper(SliceId slice) const;  // nullptr: it is in none
  [[nodiscard]] const SeamLink* linkOfLower(SliceId slice) const;

  std::vector<SeamLink> links;
  std::vector<std::pair<SliceId, std::uint32_t>> ofUpper;  // by slice: its link
  std::vector<std::pair<SliceId, std::uint32_t>> ofLower;
  // By link: the latest end up to it and the earliest start from it on, so that those in view are one stretch.
  std::vector<TimeRange> upperReach;
  std::vector<TimeRange> lowerReach;
};

// Those in view; where there are more than `most`, those of the largest differences. In order of the links. The runs
// may show different stretches of time. O(log n + links in view).
[[nodiscard]] std::vector<Ribbon> ribbonsOf(const SeamMatch& match, const TimeScale& upperScale,
                                            const TimeScale& lowerScale, std::int64_t upperAnchorNs,
                                            std::int64_t lowerAnchorNs, std::size_t most = 200);
// The topmost ribbon at a point of a lane `height` high, or nullptr.
[[nodiscard]] const Ribbon* ribbonAt(std::span<const Ribbon> ribbons, double x, double y, double height);

struct RibbonInk {
  QRgb colour = 0;
  std::uint32_t fillAmount = 66;  // of 255
  std::uint32_t sideAmount = 178;
};
// Into `image`, the lane's tracks with their top left at `origin`, inside `clip`.
void paintRibbons(QImage& image, QPoint origin, const QRect& clip, int height, std::span<const Ribbon> ribbons,
                  double ratio, const std::function<RibbonInk(const Ribbon&)>& ink);

// Where `textWidth` by `textHeight` fits inside a ribbon of a lane `height` high: the box, or a null one.
[[nodiscard]] QRectF labelBox(const Ribbon& ribbon, double height, double columns, double textWidth, double textHeight);

}  // namespace attnscope::ui
