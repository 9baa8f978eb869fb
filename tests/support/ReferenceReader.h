// SPDX-License-Identifier: Apache-2.0
#pragma once

// A slow reader of Chrome traces that follows core/trace/README.md to the letter: whole document in memory, everything
// found by looking at everything. The loader must agree with it.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace attnscope::reference {

struct Slice {
  std::optional<std::string> name;
  std::string track;  // "pid|tid", or "async|pid|category|name of the root"
  std::int64_t start = 0;
  std::int64_t duration = 0;
  bool finished = true;
  std::size_t order = 0;
  unsigned depth = 0;
  std::optional<std::size_t> parent;  // order
  std::string category;
};

struct Instant {
  std::int64_t at = 0;
  std::string name;
  std::size_t order = 0;
  bool operator==(const Instant&) const = default;
};

inline constexpr double kGap = -1e300;  // where a counter has none: a number, so that readings can be compared

struct Reading {
  std::vector<Slice> slices;      // by order
  std::vector<Instant> instants;  // by order
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<std::pair<std::int64_t, double>>> counters;
  std::vector<std::pair<std::size_t, std::size_t>> arrows;  // orders of slices, sorted
  std::size_t unbound = 0;
  std::size_t events = 0;
};

// Times in ns of the file's clock. `text` must be strict JSON with events that all have usable times.
[[nodiscard]] Reading read(const std::string& text);

}  // namespace attnscope::reference
