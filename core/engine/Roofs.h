// SPDX-License-Identifier: Apache-2.0
#pragma once

// The limits of this machine that a run is shown against, measured and not quoted: the rate of a matrix product of a
// type, of multiply-adds in registers, of reading from memory, and of copying. A second together.

#include "core/base/Result.h"
#include "core/problem/Problem.h"

namespace attnscope::engine {

struct Roofs {
  double flopsPerSecond = 0;      // best of several products of 1024 x 1024 matrices, as LibTorch computes them
  double peakFlopsPerSecond = 0;  // the larger of the above and of multiply-adds in registers (half for float64)
  double copyBytesPerSecond = 0;  // bytes read and written
  double bytesPerSecond = 0;      // best of several passes over four times the last cache, at most 512 MiB
};

// On the threads that are set; in the metric of a run on the CPU (thread CPU time on one thread, else wall time), so
// that its shares of them hold beside other programs too. Reading takes `threads` threads of its own, which end with
// it.
[[nodiscard]] Result<Roofs> measureRoofs(DataType type, int threads);

}  // namespace attnscope::engine
