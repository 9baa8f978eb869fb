// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Traces built by hand: as tables for what takes RunFacts, and as a file for what opens one.

#include <memory>
#include <string>
#include <vector>

#include "ui/bridge/Run.h"

namespace attnscope::ui {

struct HandSlice {
  std::string name;
  std::string category;
  std::int64_t startNs = 0;
  std::int64_t durationNs = 0;
  int depth = 0;
};
struct HandTrack {
  TrackKind kind = TrackKind::kThread;
  std::string name;
  std::vector<HandSlice> slices;  // by depth, then start
};

// One process a track kind: host and device. Slices without a device are classed by category.
[[nodiscard]] std::shared_ptr<const RunFacts> makeFacts(const std::vector<HandTrack>& tracks, int compared);

// A host thread with an operator that launches a kernel on stream 7, twice; times in µs.
[[nodiscard]] std::string twoKernelsJson(double kernelUs);

}  // namespace attnscope::ui
