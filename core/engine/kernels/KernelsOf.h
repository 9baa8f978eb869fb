// SPDX-License-Identifier: Apache-2.0
#pragma once

// All kernels of one vector type, in one of the two builds (Watch.h).

#include "core/engine/kernels/DotKernel.h"
#include "core/engine/kernels/TileKernel.h"

namespace attnscope::kernels {
namespace {

template <class V, class Watch>
constexpr KernelTable kernelsOf() {
  constexpr TileLayout layout{.lanes = V::kLanes, .panelVectors = V::kVectors};
  return {.tiles = {tileItem<V, float, Watch>, tileItem<V, BFloat16, Watch>, tileItem<V, Float16, Watch>},
          .layouts = {layout, layout, layout},
          .dots = {dotItem<V, float, Watch>, dotItem<V, BFloat16, Watch>, dotItem<V, Float16, Watch>}};
}

}  // namespace
}  // namespace attnscope::kernels
