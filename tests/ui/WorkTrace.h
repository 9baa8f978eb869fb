// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A trace of some training steps as PyTorch Profiler writes them, small and known: in each step attention forward, a
// projection, a backward pass on a thread of its own, kernels on two streams, allocations, a counter. Times in µs.

#include <QByteArray>

namespace attnscope::ui::test {

struct WorkTrace {
  int steps = 3;
  double kernelScale = 1;  // of every kernel's length
  int lateStep = -1;       // the step in which the host launches its kernels late; -1: none
};

inline constexpr double kStepUs = 2000;

[[nodiscard]] QByteArray workTraceJson(const WorkTrace& wanted);

}  // namespace attnscope::ui::test
