// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a slice is called where its row number means nothing: in another reading of the same file. Pure functions.

#include <cstdint>
#include <string>

#include "core/trace/Trace.h"

namespace attnscope::ui {

struct SliceIdentity {
  std::string process;  // pid as written
  std::string thread;   // tid as written
  TrackKind kind = TrackKind::kThread;
  std::string name;
  std::string zero;  // of the trace it was seen in
  std::int64_t startNs = 0;
  std::uint32_t ordinal = 0;  // among slices that are alike in all of this
};

[[nodiscard]] SliceIdentity identityOf(const Trace& trace, SliceId slice);
// kNoSlice where the trace has none. O(slices of the thread).
[[nodiscard]] SliceId findSlice(const Trace& trace, const SliceIdentity& identity);

}  // namespace attnscope::ui
