// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Rows of the kernels table: kernels of one trace, leaf operators where no device worked, and both side by side for two
// or more runs. Pure functions, any thread; O(n log n) of the calls.

#include <memory>
#include <vector>

#include "core/compare/Comparison.h"
#include "ui/tables/TableRows.h"

namespace attnscope::ui {

// A run as the tables see it. `tables` and `facts` are not null.
struct RunInput {
  int runNumber = 0;
  QString letter;
  std::shared_ptr<const RunFacts> facts;
  std::shared_ptr<const RunTables> tables;
};

using SharedRows = std::shared_ptr<const TableRows>;

// `kindTitles` by WorkKind: heads of the groups.
[[nodiscard]] SharedRows kernelRows(const RunInput& run, KernelGrouping grouping, const QStringList& kindTitles);
[[nodiscard]] SharedRows leafOperatorRows(const RunInput& run, const QStringList& kindTitles);
// Baseline first. `comparison` is of these runs in this order.
[[nodiscard]] SharedRows comparedKernelRows(const std::vector<RunInput>& runs, const Comparison& comparison,
                                            const QStringList& kindTitles);
// By name; the sums are those of each run's leaf operators.
[[nodiscard]] SharedRows comparedLeafRows(const std::vector<RunInput>& runs, const QStringList& kindTitles);

}  // namespace attnscope::ui
