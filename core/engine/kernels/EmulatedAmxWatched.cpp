// SPDX-License-Identifier: Apache-2.0
// The kernels of EmulatedAmxKernels.cpp once more, with every step of a tile stamped.

#include "core/engine/kernels/EmulatedUnits.h"
#include "core/engine/kernels/PairKernelsOf.h"

namespace attnscope::kernels {

const KernelTable& watchedEmulatedAmxKernels() {
  static const KernelTable table = withPairs<ScalarPairs, EmulatedUnits, StampWatch>(watchedScalarKernels());
  return table;
}

}  // namespace attnscope::kernels
