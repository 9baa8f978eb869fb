// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of a table with those in its place that multiply pairs of bfloat16 by units.

#include "core/engine/kernels/PairTileKernel.h"

namespace attnscope::kernels {
namespace {

template <class V, class Units, class Watch>
KernelTable withPairs(KernelTable table) {
  const auto type = static_cast<int>(ElementType::kBFloat16);
  table.tiles[type] = pairTileItem<V, Units, Watch>;
  table.layouts[type] = {.lanes = V::kLanes, .panelVectors = V::kVectors, .keyStep = kSquare};
  return table;
}

}  // namespace
}  // namespace attnscope::kernels
