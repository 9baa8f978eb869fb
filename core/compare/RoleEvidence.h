// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether calls of other names stand in the same place of two runs: what says so are matched neighbours, a stage that
// both annotate, a matched parent, or, where nothing else does, the same tensors. Pure functions, any thread.

#include <cstdint>
#include <span>

#include "core/compare/CallTree.h"

namespace attnscope {

// Where the calls between two matched ones stand, by how much that says.
enum class RolePlace : std::uint8_t {
  kNowhere,  // among the outermost calls of a thread, no neighbour matched
  kStep,     // in a step of the profiler, which every program has
  kBeside,   // one neighbour is matched
  kBetween,  // both are
  kCall,     // under matched calls
  kStage,    // under an annotation of one name
};

// What lies under two matched calls, where none of it is matched yet.
[[nodiscard]] RolePlace placeUnder(const CallKeys::Key& base, const CallKeys::Key& other);
// A matched call says where its neighbours are: an operator or an annotation, and no call of a runtime, which is the
// same in every program.
[[nodiscard]] bool isLandmark(const CallTree& calls, std::uint32_t node, const CallKeys& keys);
// Between `before` and `after`, of which each says whether that neighbour is a matched landmark.
[[nodiscard]] RolePlace placeBetween(RolePlace inside, bool before, bool after);

struct RoleSide {
  const CallTree& calls;
  std::span<const std::uint32_t> nodes;
};
// Whether all of one side stands for all of the other. O(n) in the calls of both and what is below them.
[[nodiscard]] bool isOneRole(const RoleSide& base, const RoleSide& other, const CallKeys& keys, RolePlace place);

}  // namespace attnscope
