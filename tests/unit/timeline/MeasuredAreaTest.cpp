// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/MeasuredArea.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "tests/unit/timeline/HandMadeRun.h"
#include "ui/timeline/PaneScene.h"

namespace attnscope::ui {
namespace {

// A thread that is split into modules and operators, and a stream: rows of both sorts.
std::shared_ptr<const DisplayTracks> randomTracks(std::mt19937& random) {
  HandTrack thread{TrackKind::kThread, "python", {}};
  HandTrack stream{TrackKind::kStream, "stream 7", {}};
  std::int64_t at = 0;
  for (int slice = 0; slice < 200; ++slice) {
    at += 10 + static_cast<std::int64_t>(random() % 50);
    const auto duration = static_cast<std::int64_t>(random() % 10);
    const bool isModule = random() % 3 == 0;
    thread.slices.push_back(
        {isModule ? "nn.Module: Linear_0" : "aten::mm", isModule ? "python_function" : "cpu_op", at, duration, 0});
    stream.slices.push_back({"gemm", "kernel", at + 3, duration, 0});
  }
  return makeDisplayTracks(makeFacts({thread, stream}, 1));
}

TEST(MeasuredArea, HoldsWhatOverlapsItOnce) {
  std::mt19937 random(21);
  for (int round = 0; round < 20; ++round) {
    const auto tracks = randomTracks(random);
    const SliceTable& table = tracks->facts->trace->slices;
    MeasuredArea area;
    area.run = 0;
    area.tracks = tracks;
    const auto from = static_cast<std::int64_t>(random() % 5000);
    area.own = {from, from + static_cast<std::int64_t>(random() % 3000)};
    std::vector<SliceId> wanted;
    for (int track = 0; track < static_cast<int>(tracks->tracks.size()); ++track) {
      const std::vector<DisplayRow>& rows = tracks->tracks[static_cast<std::size_t>(track)].rows;
      for (int row = 0; row < static_cast<int>(rows.size()); ++row) {
        if (random() % 3 == 0) continue;
        area.rows.emplace_back(track, row);
        for (std::uint32_t at = 0; at < rows[static_cast<std::size_t>(row)].size(); ++at) {
          const SliceId slice = rows[static_cast<std::size_t>(row)].slice(at);
          if (table.endNs(slice) > area.own.startNs && table.startNs[index(slice)] < area.own.endNs) {
            wanted.push_back(slice);
          }
        }
      }
    }
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    EXPECT_EQ(slicesOf(area), wanted);
    EXPECT_LE(slicesOf(area, 3).size(), 3U);
  }
}

TEST(SelectedRows, AreTheSameOfFewAndOfMany) {
  std::mt19937 random(4);
  std::vector<SliceId> all;
  HandTrack thread{TrackKind::kThread, "python", {}};
  for (int slice = 0; slice < 3000; ++slice) {
    const bool isModule = random() % 3 == 0;
    thread.slices.push_back(
        {isModule ? "nn.Module: Linear_0" : "aten::mm", isModule ? "python_function" : "cpu_op", slice * 10, 5, 0});
    if (random() % 2 == 0) all.push_back(SliceId{static_cast<std::uint32_t>(slice)});
  }
  const auto tracks = makeDisplayTracks(makeFacts({thread}, -1));
  ASSERT_GT(all.size(), 1000U);
  const SelectedRows many = selectedRows(*tracks, all);
  SelectedRows few;
  for (const SliceId slice : all) {
    for (const SlicePlace& place : tracks->findAll(slice)) few[{place.track, place.row}].push_back(place.position);
  }
  for (auto& [where, positions] : few) std::sort(positions.begin(), positions.end());
  EXPECT_EQ(many, few);
}

}  // namespace
}  // namespace attnscope::ui
