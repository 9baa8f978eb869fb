// SPDX-License-Identifier: Apache-2.0
#pragma once

// Records a few calls with Kineto into a Chrome trace, after all timing: its figures are never results.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "core/base/Result.h"

namespace attnscope::engine {

class Inside;

struct ProfiledRun {
  std::int64_t perCallNs = 0;  // wall time of the shortest of its calls
};

// `steps` calls, each in a ProfilerStep#N. `description` is JSON, the trace's top-level member "attnscope". The file
// appears whole or not at all. What the call throws goes through. With an `inside` some more calls follow when nothing
// is recorded any more, and the trace tells of the first of them what its workers did (InsideView.h).
[[nodiscard]] Result<ProfiledRun> recordProfiledRun(const std::function<void()>& call, int steps,
                                                    const std::string& description, const std::filesystem::path& file,
                                                    Inside* inside = nullptr);

}  // namespace attnscope::engine
