// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the steps of TraceBuilder pass on; of no use to others. Names and threads of all blocks are numbered together
// here: `name` of a RawSlice is a StringId of the trace, `thread` a row of `threads`.

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <tuple>
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

[[nodiscard]] bool isDeviceWork(CategoryClass category);  // kernel, copy, memset, synchronisation of a device

// How the numbers of one block are those of the whole. Slices take them when they are gathered, all else at once.
struct Numbering {
  std::uint32_t firstOrder = 0;
  std::vector<std::uint32_t> names;
  std::vector<std::uint16_t> categories;
  std::vector<std::uint32_t> threads;

  [[nodiscard]] std::uint32_t name(std::uint32_t local) const { return local == kNone ? kNone : names[local]; }
  [[nodiscard]] std::uint32_t id(std::uint32_t local) const {
    return (local & kNumericId) != 0 ? local : names[local];  // kNone has the bit
  }
  // Of one in RawBlock::seen, in BuilderState::sliceTracks.
  [[nodiscard]] std::size_t place(std::size_t seen) const { return threads[seen / kSides] * kSides + seen % kSides; }
  void apply(RawSlice& slice) const {
    slice.name = name(slice.name);
    slice.category = categories[slice.category];
    slice.thread = threads[slice.thread];
    slice.order += firstOrder;
    slice.inputDims = name(slice.inputDims);
  }
};

enum class FlowRole : std::uint8_t { kStart, kStep, kEnd };

// An end of an arrow and the slice that it lies on.
struct FlowEnd {
  std::uint32_t category;
  std::uint32_t name;
  std::uint32_t id;
  std::uint32_t process;  // where the id is local
  std::int64_t atNs;
  std::uint32_t order;
  std::uint32_t slice;
  FlowRole role;
  bool used;

  [[nodiscard]] auto key() const { return std::tie(category, name, id, process); }
};

// Room for as many as were asked for: memory that nothing was written to yet, so that who writes first touches it.
struct FlowEnds {
  std::unique_ptr<FlowEnd[]> ends;
  std::size_t size = 0;
  std::uint64_t firstUnbound = TraceHealth::kNowhere;  // order of the first that is no end of an arrow
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
  std::vector<Numbering> numberings;       // by block
  std::vector<RawSlice> paired;            // their `thread` is a track
  std::vector<const RawPoint*> instants;
  std::vector<const RawPoint*> flowEnds;
  FlowEnds placedEnds;
  std::int64_t zeroNs = 0;  // of the raw clock
  std::int64_t endNs = 0;   // raw clock, of slices, instants and samples
  bool timed = false;
  std::vector<std::uint32_t> sliceOfOrder;                      // element of traceEvents -> slice, kNone
  std::unordered_map<std::uint32_t, std::uint32_t> beginOfEnd;  // orders; kept where events have stacks

  // For the i-th turn of a long loop: whether to leave off.
  [[nodiscard]] bool stopped(std::size_t i) const { return (i & 0xFFFF) == 0 && stop.stop_requested(); }
  [[nodiscard]] CategoryClass classOf(std::uint16_t category) const { return categories[category].kind; }
  [[nodiscard]] std::uint32_t trackOf(const RawSlice& slice) const {
    return sliceTracks[slice.thread * kSides + static_cast<std::size_t>(categories[slice.category].side)];
  }
  // The row for an event of this side on this thread; made at first use.
  std::uint32_t trackFor(std::uint32_t thread, Side side, std::uint32_t order);
  std::uint32_t processFor(const RawIdentity& pid, bool device, std::uint32_t order);
};

// Steps, in order.
bool mergeBlocks(BuilderState& state, unsigned threads);    // false: more than 2^32 - 2 events
void pairSpans(BuilderState& state);                        // B/E and async: fills `paired` and `instants`
void nameRows(BuilderState& state);                         // processes and tracks in drawing order
void placeFlowEnds(BuilderState& state, unsigned threads);  // fills `placedEnds`
void connectFlows(BuilderState& state);                     // uses them up
// Fills the table of device work and nothing else, so that it may run beside connectFlows(); returns what it noted.
TraceHealth linkDeviceWork(const BuilderState& state);
void keepStacks(BuilderState& state);
void summarise(BuilderState& state);

// Tells words from numbers: "w7" and "n7".
[[nodiscard]] std::string keyOf(const RawIdentity& identity);

}  // namespace attnscope
