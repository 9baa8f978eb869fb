// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Time to pixels and back, and which ticks a ruler has. Pure values, any thread.

#include <cstdint>
#include <vector>

#include <QString>

namespace attnscope::ui {

// Times are aligned ns; x is in logical px from the left edge of the tracks. The left edge is snapped to a whole
// device pixel of absolute time, so that panning moves every slice by whole pixels and no colour flickers.
struct TimeScale {
  double startNs = 0;
  double nsPerDevicePixel = 1;
  double ratio = 1;  // device pixels of a logical one
  int columns = 0;   // device pixels

  [[nodiscard]] static TimeScale of(double startNs, double spanNs, int logicalWidth, double ratio);
  [[nodiscard]] double nsPerPixel() const { return nsPerDevicePixel * ratio; }
  [[nodiscard]] double xOf(double ns) const { return (ns - startNs) / nsPerPixel(); }
  [[nodiscard]] double deviceXOf(double ns) const { return (ns - startNs) / nsPerDevicePixel; }
  [[nodiscard]] double timeAt(double x) const { return startNs + x * nsPerPixel(); }
  [[nodiscard]] double endNs() const { return startNs + columns * nsPerDevicePixel; }
};

// Labels by the 1-2-5 rule, 80 px apart or more, with 4 or 5 small ticks between two.
struct Ticks {
  double stepNs = 1;
  int minor = 5;  // parts of a step
};
inline constexpr int kLeastTickPixels = 80;  // of text at 100 %
[[nodiscard]] Ticks chooseTicks(double nsPerPixel, int leastPixels = kLeastTickPixels);
// Times of the labels in [startNs, endNs].
[[nodiscard]] std::vector<double> tickTimes(const Ticks& ticks, double startNs, double endNs);
// "200 µs", "1.0 ms", "−30 µs", "0": as few decimals as the step needs, at most 4.
[[nodiscard]] QString tickText(double ns, double stepNs);
// A place on the ruler to the pixel: "98.6 µs", "23.436 ms".
[[nodiscard]] QString placeText(double ns, double nsPerPixel);

}  // namespace attnscope::ui
