// SPDX-License-Identifier: Apache-2.0
// The kernels for AMX with its arithmetic in plain C++: what a CPU without it tests.

#include "core/engine/kernels/EmulatedUnits.h"
#include "core/engine/kernels/PairKernelsOf.h"

namespace attnscope::kernels {

const KernelTable& emulatedAmxKernels() {
  static const KernelTable table = withPairs<ScalarPairs, EmulatedUnits, NoWatch>(scalarKernels());
  return table;
}

}  // namespace attnscope::kernels
