// SPDX-License-Identifier: Apache-2.0
#pragma once

// PyTorch's scaled_dot_product_attention, which takes its flash kernel (tiled online softmax) for these problems: no
// tensor of sequence^2 values is made. A mask that is causal hides whole tiles, which are then not computed.

#include "core/engine/Implementation.h"

namespace attnscope::engine {

[[nodiscard]] ImplementationEntry sdpaFlash();

}  // namespace attnscope::engine
