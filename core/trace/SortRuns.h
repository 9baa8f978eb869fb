// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace attnscope {

// Sorts what consists of a few stretches that are each in order, as recorders write a thread and as rows follow one
// another: those are merged. O(n log stretches); what has many stretches is sorted as any other. Not stable.
template <class Item, class Before>
void sortRuns(std::vector<Item>& items, Before before) {
  constexpr std::size_t kMostRuns = 32;
  std::vector<std::ptrdiff_t> runs{0};
  for (std::size_t i = 1; i < items.size() && runs.size() <= kMostRuns; ++i)
    if (before(items[i], items[i - 1])) runs.push_back(static_cast<std::ptrdiff_t>(i));
  if (runs.size() == 1) return;
  if (runs.size() > kMostRuns) {
    std::sort(items.begin(), items.end(), before);
    return;
  }
  runs.push_back(static_cast<std::ptrdiff_t>(items.size()));
  while (runs.size() > 2) {
    std::vector<std::ptrdiff_t> merged{0};
    for (std::size_t i = 0; i + 2 < runs.size(); i += 2) {
      std::inplace_merge(items.begin() + runs[i], items.begin() + runs[i + 1], items.begin() + runs[i + 2], before);
      merged.push_back(runs[i + 2]);
    }
    if (merged.back() != runs.back()) merged.push_back(runs.back());
    runs = std::move(merged);
  }
}

}  // namespace attnscope
