// SPDX-License-Identifier: Apache-2.0
// The kernels of AmxKernels.cpp once more, with every step of a tile stamped.

#include "core/engine/kernels/AmxUnits.h"
#include "core/engine/kernels/PairKernelsOf.h"

namespace attnscope::kernels {

const KernelTable& watchedAmxKernels() {
  static const KernelTable table = withPairs<Avx512Pairs, AmxUnits, StampWatch>(watchedAvx512Kernels());
  return table;
}

}  // namespace attnscope::kernels
