// SPDX-License-Identifier: Apache-2.0
#pragma once

// The implementations that were built, in the order in which they are shown. A new one is added here by its call.

#include <vector>

#include "core/engine/Implementation.h"

namespace attnscope::engine {

[[nodiscard]] std::vector<ImplementationEntry> implementations();

}  // namespace attnscope::engine
