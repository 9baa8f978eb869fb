// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Rows of the table of what is selected. Pure function, any thread; O(n log n) of the slices.

#include "core/analysis/SliceAggregate.h"
#include "ui/tables/KernelRows.h"

namespace attnscope::ui {

[[nodiscard]] SharedRows aggregateRows(const SliceAggregate& aggregate, AggregateBy by, int runNumber,
                                       const std::shared_ptr<const RunFacts>& facts);

}  // namespace attnscope::ui
