// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Rows as text for other programs: units in the head, ASCII minus and "us", a decimal point in every locale, times to
// the nanosecond and bytes to the byte. Unknown is an empty cell. Pure functions, any thread.

#include <span>

#include <QString>

#include "ui/tables/TableRows.h"

namespace attnscope::ui {

// Columns `shown` of the rows given, in that order. Names in full.
[[nodiscard]] QString tabSeparated(const TableRows& rows, std::span<const std::uint32_t> which,
                                   std::span<const int> shown);
// The same as a Markdown table, with the short names that the window shows.
[[nodiscard]] QString markdown(const TableRows& rows, std::span<const std::uint32_t> which, std::span<const int> shown);

// The same as comma-separated values (RFC 4180), names in full.
[[nodiscard]] QString commaSeparated(const TableRows& rows, std::span<const std::uint32_t> which,
                                     std::span<const int> shown);
// An array of objects: keys are titles in lower case, with the run's letter and `_ns`, `_bytes` or `_share` after them,
// as the command line's; unknown is null. Names in full.
[[nodiscard]] QString json(const TableRows& rows, std::span<const std::uint32_t> which, std::span<const int> shown);

}  // namespace attnscope::ui
