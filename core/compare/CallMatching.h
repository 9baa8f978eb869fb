// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which host calls of one run stand for which of another. Three passes over two call trees, threads paired by what
// they call, and where they share nothing by how much:
// 1. exact: the children of matched parents are aligned in order by name and shapes, from the roots down.
// 2. signature: a call that is left in a gap between matched neighbours is matched with one of the same name and
//    shapes that stands elsewhere, the first that is free; what is below both follows.
// 3. role: what is still left in a gap on both sides stands in the same place under other names. Where its calls
//    have the same name (other shapes), or the same shapes and the same structure below them, they are paired one to
//    one; the rest of the gap is one link, many to one, where its place is known (RoleEvidence): between matched
//    neighbours, under a matched call or in an annotated stage, or where both sides take the same tensors; and where
//    one side has few names, or the stage is the same. Other rests are different programs, and stay unmatched.
// Pure function, any thread. Near-linear for trees with few differences (SequenceAlignment); every list of children
// costs no more than a fixed number of operations a call.

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/compare/CallTree.h"
#include "core/compare/MatchKind.h"

namespace attnscope {

struct CallMatching {
  static constexpr std::uint32_t kNone = CallTree::kNone;
  struct Link {
    MatchKind kind = MatchKind::kExact;  // kExact, kSignature or kRole
    std::uint32_t firstBase = kNone;     // the first of its calls in the base
  };
  std::vector<Link> links;
  std::vector<std::uint32_t> linkOfBase;   // by node; kNone: unmatched, or takes no part
  std::vector<std::uint32_t> linkOfOther;  // likewise; a link of kRole may hold several calls of either side
};

// `keys` holds those of both trees. Where a stop is requested the rest stays unmatched: the caller drops it.
[[nodiscard]] CallMatching matchCalls(const CallTree& base, const CallTree& other, const CallKeys& keys,
                                      const std::stop_token& stop = {});

}  // namespace attnscope
