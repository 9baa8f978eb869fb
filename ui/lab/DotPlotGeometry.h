// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Where the dots of the timed samples lie. Pure functions.

#include <cstdint>
#include <span>
#include <vector>

#include "ui/bridge/Format.h"

namespace attnscope::ui {

// From 0 to `endNs`, a tick each `stepNs`, in one unit.
struct DotAxis {
  double endNs = 1;
  double stepNs = 1;
  format::TimeUnit unit = format::TimeUnit::kNs;
  int decimals = 0;  // of the ticks' labels
};
// That holds `largestNs`, with ticks by the 1-2-5 rule at least `leastPx` apart on `widthPx`.
[[nodiscard]] DotAxis dotAxisFor(double largestNs, double widthPx, double leastPx);
[[nodiscard]] double dotX(const DotAxis& axis, double ns, double leftPx, double widthPx);  // not clamped
// How far a round's dot lies off its row's middle, -1 to 1: spread evenly, and the same each time.
[[nodiscard]] double dotOffset(int round);
// The largest value that the axis is to hold: of each row the bulk, so that one call that was held up does not press
// all others together. 0 for none.
[[nodiscard]] double dotLimit(std::span<const std::vector<double>> rows);

}  // namespace attnscope::ui
