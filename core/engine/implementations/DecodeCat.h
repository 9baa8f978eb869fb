// SPDX-License-Identifier: Apache-2.0
#pragma once

// decode.cat: a generator whose cache is made anew at each token.

#include "core/engine/Implementation.h"

namespace attnscope::engine {

[[nodiscard]] ImplementationEntry decodeCat();

}  // namespace attnscope::engine
