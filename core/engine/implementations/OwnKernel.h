// SPDX-License-Identifier: Apache-2.0
#pragma once

// Attention by a kernel of our own (core/engine/kernels): a problem as its shape, tensors as its pointers. The kernel,
// its threads (as many as LibTorch is set to) and its buffers are made with the problem.

#include <memory>

#include "core/engine/Implementation.h"
#include "core/engine/kernels/AttentionKernel.h"

namespace attnscope::engine {

[[nodiscard]] kernels::AttentionShape kernelShapeOf(const Problem& problem);
// Throws std::runtime_error where the kernels refuse the shape.
[[nodiscard]] std::unique_ptr<Implementation> makeOwnKernel(const Problem& problem, kernels::Method method);

}  // namespace attnscope::engine
