// SPDX-License-Identifier: Apache-2.0
#pragma once

// lsh.reformer: attention between what hashes alike (CardsHashed.cpp).

#include "core/engine/Implementation.h"

namespace attnscope::engine {

[[nodiscard]] ImplementationEntry lshReformer();

}  // namespace attnscope::engine
