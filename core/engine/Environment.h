// SPDX-License-Identifier: Apache-2.0
#pragma once

// What this machine and this LibTorch can do, found by trying it.

#include <optional>
#include <string>
#include <vector>

#include "core/base/Result.h"
#include "core/engine/SdpaChoice.h"
#include "core/problem/Problem.h"

namespace attnscope::engine {

struct Device {
  std::string id;      // cpu, cuda:0
  std::string reason;  // why it cannot be used; empty where it can
};

struct Availability {
  std::string id;
  std::string title;
  std::string reason;  // why it cannot be run here; empty where it can
};

struct Environment {
  std::string libtorch;       // the library's version, as it states it
  std::string cpuCapability;  // the instruction set that its kernels use: AVX2, AVX512...
  int threads = 0;            // that one operator uses where nobody sets another number
  int logicalCpus = 0;        // that this process may use
  bool kineto = false;        // whether its profiler saves a trace
  std::vector<Device> devices;
  std::vector<Availability> implementations;  // each card, for the problem that was asked about or for some problem
  std::optional<SdpaChoice> choice;           // of LibTorch for that problem
};

// Runs a small product whose result is checked, and records an empty trace. An error means that LibTorch computes
// wrongly or not at all. A problem must be valid.
[[nodiscard]] Result<Environment> describeEnvironment(const std::optional<Problem>& problem = {});

// How LibTorch was built, in its own words on one line.
[[nodiscard]] std::string libtorchBuild();
[[nodiscard]] std::string libtorchVersion();
[[nodiscard]] std::string cpuCapability();

}  // namespace attnscope::engine
