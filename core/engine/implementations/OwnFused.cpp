// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/OwnFused.h"

#include "core/engine/implementations/OwnKernel.h"

namespace attnscope::engine {

ImplementationEntry ownFused() {
  return {.id = "own.fused",
          .make = [](const Problem& problem) { return makeOwnKernel(problem, kernels::Method::kTiles); }};
}

}  // namespace attnscope::engine
