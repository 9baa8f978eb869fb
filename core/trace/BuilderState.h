// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the steps of TraceBuilder pass on; of no use to others. Names and threads of all blocks are numbered together
// here: `name` of a RawSlice is a StringId of the trace, `thread` a row of `threads`.

#include <cstdint>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/trace/Nesting.h"
#include "core/trace/RawEvents.h"
#include "core/trace/Trace.h"

namespace attnscope {

struct BuildProcess {
  RawIdentity pid;
  bool device = false;    // rows of device work apart from host rows of the same number
  bool hostWork = false;  // has slices of host categories
  bool deviceWork = false;
  bool spans = false;
  bool hasTracks = false;
  std::uint32_t firstOrder = kNone;
  Process result;
};

struct BuildTrack {
  TrackKind kind = TrackKind::kThread;
  std::uint32_t process = kNone;  // in BuilderState::processes
  RawIdentity tid;
  std::string name;
  std::string givenName;
  std::optional<double> sortIndex;
  std::uint32_t firstOrder = kNone;
  bool used = false;
  std::vector<NestItem> items;
};

// The same thread as written can be two rows: one of a host, one of a device.
struct ThreadTracks {
  std::uint32_t host = kNone;
  std::uint32_t device = kNone;
};

enum class Side : std::uint8_t { kHost, kDevice, kEither, kSpans };  // kSpans: the recorder's own, on the host
inline constexpr std::size_t kSides = 4;
[[nodiscard]] Side sideOf(CategoryClass category);
[[nodiscard]] bool isDeviceWork(CategoryClass category);  // kernel, copy, memset, synchronisation of a device

// X events of a block by the row that they go to, each with its place in BuilderState::sliceTracks.
struct BlockSlices {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> counts;
  Int128 durationSum = 0;
};

struct BuilderState {
  RawTrace raw;
  std::shared_ptr<Trace> trace;
  std::string appended;
  std::stop_token stop;  // a step that sees it leaves off; what it made is of no use then

  std::vector<RawCategory> categories;
  std::vector<RawThread> threads;
  std::vector<ThreadTracks> threadTracks;
  std::vector<BuildProcess> processes;
  std::vector<BuildTrack> tracks;
  std::unordered_map<std::string, std::uint32_t> processByKey;
  std::unordered_map<std::string, std::uint32_t> trackByKey;  // async and counter tracks

  std::vector<std::uint32_t> sliceTracks;  // [thread x kSides + side]: track of X events
  std::vector<BlockSlices> slicesOfBlock;
  std::vector<RawSlice> paired;  // their `thread` is a track
  std::vector<const RawPoint*> instants;
  std::vector<const RawPoint*> flowEnds;
  std::int64_t zeroNs = 0;  // of the raw clock
  std::int64_t endNs = 0;   // raw clock, of slices, instants and samples
  bool timed = false;
  std::vector<std::uint32_t> sliceOfOrder;                      // element of traceEvents -> slice, kNone
  std::unordered_map<std::uint32_t, std::uint32_t> beginOfEnd;  // orders; kept where events have stacks

  // For the i-th turn of a long loop: whether to leave off.
  [[nodiscard]] bool stopped(std::size_t i) const { return (i & 0xFFFF) == 0 && stop.stop_requested(); }
  [[nodiscard]] CategoryClass classOf(std::uint16_t category) const { return categories[category].kind; }
  [[nodiscard]] std::uint32_t trackOf(const RawSlice& slice) const {
    return sliceTracks[slice.thread * kSides + static_cast<std::size_t>(sideOf(classOf(slice.category)))];
  }
  // The row for an event of this side on this thread; made at first use.
  std::uint32_t trackFor(std::uint32_t thread, Side side, std::uint32_t order);
  std::uint32_t processFor(const RawIdentity& pid, bool device, std::uint32_t order);
};

// Steps, in order.
bool mergeBlocks(BuilderState& state, unsigned threads);  // false: more than 2^32 - 2 events
void pairSpans(BuilderState& state);                      // B/E and async: fills `paired` and `instants`
void nameRows(BuilderState& state);                       // processes and tracks in drawing order
void bindFlows(BuilderState& state);
// Fills the table of device work and nothing else, so that it may run beside bindFlows(); returns what it noted.
TraceHealth linkDeviceWork(const BuilderState& state);
void keepStacks(BuilderState& state);
void summarise(BuilderState& state);

// Tells words from numbers: "w7" and "n7".
[[nodiscard]] std::string keyOf(const RawIdentity& identity);

}  // namespace attnscope
