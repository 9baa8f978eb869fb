// SPDX-License-Identifier: Apache-2.0
#pragma once

// decode.paged: a generator whose cache lies in pages, attended to in parts.

#include "core/engine/Implementation.h"

namespace attnscope::engine {

[[nodiscard]] ImplementationEntry decodePaged();

}  // namespace attnscope::engine
