// SPDX-License-Identifier: Apache-2.0
// The kernels of Avx2Kernels.cpp once more, with every step of a tile stamped.

#include "core/engine/kernels/Avx2Vector.h"
#include "core/engine/kernels/KernelsOf.h"

namespace attnscope::kernels {

const KernelTable& watchedAvx2Kernels() {
  static constexpr KernelTable table = kernelsOf<Avx2, StampWatch>();
  return table;
}

}  // namespace attnscope::kernels
