// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/MeasuredArea.h"

#include <algorithm>
#include <cmath>
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

TEST(FoundColumns, AreThoseThatAnyOfThemCovers) {
  std::mt19937 random(31);
  for (int round = 0; round < 200; ++round) {
    FoundRow row;
    std::int64_t at = -500;
    const bool isDense = round % 2 == 0;
    for (int slice = static_cast<int>(random() % 300); slice > 0; --slice) {
      at += static_cast<std::int64_t>(random() % (isDense ? 4 : 60));
      row.startNs.push_back(at);
      at += static_cast<std::int64_t>(random() % (random() % 9 == 0 ? 400 : 5));
      row.endNs.push_back(at);
    }
    const std::int64_t anchor = static_cast<std::int64_t>(random() % 100) - 50;
    const TimeScale scale =
        TimeScale::of(static_cast<double>(random() % 800), 100.0 + static_cast<double>(random() % 4000), 90, 1);
    std::vector<bool> wanted(static_cast<std::size_t>(scale.columns), false);
    for (std::size_t slice = 0; slice < row.startNs.size(); ++slice) {
      const double x0 = std::floor(scale.deviceXOf(static_cast<double>(row.startNs[slice] - anchor)));
      const double x1 = std::floor(scale.deviceXOf(static_cast<double>(row.endNs[slice] - anchor)));
      for (double x = std::max(0.0, x0); x < std::min<double>(std::max(x0 + 1, x1), scale.columns); ++x) {
        wanted[static_cast<std::size_t>(x)] = true;
      }
    }
    std::vector<bool> found(wanted.size(), false);
    int last = -1;
    for (const auto& [x0, x1] : foundColumns(row, scale, anchor)) {
      EXPECT_GT(x0, last);
      EXPECT_GT(x1, x0);
      last = x1;
      for (int x = x0; x < std::min(x1, scale.columns); ++x) found[static_cast<std::size_t>(x)] = true;
    }
    // One that ends at the very edge of the view has a column of its own that may be drawn or not.
    wanted[0] = found[0] = false;
    EXPECT_EQ(found, wanted) << round;
  }
}

}  // namespace
}  // namespace attnscope::ui
