// SPDX-License-Identifier: Apache-2.0
#pragma once

// PyTorch's scaled_dot_product_attention with its math backend, called directly: all scores in memory, types of 16 bits
// computed in float32.

#include "core/engine/Implementation.h"

namespace attnscope::engine {

[[nodiscard]] ImplementationEntry sdpaMath();

}  // namespace attnscope::engine
