// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/SliceRaster.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/unit/timeline/HandMadeRun.h"

namespace attnscope::ui {
namespace {

class NoNames : public RowNames {
 public:
  std::string_view label(SliceId) const override { return text; }
  bool isUnfinished(SliceId) const override { return torn; }
  std::string text;
  bool torn = false;
};

class Raster : public testing::TestWithParam<double> {
 protected:
  void draw(double ratio, std::uint32_t filter = 0, int scopeTo = -1) {
    const int columns = static_cast<int>(200 * ratio);
    image = QImage(columns, static_cast<int>(18 * ratio), QImage::Format_RGB32);
    image.fill(Qt::magenta);
    palette = RasterPalette::of(theme);
    atlas.build(theme.font(FontRole::kData), ratio);
    SliceRaster raster({&image, {0, 0}, image.rect()}, palette, atlas, ratio, 0, columns);
    raster.setKindFilter(filter);
    if (scopeTo >= 0) raster.setScope(0, scopeTo);
    const DisplayRow& row = tracks->tracks[0].rows[0];
    const RowColumns rowColumns = row.columns(*facts);
    std::vector<RowRun> runs;
    RowIndex().query(rowColumns, 0, 1000 / ratio, columns, runs);
    const auto px = [&](int y) { return static_cast<int>(y * ratio); };
    raster.row({0, px(18), 0, px(17)}, row, rowColumns, 0, 200'000, runs, names);
  }

  Theme theme;
  NoNames names;
  GlyphAtlas atlas;
  RasterPalette palette;
  QImage image;
  std::shared_ptr<const RunFacts> facts = makeFacts({{TrackKind::kStream,
                                                      "stream 7",
                                                      {{"sgemm_nn", "kernel", 10'000, 20'000, 0},
                                                       {"softmax_warp_forward", "kernel", 30'000, 60'000, 0},
                                                       {"sgemm_nn", "kernel", 100'000, 1'000, 0}}}},
                                                    0);
  std::shared_ptr<const DisplayTracks> tracks = makeDisplayTracks(facts);
};

TEST_P(Raster, SlicesStandWhereTheirTimesAre) {
  const double ratio = GetParam();
  draw(ratio);
  const auto at = [&](double x, double y) {
    return image.pixel(static_cast<int>(x * ratio), static_cast<int>(y * ratio));
  };
  const KindInk& gemm = palette.ink(Shade::kPlain, static_cast<std::uint8_t>(WorkKind::kGemm));
  const KindInk& softmax = palette.ink(Shade::kPlain, static_cast<std::uint8_t>(WorkKind::kSoftmax));
  EXPECT_EQ(at(5, 8), palette.pane);
  EXPECT_EQ(at(20, 8), gemm.fill);
  EXPECT_EQ(at(10, 8), gemm.edge) << "left edge";
  EXPECT_EQ(at(20, 0), gemm.edge) << "upper edge";
  EXPECT_EQ(at(29.5, 8), gemm.edge) << "right edge";
  EXPECT_EQ(at(30, 8), softmax.edge) << "its neighbour's left edge";
  EXPECT_EQ(at(60, 8), softmax.fill);
  EXPECT_EQ(at(60, 16.2), softmax.edge) << "lower edge";
  EXPECT_EQ(at(95, 8), palette.pane);
  EXPECT_EQ(at(100, 8), gemm.fill) << "a pixel wide: no edge";
  EXPECT_EQ(at(60, 17.2), palette.pane) << "the line between rows";
}

TEST_P(Raster, TheSameAtTwiceTheSizeIsTwiceTheSame) {
  draw(1);
  const QImage single = image;
  draw(2);
  for (int x = 0; x < 200; ++x) ASSERT_EQ(image.pixel(2 * x, 17), single.pixel(x, 8)) << x;
}

TEST_P(Raster, WhatTheLegendLeavesOutIsFaded) {
  const double ratio = GetParam();
  draw(ratio, 1u << static_cast<unsigned>(WorkKind::kSoftmax));
  const auto at = [&](double x) { return image.pixel(static_cast<int>(x * ratio), static_cast<int>(8 * ratio)); };
  EXPECT_EQ(at(20), palette.ink(Shade::kFaded, static_cast<std::uint8_t>(WorkKind::kGemm)).fill);
  EXPECT_EQ(at(60), palette.ink(Shade::kPlain, static_cast<std::uint8_t>(WorkKind::kSoftmax)).fill);
}

TEST_P(Raster, WhatIsOutOfScopeIsVeiled) {
  const double ratio = GetParam();
  draw(ratio, 0, static_cast<int>(60 * ratio));
  const auto at = [&](double x) { return image.pixel(static_cast<int>(x * ratio), static_cast<int>(8 * ratio)); };
  const auto softmax = static_cast<std::uint8_t>(WorkKind::kSoftmax);
  EXPECT_EQ(at(50), palette.ink(Shade::kPlain, softmax).fill);
  EXPECT_EQ(at(70), palette.ink(Shade::kVeiled, softmax).fill);
}

TEST_P(Raster, ALabelIsWrittenFrom30Pixels) {
  const double ratio = GetParam();
  draw(ratio);
  const QImage without = image;
  names.text = "softmax";
  draw(ratio);
  const auto differs = [&](int from, int to) {
    for (int x = static_cast<int>(from * ratio); x < static_cast<int>(to * ratio); ++x) {
      for (int y = 0; y < image.height(); ++y) {
        if (image.pixel(x, y) != without.pixel(x, y)) return true;
      }
    }
    return false;
  };
  EXPECT_TRUE(differs(30, 90));
  EXPECT_FALSE(differs(0, 30)) << "20 px: too narrow";
}

TEST_P(Raster, ALabelWithoutRoomLosesItsNamespacesFirst) {
  const double ratio = GetParam();
  names.text = "softmax";
  draw(ratio);
  const QImage plain = image;
  names.text = "a_long_namespace::inside::softmax";
  draw(ratio);
  EXPECT_EQ(image, plain);
  names.text = "void kernel<std::softmax>(int, float)";  // no namespaces of a word
  draw(ratio);
  EXPECT_NE(image, plain);
}

TEST_P(Raster, ALabelOfLessThanThreeLettersIsLeftOut) {
  const double ratio = GetParam();
  draw(ratio);
  const QImage without = image;
  names.text = "WWWWWWWWWWWWWWWW";  // the widest letter: 50 px hold three of them and the ellipsis
  draw(ratio);
  EXPECT_NE(image, without);
  theme.setTextScale(2);
  draw(ratio);
  EXPECT_EQ(image, without) << "two letters and an ellipsis";
}

TEST_P(Raster, AnUnfinishedSliceIsTorn) {
  names.torn = true;
  draw(GetParam());
  const int x = static_cast<int>(90 * GetParam()) - 1;
  int gaps = 0;
  for (int y = 0; y < image.height() - static_cast<int>(GetParam()); ++y)
    gaps += image.pixel(x, y) == palette.pane ? 1 : 0;
  EXPECT_GT(gaps, 3);
}

TEST_P(Raster, IdleTimeIsHatchedByLinesOf45Degrees) {
  const double ratio = GetParam();
  draw(ratio);
  const QRgb hatch = qRgb(1, 2, 3);
  const auto px = [&](int logical) { return static_cast<int>(std::lround(logical * ratio)); };
  const int x0 = px(110);
  const int x1 = px(190);
  const QImage before = image;
  SliceRaster raster({&image, {0, 0}, image.rect()}, palette, atlas, ratio, 0, image.width());
  raster.gap({0, image.height(), 0, px(17)}, x0, x1, {}, hatch);
  const int edge = static_cast<int>(std::lround(ratio));
  int hatched = 0;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      const bool isInside = x >= x0 + px(2) && x < x1 - px(2) && y < px(17);
      const int along = ((x - x1 + y) % px(6) + px(6)) % px(6);
      const bool isLine = isInside && along < edge;
      ASSERT_EQ(image.pixel(x, y), isLine ? hatch : before.pixel(x, y)) << x << ' ' << y;
      hatched += isLine ? 1 : 0;
    }
  }
  EXPECT_GT(hatched, px(17) * px(10));
}

INSTANTIATE_TEST_SUITE_P(Ratios, Raster, testing::Values(1.0, 1.5, 2.0));

TEST(GlyphAtlas, CutsWithAnEllipsisWhatDoesNotFit) {
  const Theme theme;
  GlyphAtlas atlas;
  atlas.build(theme.font(FontRole::kData), 1);
  const auto whole = atlas.fit("aten::linear", 1000);
  EXPECT_FALSE(whole.isCut);
  EXPECT_EQ(whole.count, 12u);
  const auto cut = atlas.fit("aten::linear", whole.width - 1);
  EXPECT_TRUE(cut.isCut);
  EXPECT_LT(cut.count, 12u);
  EXPECT_LE(cut.width, whole.width - 1);
  EXPECT_FALSE(GlyphAtlas::canDraw("Σ"));
}

}  // namespace
}  // namespace attnscope::ui
