// SPDX-License-Identifier: Apache-2.0
#pragma once

// The written-out attention with scores and softmax in float32 whatever the type of the inputs, as models in half
// precision are often written for their accuracy.

#include "core/engine/Implementation.h"

namespace attnscope::engine {

[[nodiscard]] ImplementationEntry naiveFp32();

}  // namespace attnscope::engine
