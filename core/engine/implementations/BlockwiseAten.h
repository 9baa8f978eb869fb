// SPDX-License-Identifier: Apache-2.0
#pragma once

// Online softmax (arXiv 2205.14135) written with ATen operators, block by block: what a fused kernel does, with each
// of its steps visible in the trace. Blocks that no query sees are left out. Sums are kept in the accumulator's type.

#include "core/engine/Implementation.h"

namespace attnscope::engine {

[[nodiscard]] ImplementationEntry blockwiseAten();

}  // namespace attnscope::engine
