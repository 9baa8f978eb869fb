// SPDX-License-Identifier: Apache-2.0
#pragma once

// byo.script: a function of the person's own in TorchScript, compiled or loaded in this process, each of its operators
// recorded as those of all others. Nothing of it is touched without the person's yes.
//
// The source defines `attention`, a module (.pt) has a method `attention` or `forward`. It is given, as far as it takes
// them: q [B, Hq, N, D], k [B, Hk, M, D], v [B, Hk, M, V], mask (Optional[Tensor]: added to the scores, [N, M] or
// [1, Hq, N, M], -inf where a key is hidden; None without a mask), scale (float); it returns [B, Hq, N, V].

#include "core/engine/Implementation.h"
#include "core/session/RunPlan.h"

namespace attnscope::engine {

// make() throws std::runtime_error with what is wrong, where and in the source's own lines.
[[nodiscard]] ImplementationEntry yourScript(const UserCode& code);

}  // namespace attnscope::engine
