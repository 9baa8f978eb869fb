// SPDX-License-Identifier: Apache-2.0
// The kernels with one float a vector, for any CPU.

#include "core/engine/kernels/KernelsOf.h"
#include "core/engine/kernels/ScalarVector.h"

namespace attnscope::kernels {

const KernelTable& scalarKernels() {
  static constexpr KernelTable table = kernelsOf<Scalar, NoWatch>();
  return table;
}

}  // namespace attnscope::kernels
