// SPDX-License-Identifier: Apache-2.0
#pragma once

// Fused attention by our own tile kernel: what a mask hides is not computed, keys and values that heads share are read
// once.

#include "core/engine/Implementation.h"

namespace attnscope::engine {

[[nodiscard]] ImplementationEntry ownFused();

}  // namespace attnscope::engine
