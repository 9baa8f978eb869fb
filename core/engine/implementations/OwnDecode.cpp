// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/OwnDecode.h"

#include "core/engine/implementations/OwnKernel.h"

namespace attnscope::engine {

ImplementationEntry ownDecode() {
  return {.id = "own.decode",
          .make = [](const Problem& problem) { return makeOwnKernel(problem, kernels::Method::kByRows); }};
}

}  // namespace attnscope::engine
