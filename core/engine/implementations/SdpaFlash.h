// SPDX-License-Identifier: Apache-2.0
#pragma once

// PyTorch's scaled_dot_product_attention with its flash backend (tiled online softmax), called directly: no matrix of
// all scores is made. A mask that is top-left causal hides whole tiles, which are then not computed; another hides
// none.

#include "core/engine/Implementation.h"

namespace attnscope::engine {

[[nodiscard]] ImplementationEntry sdpaFlash();
// Keys and values repeated for each query head, then the same: what models do that know no grouped attention.
[[nodiscard]] ImplementationEntry gqaRepeat();

}  // namespace attnscope::engine
