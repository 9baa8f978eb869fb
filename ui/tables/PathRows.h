// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Rows of the operators table as a tree: by call, by module and layer, or by Python frame. Pure function, any thread.

#include "core/analysis/OperatorPaths.h"
#include "ui/tables/KernelRows.h"

namespace attnscope::ui {

// Of one run, which `isOneOfSeveral` says where others are open. Columns of device time and of memory are there where
// the run has some.
[[nodiscard]] SharedRows pathRows(const RunInput& run, PathGrouping grouping, bool isOneOfSeveral);

}  // namespace attnscope::ui
