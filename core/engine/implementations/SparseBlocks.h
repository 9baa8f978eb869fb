// SPDX-License-Identifier: Apache-2.0
#pragma once

// sparse.blocks: any mask on a grid of blocks, without those that it hides as a whole.

#include "core/engine/Implementation.h"

namespace attnscope::engine {

[[nodiscard]] ImplementationEntry sparseBlocks();

}  // namespace attnscope::engine
