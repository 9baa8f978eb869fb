// SPDX-License-Identifier: Apache-2.0
#pragma once

// Strong row numbers. An id is the position of a row in its table and valid within one Trace only.

#include <cstddef>
#include <cstdint>

namespace attnscope {

enum class StringId : std::uint32_t {};   // in a StringPool
enum class SliceId : std::uint32_t {};    // row of SliceTable
enum class TrackId : std::uint32_t {};    // position in Trace::tracks, which is the order of drawing
enum class ProcessId : std::uint32_t {};  // position in Trace::processes

inline constexpr StringId kNoString{0xFFFFFFFFu};
inline constexpr SliceId kNoSlice{0xFFFFFFFFu};
inline constexpr TrackId kNoTrack{0xFFFFFFFFu};
inline constexpr ProcessId kNoProcess{0xFFFFFFFFu};

template <class Id>
[[nodiscard]] constexpr std::size_t index(Id id) {
  return static_cast<std::size_t>(id);
}

}  // namespace attnscope
