// SPDX-License-Identifier: Apache-2.0
#pragma once

// Linear attention with the feature map elu + 1 (arXiv 2006.16236): another function than softmax attention, whose time
// and memory grow with the length and not with its square. Causal: in chunks, with a state that grows from one to the
// next.

#include "core/engine/Implementation.h"

namespace attnscope::engine {

[[nodiscard]] ImplementationEntry linearElu();

}  // namespace attnscope::engine
