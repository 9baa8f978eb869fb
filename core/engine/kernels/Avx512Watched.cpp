// SPDX-License-Identifier: Apache-2.0
// The kernels of Avx512Kernels.cpp once more, with every step of a tile stamped.

#include "core/engine/kernels/Avx512Vector.h"
#include "core/engine/kernels/KernelsOf.h"

namespace attnscope::kernels {

const KernelTable& watchedAvx512Kernels() {
  static constexpr KernelTable table = kernelsOf<Avx512, StampWatch>();
  return table;
}

}  // namespace attnscope::kernels
