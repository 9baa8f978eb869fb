// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sliding-window attention: each block of queries with the keys that it sees and no others, all of them at once.

#include "core/engine/Implementation.h"

namespace attnscope::engine {

[[nodiscard]] ImplementationEntry windowBlocks();

}  // namespace attnscope::engine
