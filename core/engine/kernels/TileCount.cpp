// SPDX-License-Identifier: Apache-2.0
#include "core/engine/kernels/TileCount.h"

#include <algorithm>
#include <vector>

#include "core/engine/kernels/KernelTypes.h"

namespace attnscope::kernels {
namespace {

// Keys that any of these rows sees; from >= to where none does.
KeyRange seenByAny(const KernelArguments& arguments, const ItemTask& task, Index firstRow, Index endRow) {
  KeyRange all{task.keys.to, task.keys.from};
  for (Index row = firstRow; row < endRow; ++row) {
    const KeyRange range = keysOf(arguments, task, placeOf(arguments, task, row).query);
    if (range.from >= range.to) continue;
    all.from = std::min(all.from, range.from);
    all.to = std::max(all.to, range.to);
  }
  return all;
}

// Vectors of rows, as even panels.
struct Panels {
  std::vector<KeyRange> seen;  // by vector
  Index count = 0;
  [[nodiscard]] Index firstVector(Index panel) const { return panel * static_cast<Index>(seen.size()) / count; }
};

Panels panelsOf(const KernelArguments& arguments, const ItemTask& task, const KernelTable& table) {
  Panels panels;
  for (Index row = 0; row < task.rows; row += table.lanes) {
    panels.seen.push_back(seenByAny(arguments, task, row, std::min<Index>(row + table.lanes, task.rows)));
  }
  panels.count = (static_cast<Index>(panels.seen.size()) + table.panelVectors - 1) / table.panelVectors;
  return panels;
}

Index overlap(const KeyRange& range, Index from, Index to) {
  return std::max<Index>(0, std::min<Index>(range.to, to) - std::max<Index>(range.from, from));
}

}  // namespace

StepCount countTileSteps(const KernelArguments& arguments, const ItemTask& task, const KernelTable& table) {
  const Panels panels = panelsOf(arguments, task, table);
  const KeyRange all = seenByAny(arguments, task, 0, task.rows);
  StepCount count{.steps = 2};
  visitKeys(arguments, placeOf(arguments, task, 0).query, all.from, all.to, task.sizes.keyBlock,
            [&](Index from, Index to) {
              ++count.steps;
              for (Index panel = 0; panel < panels.count; ++panel) {
                const Index first = panels.firstVector(panel);
                const Index end = panels.firstVector(panel + 1);
                Index pairs = 0;
                for (Index vector = first; vector < end; ++vector) {
                  pairs += overlap(panels.seen[static_cast<std::size_t>(vector)], from, to) * table.lanes;
                }
                if (pairs == 0) continue;
                count.steps += 3;
                count.pairs += pairs;
                count.states += std::min<Index>(end * table.lanes, task.rows) - first * table.lanes;
              }
            });
  return count;
}

StepCount countDotSteps(const KernelArguments& arguments, const ItemTask& task) {
  const KeyRange all = seenByAny(arguments, task, 0, task.rows);
  StepCount count{.steps = 2};
  visitKeys(arguments, placeOf(arguments, task, 0).query, all.from, all.to, kDotBlock, [&](Index from, Index to) {
    count.steps += 3;
    count.states += task.rows;
    count.pairs += task.rows * (to - from);
  });
  return count;
}

}  // namespace attnscope::kernels
