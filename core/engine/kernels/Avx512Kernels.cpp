// SPDX-License-Identifier: Apache-2.0
// The kernels for AVX-512 (F, BW, DQ, VL).

#include "core/engine/kernels/Avx512Vector.h"
#include "core/engine/kernels/KernelsOf.h"

namespace attnscope::kernels {

const KernelTable& avx512Kernels() {
  static constexpr KernelTable table = kernelsOf<Avx512, NoWatch>();
  return table;
}

}  // namespace attnscope::kernels
