// SPDX-License-Identifier: Apache-2.0
#pragma once

// Attention of a few queries over a long cache by our own kernels: the cache is read once for the heads that share it
// and split among the threads.

#include "core/engine/Implementation.h"

namespace attnscope::engine {

[[nodiscard]] ImplementationEntry ownDecode();

}  // namespace attnscope::engine
