// SPDX-License-Identifier: Apache-2.0
#pragma once

// How work of one run was found to stand for work of another. Values.

#include <cstdint>
#include <string_view>

namespace attnscope {

enum class MatchKind : std::uint8_t {
  kExact,      // same name, same shapes, same place in the call tree
  kSignature,  // same name and shapes, another place
  kRole,       // same place under other names, or other shapes: many to one
  kOnlyBase,
  kOnlyOther,
};
[[nodiscard]] std::string_view toString(MatchKind kind);  // "exact", "only-base"...

}  // namespace attnscope
