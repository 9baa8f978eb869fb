// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/SeamGeometry.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "ui/timeline/GlyphAtlas.h"

namespace attnscope::ui {

namespace {
constexpr double kNoiseShare = 0.03;
constexpr std::int64_t kNoiseNs = 1000;
constexpr double kLimit = 1e7;  // px: beyond, a line is as good as infinite
}  // namespace

Change changeOf(std::int64_t baseNs, std::int64_t otherNs) {
  const std::int64_t delta = otherNs - baseNs;
  const double noise =
      std::max(static_cast<double>(kNoiseNs), kNoiseShare * static_cast<double>(std::max(baseNs, otherNs)));
  if (std::abs(static_cast<double>(delta)) <= noise) return Change::kNeutral;
  return delta < 0 ? Change::kFaster : Change::kSlower;
}

namespace {

std::vector<std::pair<SliceId, std::uint32_t>> slicesOfSide(const std::vector<SeamLink>& links,
                                                            SeamSide SeamLink::*side) {
  std::vector<std::pair<SliceId, std::uint32_t>> slices;
  for (std::uint32_t at = 0; at < links.size(); ++at) {
    for (const SliceId slice : (links[at].*side).slices) slices.emplace_back(slice, at);
  }
  std::sort(slices.begin(), slices.end());
  return slices;
}

std::vector<TimeRange> reachOfSide(const std::vector<SeamLink>& links, SeamSide SeamLink::*side) {
  std::vector<TimeRange> reach(links.size());
  std::int64_t latest = INT64_MIN;
  for (std::size_t at = 0; at < links.size(); ++at) {
    latest = std::max(latest, (links[at].*side).range.endNs);
    reach[at].endNs = latest;
  }
  std::int64_t earliest = INT64_MAX;
  for (std::size_t at = links.size(); at-- > 0;) {
    earliest = std::min(earliest, (links[at].*side).range.startNs);
    reach[at].startNs = earliest;
  }
  return reach;
}

// Links that may reach into [startNs, endNs] of a run's own time: [first, last).
std::pair<std::size_t, std::size_t> inView(const std::vector<TimeRange>& reach, double startNs, double endNs) {
  const auto first = std::partition_point(
      reach.begin(), reach.end(), [&](const TimeRange& each) { return static_cast<double>(each.endNs) < startNs; });
  const auto last = std::partition_point(
      first, reach.end(), [&](const TimeRange& each) { return static_cast<double>(each.startNs) <= endNs; });
  return {static_cast<std::size_t>(first - reach.begin()), static_cast<std::size_t>(last - reach.begin())};
}

const SeamLink* linkOf(const SeamMatch& match, const std::vector<std::pair<SliceId, std::uint32_t>>& of,
                       SliceId slice) {
  const auto at = std::lower_bound(of.begin(), of.end(), std::pair{slice, std::uint32_t{0}});
  return at == of.end() || at->first != slice ? nullptr : &match.links[at->second];
}

}  // namespace

SeamMatch::SeamMatch(std::vector<SeamLink> matched)
    : links(std::move(matched)),
      ofUpper(slicesOfSide(links, &SeamLink::base)),
      ofLower(slicesOfSide(links, &SeamLink::other)),
      upperReach(reachOfSide(links, &SeamLink::base)),
      lowerReach(reachOfSide(links, &SeamLink::other)) {}

const SeamLink* SeamMatch::linkOfUpper(SliceId slice) const { return linkOf(*this, ofUpper, slice); }
const SeamLink* SeamMatch::linkOfLower(SliceId slice) const { return linkOf(*this, ofLower, slice); }

std::vector<Ribbon> ribbonsOf(const SeamMatch& match, const TimeScale& upperScale, const TimeScale& lowerScale,
                              std::int64_t upperAnchorNs, std::int64_t lowerAnchorNs, std::size_t most) {
  const std::vector<SeamLink>& links = match.links;
  const auto x = [&](const TimeScale& scale, std::int64_t own, std::int64_t anchor) {
    return std::clamp(std::floor(scale.deviceXOf(static_cast<double>(own - anchor))), -kLimit, kLimit);
  };
  // A column more at each side: what is drawn begins and ends on whole columns.
  const auto seen = [&](const std::vector<TimeRange>& reach, const TimeScale& scale, std::int64_t anchor) {
    const double start = scale.startNs - scale.nsPerDevicePixel + static_cast<double>(anchor);
    return inView(reach, start, start + (scale.columns + 3) * scale.nsPerDevicePixel);
  };
  const auto upper = seen(match.upperReach, upperScale, upperAnchorNs);
  const auto lower = seen(match.lowerReach, lowerScale, lowerAnchorNs);
  std::vector<Ribbon> ribbons;
  for (std::size_t at = std::min(upper.first, lower.first); at < std::max(upper.second, lower.second); ++at) {
    const SeamLink& link = links[at];
    Ribbon ribbon;
    ribbon.topLeft = x(upperScale, link.base.range.startNs, upperAnchorNs);
    ribbon.topRight = x(upperScale, link.base.range.endNs, upperAnchorNs);
    ribbon.bottomLeft = x(lowerScale, link.other.range.startNs, lowerAnchorNs);
    ribbon.bottomRight = x(lowerScale, link.other.range.endNs, lowerAnchorNs);
    ribbon.link = static_cast<std::uint32_t>(at);
    ribbon.change = changeOf(link.base.workNs, link.other.workNs);
    ribbon.isOneSided = link.base.slices.empty() || link.other.slices.empty();
    if (std::max(ribbon.topRight, ribbon.bottomRight) < 0) continue;
    if (std::min(ribbon.topLeft, ribbon.bottomLeft) > upperScale.columns) continue;
    ribbons.push_back(ribbon);
  }
  if (ribbons.size() > most) {
    std::nth_element(ribbons.begin(), ribbons.begin() + static_cast<std::ptrdiff_t>(most), ribbons.end(),
                     [&](const Ribbon& left, const Ribbon& right) {
                       return std::abs(links[left.link].deltaNs()) > std::abs(links[right.link].deltaNs());
                     });
    ribbons.resize(most);
    std::sort(ribbons.begin(), ribbons.end(),
              [](const Ribbon& left, const Ribbon& right) { return left.link < right.link; });
  }
  return ribbons;
}

const Ribbon* ribbonAt(std::span<const Ribbon> ribbons, double x, double y, double height) {
  const double share = std::clamp(y / height, 0.0, 1.0);
  for (std::size_t at = ribbons.size(); at-- > 0;) {
    const double left = std::floor(ribbons[at].leftAt(share));
    if (std::floor(x) >= left && std::floor(x) < std::max(std::floor(ribbons[at].rightAt(share)), left + 1)) {
      return &ribbons[at];
    }
  }
  return nullptr;
}

void paintRibbons(QImage& image, QPoint origin, const QRect& clip, int height, std::span<const Ribbon> ribbons,
                  double ratio, const std::function<RibbonInk(const Ribbon&)>& ink) {
  std::vector<RibbonInk> inks;
  inks.reserve(ribbons.size());
  for (const Ribbon& ribbon : ribbons) inks.push_back(ink(ribbon));
  const int side = std::max(1, static_cast<int>(std::lround(ratio)));
  const int dash = static_cast<int>(std::lround(3 * ratio));
  const int clipLeft = clip.left() - origin.x();
  const int clipRight = clip.right() + 1 - origin.x();
  // constBits(): the image may be the painter's own, and bits() would detach it.
  auto* bits = const_cast<uchar*>(image.constBits());
  for (int y = 0; y < height; ++y) {
    const int row = origin.y() + y;
    if (row < clip.top() || row > clip.bottom()) continue;
    QRgb* line = reinterpret_cast<QRgb*>(bits + row * image.bytesPerLine()) + origin.x();
    const double share = (y + 0.5) / height;
    for (std::size_t at = 0; at < ribbons.size(); ++at) {
      const Ribbon& ribbon = ribbons[at];
      const int left = static_cast<int>(std::floor(std::clamp(ribbon.leftAt(share), -1e6, 1e6)));
      const int right = std::max(left + 1, static_cast<int>(std::floor(std::clamp(ribbon.rightAt(share), -1e6, 1e6))));
      const int from = std::max(left, clipLeft);
      const int to = std::min(right, clipRight);
      const RibbonInk& paint = inks[at];
      for (int x = from; x < to; ++x) line[x] = mixed(line[x], paint.colour, paint.fillAmount);
      // A flat side is as long in this line as it moves, or it would fall apart into dots.
      const auto drawSide = [&](double here, double next) {
        const int first = static_cast<int>(std::floor(std::clamp(std::min(here, next), -1e6, 1e6)));
        const int last =
            std::max(first + side, static_cast<int>(std::floor(std::clamp(std::max(here, next), -1e6, 1e6))));
        for (int x = std::max(first, clipLeft); x < std::min(last, clipRight); ++x) {
          if (ribbon.isOneSided && ((x + y) / dash) % 2 != 0) continue;
          line[x] = mixed(line[x], paint.colour, paint.sideAmount);
        }
      };
      // Slivers are fill alone: their sides would be all that is seen.
      if (std::max(ribbon.topRight - ribbon.topLeft, ribbon.bottomRight - ribbon.bottomLeft) < 4 * side) continue;
      const double above = static_cast<double>(y) / height;
      const double below = static_cast<double>(y + 1) / height;
      drawSide(ribbon.leftAt(above), ribbon.leftAt(below));
      drawSide(ribbon.rightAt(above) - side, ribbon.rightAt(below) - side);
    }
  }
}

QRectF labelBox(const Ribbon& ribbon, double height, double columns, double textWidth, double textHeight) {
  QRectF best;
  double bestRoom = textWidth;
  for (const double middle : {0.3, 0.5, 0.7}) {
    const double top = std::clamp(height * middle - textHeight / 2, 2.0, std::max(2.0, height - textHeight - 2));
    const double from = top / height;
    const double to = (top + textHeight) / height;
    const double left = std::max({ribbon.leftAt(from), ribbon.leftAt(to), 0.0});
    const double right = std::min({ribbon.rightAt(from), ribbon.rightAt(to), columns});
    if (right - left >= bestRoom) {
      bestRoom = right - left + 1;
      best = QRectF(left, top, right - left, textHeight);
    }
  }
  return best;
}

}  // namespace attnscope::ui
