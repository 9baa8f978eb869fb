// SPDX-License-Identifier: Apache-2.0
#include "core/engine/Threads.h"

#include <ATen/Parallel.h>
#include <sched.h>

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>

#include "core/engine/Failure.h"

namespace attnscope::engine {

int logicalCpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(std::thread::hardware_concurrency());
}

Result<void> useCpus(const std::vector<int>& cpus) {
  if (cpus.empty()) return {};
  cpu_set_t set;
  CPU_ZERO(&set);
  bool known = true;
  for (const int cpu : cpus) {
    known = known && cpu >= 0 && cpu < CPU_SETSIZE;
    if (known) CPU_SET(static_cast<std::size_t>(cpu), &set);
  }
  if (known && sched_setaffinity(0, sizeof(set), &set) == 0) return {};
  Error error;
  error.kind = ErrorKind::kUsage;
  error.what = "the CPUs that were asked for are not this process's";
  error.remedy = "choose among " + cpuList();
  return fail(error);
}

std::string cpuList() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return {};
  std::string list;
  for (std::size_t first = 0; first < CPU_SETSIZE; ++first) {
    if (!CPU_ISSET(first, &set)) continue;
    std::size_t last = first;
    while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set)) ++last;
    if (!list.empty()) list += ',';
    list += std::to_string(first);
    if (last > first) list += '-' + std::to_string(last);
    first = last;
  }
  return list;
}

std::size_t threadsOfThisProcess() {
  std::error_code failed;
  const std::filesystem::directory_iterator tasks("/proc/self/task", failed);
  if (failed) return 0;
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

Result<void> useThreads(int threads) {
  if (threads < 1 || threads > logicalCpus()) {
    Error error;
    error.kind = ErrorKind::kUsage;
    error.what = std::to_string(threads) + " threads were asked for, this machine has " +
                 std::to_string(logicalCpus()) + " logical CPUs";
    error.remedy = "ask for 1 to " + std::to_string(logicalCpus());
    return fail(error);
  }
  return guarded("setting the number of threads", [threads]() -> Result<void> {
    // MKL reads these at its first call; MKL_DYNAMIC would let it take fewer than asked for.
    const std::string count = std::to_string(threads);
    setenv("OMP_NUM_THREADS", count.c_str(), 1);
    setenv("MKL_NUM_THREADS", count.c_str(), 1);
    setenv("MKL_DYNAMIC", "FALSE", 1);
    setenv("OMP_DYNAMIC", "FALSE", 1);
    at::set_num_threads(threads);
    // May be set once in a process: who sets it again finds what is wanted already.
    if (at::get_num_interop_threads() != 1) at::set_num_interop_threads(1);
    return {};
  });
}

}  // namespace attnscope::engine
