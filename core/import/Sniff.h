// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a file is, from its beginning, where it is no trace.

#include <optional>
#include <string_view>

#include "core/base/Result.h"

namespace attnscope {

// `head`: the first bytes of the unpacked text; `name` of the file decides where they say nothing. nullopt where it may
// be a trace.
[[nodiscard]] std::optional<Error> notATrace(std::string_view head, std::string_view name = {});
// For an object without traceEvents: `keys` as "|key|key|".
[[nodiscard]] Error objectWithoutEvents(std::string_view keys);
// For an array whose elements are no events; `first` begins its first element.
[[nodiscard]] Error arrayWithoutEvents(std::string_view first);

}  // namespace attnscope
