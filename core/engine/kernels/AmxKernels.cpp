// SPDX-License-Identifier: Apache-2.0
// The kernels for AMX (TILE, BF16): tiles of bfloat16 by its units, the rest as for AVX-512.

#include "core/engine/kernels/AmxUnits.h"
#include "core/engine/kernels/PairKernelsOf.h"

namespace attnscope::kernels {

const KernelTable& amxKernels() {
  static const KernelTable table = withPairs<Avx512Pairs, AmxUnits, NoWatch>(avx512Kernels());
  return table;
}

}  // namespace attnscope::kernels
