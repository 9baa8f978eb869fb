// SPDX-License-Identifier: Apache-2.0
#pragma once

// mla.plain: latent attention with keys and values expanded in each call.

#include "core/engine/Implementation.h"

namespace attnscope::engine {

[[nodiscard]] ImplementationEntry mlaPlain();

}  // namespace attnscope::engine
