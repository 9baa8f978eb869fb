// SPDX-License-Identifier: Apache-2.0
#pragma once

// How many steps an item has, from the masks alone: what a watched call must record, no more and no less. Symbols: a
// block is up to keyBlock keys (of dots kDotBlock) of those between the first and the last that a row of the item sees,
// in whole keySteps; a panel is up to panelVectors vectors of rows.
//
//   tiles  1 + sum over blocks (1 + 3 panels that see a key of the block) + 1
//   dots   1 + 3 blocks + 1
//
// So full attention of N rows in chunks of r = c panels, with M keys, has N/r (2 + M/k (1 + 3 c)) steps a head.

#include "core/engine/kernels/KernelTable.h"

namespace attnscope::kernels {

struct StepCount {
  std::int64_t steps = 0;
  std::int64_t states = 0;  // rows of all softmax steps
  std::int64_t pairs = 0;   // of a row and a key that are computed, those that a vector computes in vain included
};
[[nodiscard]] StepCount countTileSteps(const KernelArguments& arguments, const ItemTask& task,
                                       const TileLayout& layout);
[[nodiscard]] StepCount countDotSteps(const KernelArguments& arguments, const ItemTask& task);

}  // namespace attnscope::kernels
