// SPDX-License-Identifier: Apache-2.0
#pragma once

// mla.absorbed: latent attention in the latent, with the weights on the side of the queries.

#include "core/engine/Implementation.h"

namespace attnscope::engine {

[[nodiscard]] ImplementationEntry mlaAbsorbed();

}  // namespace attnscope::engine
