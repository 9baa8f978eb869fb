// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/PaintTeam.h"

#include <atomic>
#include <random>

#include <gtest/gtest.h>

#include <QApplication>

#include "tests/unit/timeline/HandMadeRun.h"
#include "ui/timeline/PanePainter.h"

namespace attnscope::ui {
namespace {

TEST(PaintTeam, EveryPieceIsDrawnOnceHoweverManyFramesFollow) {
  PaintTeam team(4);
  for (std::size_t count = 0; count < 300; ++count) {
    std::vector<std::atomic<int>> drawn(count);
    std::vector<std::atomic<int>> atWork(4);
    std::atomic<int> wrong = 0;
    team.share(count, [&](std::size_t piece, int hand) {
      if (hand < 0 || hand >= 4 || ++atWork[static_cast<std::size_t>(hand)] > 1) ++wrong;
      ++drawn[piece];
      --atWork[static_cast<std::size_t>(hand)];
    });
    ASSERT_EQ(wrong, 0) << "a hand draws one piece at a time";
    for (const std::atomic<int>& times : drawn) ASSERT_EQ(times, 1);
  }
}

// Threads with rows of slices below one another, a stream with gaps between kernels.
std::shared_ptr<const RunFacts> manyRows() {
  std::mt19937 random(3);
  std::vector<HandTrack> tracks;
  for (int thread = 0; thread < 4; ++thread) {
    HandTrack& track = tracks.emplace_back(HandTrack{TrackKind::kThread, "thread " + std::to_string(thread), {}});
    for (int depth = 0; depth < 6; ++depth) {
      for (int at = 0; at < 60; ++at) {
        const auto length = static_cast<std::int64_t>(1000 + random() % (15'000 >> depth));
        track.slices.push_back({at % 7 == 0 ? "gr\xC3\xB6\xC3\x9F"
                                              "er"
                                            : "aten::add",
                                "cpu_op", at * 16'000, length, depth});
      }
    }
  }
  HandTrack& stream = tracks.emplace_back(HandTrack{TrackKind::kStream, "stream 7", {}});
  for (int at = 0; at < 60; ++at) {
    stream.slices.push_back({at % 2 == 0 ? "sgemm_nn" : "softmax_warp_forward", "kernel", at * 16'000, 9000, 0});
  }
  return makeFacts(tracks, 4);
}

TEST(PaintTeam, AFrameOfManyHandsIsThatOfOne) {
  Theme theme;
  theme.apply(*qApp, ThemeChoice::kLight);
  Session session;
  TimelineState state;
  const auto tracks = makeDisplayTracks(manyRows());
  RunModel model(tracks);
  model.setIndexes(makeDisplayIndexes(*tracks));
  const PaneLayout layout = layoutPane(*tracks, PaneRole::kAlone, TrackArrangement::of(*tracks), {});
  const SelectedRows nothing;
  const FoundRows found = foundRows(*tracks, {SliceId{3}, SliceId{40}, SliceId{500}});
  PaneScene scene;
  scene.session = &session;
  scene.theme = &theme;
  scene.state = &state;
  scene.model = &model;
  scene.layout = &layout;
  scene.selected = &nothing;
  scene.found = &found;
  scene.size = QSize(1200, 500);  // some rows are cut off below
  for (const double spanNs : {1e6, 2e5, 2e4}) {
    scene.scale = TimeScale::of(100'000, spanNs, scene.trackWidth(), 1);
    const auto painted = [&](int hands) {
      PaneInk ink{.palette = {}, .atlas = {}, .team = PaintTeam(hands)};
      PaneBuffer buffer;
      ink.prepare(theme, 1);
      QImage image(scene.size, QImage::Format_RGB32);
      image.fill(Qt::magenta);
      QPainter painter(&image);
      paintTracks(painter, QRegion(QRect(QPoint(0, 0), scene.size)), scene, ink, buffer);
      return image;
    };
    const QImage alone = painted(1);
    EXPECT_EQ(painted(4), alone) << spanNs;
    for (int y = 0; y < alone.height(); ++y) {
      ASSERT_NE(alone.pixelColor(700, y), QColor(Qt::magenta)) << "line " << y << " was left out";
    }
  }
}

}  // namespace
}  // namespace attnscope::ui
