// SPDX-License-Identifier: Apache-2.0
#include "core/engine/Implementation.h"

namespace attnscope::engine {

void Implementation::prepare(const at::Tensor& /*query*/, const at::Tensor& /*key*/, const at::Tensor& /*value*/) {}

Inside* Implementation::inside() { return nullptr; }

}  // namespace attnscope::engine
