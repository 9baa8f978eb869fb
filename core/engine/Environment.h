// SPDX-License-Identifier: Apache-2.0
#pragma once

// What this machine and this LibTorch can do, found by trying it.

#include <string>
#include <vector>

#include "core/base/Result.h"

namespace attnscope::engine {

struct Device {
  std::string id;      // cpu, cuda:0
  std::string reason;  // why it cannot be used; empty where it can
};

struct ImplementationName {
  std::string id;
  std::string title;
};

struct Environment {
  std::string libtorch;       // the library's version, as it states it
  std::string cpuCapability;  // the instruction set that its kernels use: AVX2, AVX512...
  int threads = 0;            // that one operator uses where nobody sets another number
  bool kineto = false;        // whether its profiler saves a trace
  std::vector<Device> devices;
  std::vector<ImplementationName> implementations;
};

// Runs a small product whose result is checked, and records an empty trace. An error means that LibTorch computes
// wrongly or not at all.
[[nodiscard]] Result<Environment> describeEnvironment();

}  // namespace attnscope::engine
