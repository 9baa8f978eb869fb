// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/WindowBlocks.h"

#include "core/engine/implementations/MaskedBlocks.h"
#include "core/problem/Cards.h"

namespace attnscope::engine {
namespace {

// One range: the windows of neighbours overlap.
std::vector<KeyRange> keysOfWindow(const Problem& problem, std::int64_t first, std::int64_t queries) {
  const KeyRange keys = keysSeenByAny(problem, first, queries);
  return keys.size() == 0 ? std::vector<KeyRange>{} : std::vector<KeyRange>{keys};
}

}  // namespace

ImplementationEntry windowBlocks() {
  return {.id = "window.blocks", .make = [](const Problem& problem) {
            return makeMaskedBlocks(problem, windowQueryBlock(problem), keysOfWindow);
          }};
}

}  // namespace attnscope::engine
