// SPDX-License-Identifier: Apache-2.0
#pragma once

// chunked.plain: documents of one length, all of them as one batch.

#include "core/engine/Implementation.h"

namespace attnscope::engine {

[[nodiscard]] ImplementationEntry chunkedPlain();

}  // namespace attnscope::engine
