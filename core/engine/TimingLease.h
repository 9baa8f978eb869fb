// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which runner times on this machine: a lock on a file of this account, given back with the object or with the process.
// Two that time at once slow each other down, and neither knows it from its own numbers. Knows no LibTorch.

#include <filesystem>

namespace attnscope::engine {

class TimingLease {
 public:
  // Asks once and does not wait.
  explicit TimingLease(const std::filesystem::path& file = defaultFile());
  TimingLease(const TimingLease&) = delete;
  TimingLease& operator=(const TimingLease&) = delete;
  ~TimingLease();

  // False where another runner has it. True too where no such file can be made: then nothing is known.
  [[nodiscard]] bool granted() const { return m_granted; }

  // In XDG_RUNTIME_DIR, else in the temporary folder.
  [[nodiscard]] static std::filesystem::path defaultFile();

 private:
  int m_file = -1;
  bool m_granted = true;
};

}  // namespace attnscope::engine
