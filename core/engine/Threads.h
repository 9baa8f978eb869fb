// SPDX-License-Identifier: Apache-2.0
#pragma once

// One number of threads for every pool of the process: LibTorch's, OpenMP's and MKL's. Called on the working thread,
// before the first operator: pools that were started with another number keep their threads.

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/Result.h"

namespace attnscope::engine {

// `threads` from 1 to the number of logical CPUs. With 1 no pool thread is ever started.
[[nodiscard]] Result<void> useThreads(int threads);
// Keeps this process, and the threads that it starts, to these CPUs; empty: where it is.
[[nodiscard]] Result<void> useCpus(const std::vector<int>& cpus);
// CPUs that this process may run on, as the kernel writes them: "0-1,4".
[[nodiscard]] std::string cpuList();
// Threads of this process now, this one included, as the kernel lists them.
[[nodiscard]] std::size_t threadsOfThisProcess();
// CPUs that this process may run on.
[[nodiscard]] int logicalCpus();

}  // namespace attnscope::engine
