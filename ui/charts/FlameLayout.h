// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Where the boxes of a flame graph stand: operators by their path, as wide as their share of the whole, children over
// or under their parent, the widest first. Built once in a worker, then immutable. O(n log n) in the paths.

#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include <QString>

#include "core/analysis/OperatorPaths.h"
#include "ui/bridge/Run.h"

namespace attnscope::ui {

enum class FlameWeight : std::uint8_t { kHostTime, kDeviceTime };

struct FlameBox {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  std::uint32_t parent = kNone;  // box; it stands before
  std::uint16_t depth = 0;
  double start = 0;  // of the whole, which is 1
  double width = 0;
  std::uint32_t row = 0;  // of the table
};

struct FlameGraph {
  int runNumber = -1;
  std::shared_ptr<const RunFacts> facts;
  PathTable table;
  FlameWeight weight = FlameWeight::kHostTime;
  std::int64_t wholeNs = 0;
  int depths = 0;
  std::vector<FlameBox> boxes;  // by depth, then start

  [[nodiscard]] std::int64_t totalNs(std::uint32_t box) const;
  [[nodiscard]] std::int64_t selfNs(std::uint32_t box) const;
  [[nodiscard]] QString name(std::uint32_t box) const;
  [[nodiscard]] const PathRow& row(std::uint32_t box) const { return table.rows[boxes[box].row]; }
  // Box at a depth and place of the whole; kNone: nothing is there. O(log n).
  [[nodiscard]] std::uint32_t boxAt(int depth, double place) const;
  [[nodiscard]] std::uint32_t firstChild(std::uint32_t box) const;                // the widest; kNone
  [[nodiscard]] std::uint32_t neighbour(std::uint32_t box, int direction) const;  // on its depth; kNone
};

// Paths without time have no box.
[[nodiscard]] std::shared_ptr<const FlameGraph> flameGraph(int runNumber, std::shared_ptr<const RunFacts> facts,
                                                           TimeRange scope, PathGrouping grouping, FlameWeight weight,
                                                           const std::stop_token& stop = {});

}  // namespace attnscope::ui
