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

// Vectors of rows: even panels, or whole ones and what is left.
struct Panels {
  TileLayout layout;
  std::vector<KeyRange> seen;  // by vector
  Index count = 0;
  [[nodiscard]] Index firstVector(Index panel) const {
    const auto vectors = static_cast<Index>(seen.size());
    return layout.keyStep > 1 ? std::min(panel * layout.panelVectors, vectors) : panel * vectors / count;
  }
};

Panels panelsOf(const KernelArguments& arguments, const ItemTask& task, const TileLayout& layout) {
  Panels panels{.layout = layout, .seen = {}, .count = 0};
  for (Index row = 0; row < task.rows; row += layout.lanes) {
    panels.seen.push_back(seenByAny(arguments, task, row, std::min<Index>(row + layout.lanes, task.rows)));
  }
  panels.count = (static_cast<Index>(panels.seen.size()) + layout.panelVectors - 1) / layout.panelVectors;
  return panels;
}

struct Span {
  Index from = 0;
  Index to = 0;
  [[nodiscard]] Index size() const { return std::max<Index>(0, to - from); }
};
Span overlap(const KeyRange& range, const Span& block) {
  return {std::max<Index>(range.from, block.from), std::min<Index>(range.to, block.to)};
}

// What a panel computes of a block: each vector its own keys, or all of them whole steps of keys.
Index pairsOf(const Panels& panels, Index panel, const Span& block) {
  const TileLayout& layout = panels.layout;
  const Index first = panels.firstVector(panel);
  const Index end = panels.firstVector(panel + 1);
  Index pairs = 0;
  Span all{block.to, block.from};
  for (Index vector = first; vector < end; ++vector) {
    const Span seen = overlap(panels.seen[static_cast<std::size_t>(vector)], block);
    pairs += seen.size() * layout.lanes;
    if (seen.size() > 0) all = {std::min(all.from, seen.from), std::max(all.to, seen.to)};
  }
  if (layout.keyStep == 1 || pairs == 0) return pairs;
  all.from = block.from + (all.from - block.from) / layout.keyStep * layout.keyStep;
  all.to = std::min(block.from + roundedUp(all.to - block.from, layout.keyStep), block.to);
  return all.size() * (end - first) * layout.lanes;
}

}  // namespace

StepCount countTileSteps(const KernelArguments& arguments, const ItemTask& task, const TileLayout& layout) {
  const Panels panels = panelsOf(arguments, task, layout);
  const KeyRange all = seenByAny(arguments, task, 0, task.rows);
  StepCount count{.steps = 2};
  const Index first = all.from / layout.keyStep * layout.keyStep;
  const Index end = std::min<Index>(roundedUp(all.to, layout.keyStep), task.keys.to);
  visitKeys(arguments, placeOf(arguments, task, 0).query, first, end, task.sizes.keyBlock, [&](Index from, Index to) {
    ++count.steps;
    for (Index panel = 0; panel < panels.count; ++panel) {
      const Index pairs = pairsOf(panels, panel, {from, to});
      if (pairs == 0) continue;
      const Index firstRow = panels.firstVector(panel) * layout.lanes;
      count.steps += 3;
      count.pairs += pairs;
      count.states += std::min<Index>(panels.firstVector(panel + 1) * layout.lanes, task.rows) - firstRow;
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
