// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is known about the machine and its state, from /proc and /sys; and what this process may take of it. Knows no
// LibTorch. Any thread.

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/Result.h"
#include "core/session/RunResult.h"

namespace attnscope::engine {

// What the machine says of itself; versions, threads, device and roofs are the caller's.
[[nodiscard]] RunEnvironment machineFacts();

// Mean clock of the CPUs now, as the kernel knows it; none where it does not.
[[nodiscard]] std::optional<double> clockMhz();

// How far this process's memory rises: from its size at the start to its largest since then. None where the kernel
// does not let the mark be set back.
class ResidentPeak {
 public:
  ResidentPeak();
  [[nodiscard]] std::optional<std::int64_t> bytes() const;

 private:
  std::optional<std::int64_t> m_start;
};

// CPU time of the whole machine since it started, in ticks.
struct CpuTimes {
  std::int64_t all = 0;
  std::int64_t stolen = 0;  // by the hypervisor, for other guests
};
[[nodiscard]] std::optional<CpuTimes> cpuTimes();

// Limits what this process may allocate, so that an allocation too many fails here and does not press the machine; 0:
// no limit. An error where it has more than that already.
[[nodiscard]] Result<void> limitMemory(std::uint64_t bytes);
// When the machine runs out of memory, this process is to be ended and not the window.
void offerToTheOutOfMemoryKiller();

}  // namespace attnscope::engine
