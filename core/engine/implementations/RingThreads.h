// SPDX-License-Identifier: Apache-2.0
#pragma once

// ring.threads: ring attention, its hosts simulated by the threads of this process (CardsRing.cpp).

#include "core/engine/Implementation.h"

namespace attnscope::engine {

[[nodiscard]] ImplementationEntry ringThreads();

}  // namespace attnscope::engine
