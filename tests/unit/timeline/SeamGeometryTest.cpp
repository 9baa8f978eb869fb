// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/SeamGeometry.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace attnscope::ui {
namespace {

SeamLink link(std::int64_t baseStart, std::int64_t baseEnd, std::int64_t otherStart, std::int64_t otherEnd) {
  SeamLink made;
  made.base = {{baseStart, baseEnd}, baseEnd - baseStart, {SliceId{0}}};
  made.other = {{otherStart, otherEnd}, otherEnd - otherStart, {SliceId{0}}};
  return made;
}

TEST(SeamGeometry, RibbonsJoinTheTimesOfBothRuns) {
  const std::vector<SeamLink> links{link(100'000, 300'000, 1'050'000, 1'100'000)};
  const TimeScale scale = TimeScale::of(0, 1'000'000, 1000, 1);
  const auto ribbons = ribbonsOf(SeamMatch(links), scale, scale, 0, 1'000'000);
  ASSERT_EQ(ribbons.size(), 1u);
  EXPECT_EQ(ribbons[0].topLeft, 100);
  EXPECT_EQ(ribbons[0].topRight, 300);
  EXPECT_EQ(ribbons[0].bottomLeft, 50);
  EXPECT_EQ(ribbons[0].bottomRight, 100);
  EXPECT_EQ(ribbons[0].change, Change::kFaster);
}

TEST(SeamGeometry, OnlyTheLargestDifferencesShowWhereThereAreTooMany) {
  std::vector<SeamLink> links;
  for (int at = 0; at < 500; ++at)
    links.push_back(link(at * 1000, at * 1000 + 500, at * 1000, at * 1000 + 500 + at * 10));
  const TimeScale scale = TimeScale::of(0, 600'000, 1200, 1);
  const auto ribbons = ribbonsOf(SeamMatch(links), scale, scale, 0, 0, 200);
  ASSERT_EQ(ribbons.size(), 200u);
  EXPECT_EQ(ribbons.front().link, 300u);
}

TEST(SeamGeometry, FindsAllThatReachIntoTheViewAndTheLinkOfASlice) {
  std::mt19937 random(9);
  for (int round = 0; round < 30; ++round) {
    std::vector<SeamLink> links;
    std::int64_t base = 0;
    std::int64_t other = 0;
    for (std::uint32_t at = 0; at < 60; ++at) {
      base += static_cast<std::int64_t>(random() % 3000);
      other += static_cast<std::int64_t>(random() % 3000);
      // Some are long enough to reach over those that follow.
      links.push_back(link(base, base + static_cast<std::int64_t>(random() % (at % 7 == 0 ? 20'000 : 900)), other,
                           other + static_cast<std::int64_t>(random() % 900)));
      links.back().base.slices = {SliceId{3 * at}, SliceId{3 * at + 1}};
    }
    const SeamMatch match(links);
    const TimeScale upper = TimeScale::of(static_cast<double>(random() % 60'000), 9000, 300, 1);
    const TimeScale lower = TimeScale::of(static_cast<double>(random() % 60'000), 4000, 300, 1);
    std::vector<std::uint32_t> wanted;
    for (std::uint32_t at = 0; at < links.size(); ++at) {
      const auto column = [](const TimeScale& scale, std::int64_t ns) {
        return std::floor(scale.deviceXOf(static_cast<double>(ns)));
      };
      const double right =
          std::max(column(upper, links[at].base.range.endNs), column(lower, links[at].other.range.endNs));
      const double left =
          std::min(column(upper, links[at].base.range.startNs), column(lower, links[at].other.range.startNs));
      if (right >= 0 && left <= upper.columns) wanted.push_back(at);
    }
    std::vector<std::uint32_t> found;
    for (const Ribbon& ribbon : ribbonsOf(match, upper, lower, 0, 0)) found.push_back(ribbon.link);
    EXPECT_EQ(found, wanted);
    EXPECT_EQ(match.linkOfUpper(SliceId{31}), &match.links[10]);
    EXPECT_EQ(match.linkOfUpper(SliceId{32}), nullptr);
  }
}

TEST(SeamGeometry, NoiseIsNeutral) {
  EXPECT_EQ(changeOf(100'000, 101'000), Change::kNeutral);
  EXPECT_EQ(changeOf(100'000, 50'000), Change::kFaster);
  EXPECT_EQ(changeOf(50'000, 100'000), Change::kSlower);
  EXPECT_EQ(changeOf(100, 900), Change::kNeutral) << "less than a microsecond";
}

TEST(SeamGeometry, PaintsWhatItHits) {
  const std::vector<SeamLink> links{link(100'000, 300'000, 500'000, 600'000)};
  const TimeScale scale = TimeScale::of(0, 1'000'000, 1000, 1);
  const auto ribbons = ribbonsOf(SeamMatch(links), scale, scale, 0, 0);
  QImage image(1000, 76, QImage::Format_RGB32);
  image.fill(Qt::white);
  paintRibbons(image, {0, 0}, image.rect(), 76, ribbons, 1, [](const Ribbon&) {
    return RibbonInk{qRgb(0, 0, 255), 66, 178};
  });
  int painted = 0;
  for (int y = 0; y < 76; ++y) {
    for (int x = 0; x < 1000; ++x) {
      const bool isPainted = image.pixel(x, y) != qRgb(255, 255, 255);
      const bool isNear = ribbonAt(ribbons, x - 8, y + 0.5, 76) || ribbonAt(ribbons, x + 8, y + 0.5, 76) ||
                          ribbonAt(ribbons, x, y + 0.5, 76);
      if (isPainted) {
        ++painted;
        ASSERT_TRUE(isNear) << x << ' ' << y;
      }
      if (ribbonAt(ribbons, x, y + 0.5, 76)) {
        ASSERT_TRUE(isPainted) << x << ' ' << y;
      }
    }
  }
  EXPECT_GT(painted, 76 * 90);
}

TEST(SeamGeometry, ALabelStandsOnlyWhereItFits) {
  Ribbon wide{0, 400, 100, 500, 0, Change::kFaster, false};
  EXPECT_FALSE(labelBox(wide, 76, 1000, 200, 34).isNull());
  EXPECT_TRUE(labelBox(wide, 76, 1000, 390, 34).isNull());
}

}  // namespace
}  // namespace attnscope::ui
