// SPDX-License-Identifier: Apache-2.0
#pragma once

// softmax(Q K^T scale + mask) V with one ATen operator a stage. Each stage has an output of its own, kept to the end
// as attention is usually written: at the peak three tensors of batch * heads * N * M values are alive, four with a
// mask.

#include "core/engine/Implementation.h"

namespace attnscope::engine {

[[nodiscard]] ImplementationEntry naivePlain();

}  // namespace attnscope::engine
