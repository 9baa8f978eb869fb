// SPDX-License-Identifier: Apache-2.0
#pragma once

// A plain recount of a Kineto trace over nlohmann_json, written apart from the loader and the analyses. Slow and
// simple.

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace attnscope::golden {

struct Recount {
  bool valid = false;                                                     // the text is JSON
  std::map<std::string, std::pair<std::uint64_t, std::int64_t>> kernels;  // by name: calls, ns
  std::int64_t deviceNs = 0;                                              // kernels, copies and memsets
  std::map<std::int64_t, std::int64_t> busyNs;                            // by device
  struct Memory {
    std::int64_t peakBytes = INT64_MIN;
    std::uint64_t allocations = 0;
    std::uint64_t frees = 0;
  };
  std::map<std::pair<std::int64_t, std::int64_t>, Memory> memory;  // by device type and id; peak INT64_MIN: no totals
  std::map<std::string, std::int64_t> deviceNsOfOperator;          // self, by name
};

[[nodiscard]] Recount recount(const std::string& text);

}  // namespace attnscope::golden
