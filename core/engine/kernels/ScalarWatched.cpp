// SPDX-License-Identifier: Apache-2.0
// The kernels of ScalarKernels.cpp once more, with every step of a tile stamped.

#include "core/engine/kernels/KernelsOf.h"
#include "core/engine/kernels/ScalarVector.h"

namespace attnscope::kernels {

const KernelTable& watchedScalarKernels() {
  static constexpr KernelTable table = kernelsOf<Scalar, StampWatch>();
  return table;
}

}  // namespace attnscope::kernels
