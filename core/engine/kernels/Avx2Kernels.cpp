// SPDX-License-Identifier: Apache-2.0
// The kernels for AVX2 with FMA and F16C.

#include "core/engine/kernels/Avx2Vector.h"
#include "core/engine/kernels/KernelsOf.h"

namespace attnscope::kernels {

const KernelTable& avx2Kernels() {
  static constexpr KernelTable table = kernelsOf<Avx2, NoWatch>();
  return table;
}

}  // namespace attnscope::kernels
