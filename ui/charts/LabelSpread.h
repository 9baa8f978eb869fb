// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Where the labels of horizontal lines stand in the column beside a chart: each as near to its line as it can be, in
// the order of the lines, none over another. Pure; any thread.

#include <optional>
#include <vector>

namespace attnscope::ui {

struct LabelWish {
  double y = 0;      // of the line, down the screen
  int priority = 0;  // where not all fit, labels of the largest number go first
};
// Middles of the labels, each `height` high, between `top` and `bottom`; none for those that have no room. O(n^2).
[[nodiscard]] std::vector<std::optional<double>> spreadLabels(const std::vector<LabelWish>& wishes, double height,
                                                              double top, double bottom);

}  // namespace attnscope::ui
