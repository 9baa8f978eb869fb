// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/SeamGeometry.h"

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
  const auto ribbons = ribbonsOf(links, scale, 0, 1'000'000);
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
  const auto ribbons = ribbonsOf(links, TimeScale::of(0, 600'000, 1200, 1), 0, 0, 200);
  ASSERT_EQ(ribbons.size(), 200u);
  EXPECT_EQ(ribbons.front().link, 300u);
}

TEST(SeamGeometry, NoiseIsNeutral) {
  EXPECT_EQ(changeOf(100'000, 101'000), Change::kNeutral);
  EXPECT_EQ(changeOf(100'000, 50'000), Change::kFaster);
  EXPECT_EQ(changeOf(50'000, 100'000), Change::kSlower);
  EXPECT_EQ(changeOf(100, 900), Change::kNeutral) << "less than a microsecond";
}

TEST(SeamGeometry, PaintsWhatItHits) {
  const std::vector<SeamLink> links{link(100'000, 300'000, 500'000, 600'000)};
  const auto ribbons = ribbonsOf(links, TimeScale::of(0, 1'000'000, 1000, 1), 0, 0);
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
