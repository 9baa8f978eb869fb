// SPDX-License-Identifier: Apache-2.0
#pragma once

// The written-out attention with one matrix of scores: the product writes scaled scores into it, mask and softmax write
// over them.

#include "core/engine/Implementation.h"

namespace attnscope::engine {

[[nodiscard]] ImplementationEntry naiveInplace();

}  // namespace attnscope::engine
