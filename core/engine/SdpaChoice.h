// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which backend LibTorch's own scaled_dot_product_attention takes for a problem, and in its own words why not another.
// LibTorch is asked with tensors of the problem's shape, strides and type that own one row of memory. The settings that
// it is asked under are process-wide: not beside a run on another thread.

#include <string>
#include <vector>

#include "core/base/Result.h"
#include "core/problem/Problem.h"

namespace attnscope::engine {

struct BackendRefusal {
  std::string backend;  // "flash", "efficient", "cudnn", "math"
  std::string reason;
};

struct SdpaChoice {
  std::string backend;                  // "flash", "math"; empty where LibTorch finds none
  std::vector<BackendRefusal> against;  // each backend that it is not, and why
};

// Of a CPU problem that is valid.
[[nodiscard]] Result<SdpaChoice> sdpaChoice(const Problem& problem);

}  // namespace attnscope::engine
