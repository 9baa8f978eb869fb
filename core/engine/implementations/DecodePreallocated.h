// SPDX-License-Identifier: Apache-2.0
#pragma once

// decode.preallocated: a generator whose cache was allocated for all tokens at once.

#include "core/engine/Implementation.h"

namespace attnscope::engine {

[[nodiscard]] ImplementationEntry decodePreallocated();

}  // namespace attnscope::engine
