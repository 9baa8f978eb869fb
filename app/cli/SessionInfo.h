// SPDX-License-Identifier: Apache-2.0
#pragma once

// `info` of a session file: what was run, what came of it, and the traces in it.

#include "app/cli/Commands.h"
#include "app/cli/SessionMembers.h"

namespace attnscope::cli {

void writeSessionInfo(const Context& context, const SessionInput& input);

}  // namespace attnscope::cli
