// SPDX-License-Identifier: Apache-2.0
#pragma once

// Names a part of a run in the trace: a user annotation from construction to destruction, on this thread. One
// small allocation while nothing records.

#include <memory>
#include <string>

namespace at {
struct RecordFunction;
}

namespace attnscope::engine {

class Stage {
 public:
  explicit Stage(std::string name);
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  ~Stage();

 private:
  std::unique_ptr<at::RecordFunction> m_record;
};

}  // namespace attnscope::engine
