// SPDX-License-Identifier: Apache-2.0
#pragma once

// Names a part of a run in the trace: a user annotation from construction to destruction, on this thread. While
// nothing records it costs one look at a list that is empty (some ns): a stage may stand in code that is timed.

#include <memory>
#include <string_view>

namespace at {
struct RecordFunction;
}

namespace attnscope::engine {

class Stage {
 public:
  explicit Stage(std::string_view name);
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  ~Stage();

 private:
  std::unique_ptr<at::RecordFunction> m_record;
};

}  // namespace attnscope::engine
