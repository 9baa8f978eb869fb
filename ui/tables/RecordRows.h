// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Rows that are records themselves: the slices of a selection, the steps, the memory events. Pure functions, any
// thread, O(n log n).

#include "ui/tables/KernelRows.h"

namespace attnscope::ui {

// Slices of one run; `anchorNs` is the own time of the ruler's zero.
struct RecordInput {
  RunInput run;
  std::int64_t anchorNs = 0;
  std::vector<SliceId> slices;  // of the selection; not for the others
};

// With the run's letter in a column of its own where there are several.
[[nodiscard]] SharedRows sliceRows(const std::vector<RecordInput>& inputs);
// Steps in scope with what the device did in each.
[[nodiscard]] SharedRows stepRows(const std::vector<RecordInput>& inputs);
// Allocations and frees in scope. A row stands for the operator that was open.
[[nodiscard]] SharedRows memoryEventRows(const std::vector<RecordInput>& inputs);

}  // namespace attnscope::ui
