// SPDX-License-Identifier: Apache-2.0
#pragma once

// The sample comparison: one transformer block with each of two implementations of attention, recorded with Kineto on
// one CPU thread. The outputs are compared first, so that what is shown side by side computes the same.

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/Result.h"

namespace attnscope::engine {

struct RecordedSample {
  std::string title;
  std::filesystem::path file;
};

// Writes naive.json and flash.json into `folder`, which must exist.
[[nodiscard]] Result<std::vector<RecordedSample>> recordSample(const std::filesystem::path& folder);

}  // namespace attnscope::engine
