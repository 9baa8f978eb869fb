// SPDX-License-Identifier: Apache-2.0
#pragma once

// byo.package: a model compiled by AOTInductor (.pt2) for this CPU, called with q, k and v as byo.script is, and giving
// the output first. The package is machine code: nothing of it is loaded without the person's yes.

#include "core/engine/Implementation.h"
#include "core/session/RunPlan.h"

namespace attnscope::engine {

// make() throws std::runtime_error with what is wrong.
[[nodiscard]] ImplementationEntry yourPackage(const UserCode& code);

}  // namespace attnscope::engine
