// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Rows of the operators table, of one trace and of several side by side. Pure function, any thread.

#include "ui/tables/KernelRows.h"

namespace attnscope::ui {

// Baseline first. Columns of device time and of memory are there where any run has some.
[[nodiscard]] SharedRows operatorRows(const std::vector<RunInput>& runs, OperatorGrouping grouping);

}  // namespace attnscope::ui
