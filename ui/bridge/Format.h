// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// How numbers are written in the window: one place, so that a number is the same everywhere. Decimal point and
// grouping by QLocale; U+2212 for minus, U+202F for groups, "µs"; "–" for unknown. Pure functions.

#include <cstdint>
#include <string>

#include <QString>

namespace attnscope::ui::format {

enum class TimeUnit : std::uint8_t { kNs, kUs, kMs, kS };
[[nodiscard]] QString unitName(TimeUnit unit);  // "ns", "µs", "ms", "s"
// The unit in which the largest of a column's values has one to four digits before the point.
[[nodiscard]] TimeUnit unitFor(std::int64_t largestNs);
// "689.4" in the unit given; `decimals` after the point.
[[nodiscard]] QString timeIn(double ns, TimeUnit unit, int decimals = 1);
// With its own unit: "47.6 µs", "1.142 ms".
[[nodiscard]] QString time(double ns);
// With sign: "−641.8 µs", "+3.2 ms", "±0 ns".
[[nodiscard]] QString signedTime(double ns);

enum class ByteUnit : std::uint8_t { kB, kKiB, kMiB, kGiB };
[[nodiscard]] QString unitName(ByteUnit unit);
[[nodiscard]] ByteUnit byteUnitFor(std::int64_t largestBytes);
[[nodiscard]] QString bytesIn(double bytes, ByteUnit unit);  // three digits
[[nodiscard]] QString bytes(double bytes);                   // "601 MiB"
[[nodiscard]] QString signedBytes(double bytes);
[[nodiscard]] QString fileSize(double bytes);  // "18.4 MB": powers of ten, as file managers say

[[nodiscard]] QString count(std::int64_t value);                      // "31 406"
[[nodiscard]] QString percent(double share, int decimals = 1);        // 0.568 -> "56.8 %"
[[nodiscard]] QString signedPercent(double share, int decimals = 1);  // "−56.8 %"
// Figures only, without the unit sign, for columns whose head has it: "−56.8".
[[nodiscard]] QString signedNumber(double value, int decimals = 1);
// Ratio of the slower to the faster: "2.31×"; below 1.10 a percentage: "4.2 %".
[[nodiscard]] QString ratio(double ratio);
// A relative error as people write it: "1.9e-3", "0", "not finite".
[[nodiscard]] QString relativeError(double error);
[[nodiscard]] QString unknown();  // "–"
// Sentences of the core, which writes "12.3 us" for terminals of any kind: "12.3 µs".
[[nodiscard]] QString sentence(const std::string& text);

}  // namespace attnscope::ui::format
