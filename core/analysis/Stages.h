// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which recorded stage of a step a slice of work does most of: "softmax" for aten::_softmax inside an annotation of
// that name. The definition stands in core/analysis/README.md. Pure function, any thread, O(work * depth).

#include <span>
#include <string>
#include <vector>

#include "core/trace/Trace.h"

namespace attnscope {

struct StagedSlice {
  SliceId slice = kNoSlice;
  SliceId stage = kNoSlice;  // the annotation
};
// Of `work`, the slices of one track: operators of a thread, or what a device did. Ordered as they are.
[[nodiscard]] std::vector<StagedSlice> stagedWork(const Trace& trace, std::span<const SliceId> work);

// "weighted_sum" as it is read: "Weighted sum".
[[nodiscard]] std::string stageWords(std::string_view name);

}  // namespace attnscope
