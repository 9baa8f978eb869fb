// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/SparseBlocks.h"

#include "core/engine/implementations/MaskedBlocks.h"
#include "core/problem/Cards.h"

namespace attnscope::engine {

ImplementationEntry sparseBlocks() {
  return {.id = "sparse.blocks", .make = [](const Problem& problem) {
            return makeMaskedBlocks(problem, kSparseBlock,
                                    [](const Problem& masked, std::int64_t first, std::int64_t queries) {
                                      return blocksSeenByAny(masked, first, queries, kSparseBlock);
                                    });
          }};
}

}  // namespace attnscope::engine
