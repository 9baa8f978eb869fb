// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The problem that a recorded call of attention computes, from its input sizes, types and concrete inputs, so that the
// same shape can be run here. Pure; reads the call's args through the trace's source; any thread.

#include <optional>

#include "core/base/Ids.h"
#include "core/problem/Problem.h"
#include "core/trace/Trace.h"

namespace attnscope::ui {

// None where the slice is no attention call, its shapes were not recorded, or they are none that a Problem can say
// (several sequences packed into one). A mask given as a tensor is unknown: the result has none.
[[nodiscard]] std::optional<Problem> problemOf(const Trace& trace, SliceId slice);
// Whether the slice's name is one that problemOf() knows: cheap, for menus.
[[nodiscard]] bool isAttentionCall(const Trace& trace, SliceId slice);

}  // namespace attnscope::ui
