// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The rows of the Compare tab: groups of matched calls in the comparison's order, so that row i is group i, with their
// times in each run, the change and what it contributes to the whole change. Where all runs have device work the
// kernels that a group's calls launched follow as rows under it, those of all runs that share a name as one; they sum
// to their group. Pure; any thread. O(calls and kernels).

#include <memory>
#include <vector>

#include "core/compare/Comparison.h"
#include "ui/tables/KernelRows.h"

namespace attnscope::ui {

// Baseline first; `comparison` is of these runs in this order. Times are host self time where some run has no device
// work, else device time; a step's or a call's where that is wanted.
[[nodiscard]] SharedRows comparedGroupRows(const std::vector<RunInput>& runs, const Comparison& comparison,
                                           Normalisation normalisation, const QStringList& kindTitles);

// What the difference of a run is made of, largest first, in at most `count` lines: "−1.23 ms, 84.0 % of what B differs
// by: aten::bmm → …".
[[nodiscard]] QStringList changeLines(const std::vector<RunInput>& runs, const Comparison& comparison, std::size_t run,
                                      std::size_t count);
// "Peak memory cuda:0: A 601 MiB, B 12.0 MiB", one a device; empty where none was recorded.
[[nodiscard]] QStringList peakLines(const std::vector<RunInput>& runs, const Comparison& comparison);

}  // namespace attnscope::ui
