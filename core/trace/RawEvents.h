// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a reader found, before anything is sorted or linked: the input of TraceBuilder. Blocks are filled side by
// side, each by one thread, with names and rows numbered within the block.

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/Ids.h"
#include "core/base/StringPool.h"
#include "core/trace/Trace.h"
#include "core/trace/TraceHealth.h"

namespace attnscope {

using Int128 = __int128_t;  // ns of a file's clock: microseconds written as ns do not fit into 64 bits

inline constexpr std::uint32_t kNone = 0xFFFFFFFFu;
// Ids of arrows and async spans: a string, or a small number with this bit set.
inline constexpr std::uint32_t kNumericId = 0x80000000u;

// Flags of RawSlice and RawPoint.
inline constexpr std::uint8_t kNoDuration = 1;      // X without a length that can be read
inline constexpr std::uint8_t kMarkedOpen = 2;      // args say "finished": false
inline constexpr std::uint8_t kBindsEnclosing = 4;  // "bp": "e"
inline constexpr std::uint8_t kFlowIn = 8;          // version 2 arrows, on slices
inline constexpr std::uint8_t kFlowOut = 16;
inline constexpr std::uint8_t kLocalId = 32;      // the id counts within its process
inline constexpr std::uint8_t kUnfinished = 128;  // set by the builder

struct RawSlice {  // an X event; the builder adds what it paired
  std::int64_t startNs = 0;
  std::int64_t durationNs = 0;
  std::uint64_t argsBegin = 0;
  std::int64_t correlation = kNoNumber;
  std::int64_t externalId = kNoNumber;
  std::uint32_t argsLength = 0;
  std::uint32_t name = kNone;
  std::uint32_t thread = 0;
  std::uint32_t order = 0;
  std::uint32_t inputDims = kNone;
  std::uint16_t category = 0;  // row of RawBlock::categories
  std::uint8_t flags = 0;
};

struct RawPoint {  // any other event with a place in time
  std::int64_t atNs = 0;
  std::uint64_t argsBegin = 0;
  std::uint64_t keptArgs =
      0;  // begin of a copy of the args in RawBlock::kept, as long as argsLength (B, E, b, e, S, F)
  std::uint32_t argsLength = 0;
  std::uint32_t name = kNone;
  std::uint32_t thread = 0;
  std::uint32_t order = 0;
  std::uint32_t id = kNone;
  std::uint16_t category = 0;
  char phase = 0;
  char scope = 0;  // of an instant: g, p, t
  std::uint8_t flags = 0;
};

struct RawBind {  // a version 2 arrow end on a slice or a B or b event
  std::uint32_t order = 0;
  std::uint32_t id = kNone;
  std::uint8_t flags = 0;
};

struct RawStack {  // the stacks of an event: each a frame's id, or the text of a list, innermost first
  std::uint32_t order = 0;
  std::uint32_t begin = kNone;
  std::uint32_t end = kNone;
  bool beginIsList = false;
  bool endIsList = false;
};

struct RawFrame {  // a member of stackFrames, as text
  std::string id;
  std::string name;
  std::string category;
  std::string parent;  // id; empty: outermost
};

struct RawDeviceFacts {  // args of device work
  std::uint32_t order = 0;
  std::int32_t device = -1;
  std::int64_t stream = kNoNumber;
  std::array<std::int32_t, 3> grid{};
  std::array<std::int32_t, 3> block{};
  std::int32_t registersPerThread = -1;
  std::int64_t sharedMemoryBytes = -1;
  float occupancy = -1;
  std::int64_t bytes = -1;
};

struct RawMemory {
  std::int64_t atNs = 0;
  std::int64_t bytes = 0;
  std::uint64_t address = 0;
  std::int64_t totalAllocated = kNoNumber;
  std::int64_t totalReserved = kNoNumber;
  std::int64_t eventIndex = kNoNumber;
  std::int16_t deviceType = 0;
  std::int16_t deviceId = -1;
  std::uint32_t thread = 0;
  std::uint32_t order = 0;
};

struct RawSample {  // one value of a counter
  std::int64_t atNs = 0;
  std::uint32_t thread = 0;
  std::uint32_t name = kNone;
  std::uint32_t id = kNone;
  std::uint32_t series = kNone;
  std::uint32_t order = 0;
  double value = 0;
};

struct RawMetadata {  // M events that name or order rows
  enum class Kind : std::uint8_t { kProcessName, kProcessLabels, kProcessSort, kThreadName, kThreadSort };
  Kind kind = Kind::kProcessName;
  std::uint32_t thread = 0;
  std::uint32_t order = 0;
  std::string text;
  double number = 0;
  bool hasNumber = false;
};

struct RawIdentity {
  std::string word;  // used where isWord
  std::int64_t number = 0;
  bool isWord = false;
  bool missing = false;
  bool operator==(const RawIdentity&) const = default;
};

struct RawThread {
  RawIdentity pid;
  RawIdentity tid;
};

// The row that an event goes to: of a thread of the host, of a device, of the recorder itself; kEither: where the
// others of its thread are.
enum class Side : std::uint8_t { kHost, kDevice, kEither, kSpans };
inline constexpr std::size_t kSides = 4;
[[nodiscard]] Side sideOf(CategoryClass category);

struct RawCategory {
  RawCategory() = default;
  RawCategory(std::uint32_t name_, CategoryClass kind_) : name(name_), kind(kind_), side(sideOf(kind_)) {}
  std::uint32_t name = kNone;  // in `strings`
  CategoryClass kind = CategoryClass::kOther;
  Side side = Side::kEither;
};

struct RawSeen {                // X events of a side of a thread
  std::uint32_t first = kNone;  // order
  std::uint32_t count = 0;
};

struct RawBlock {
  // An X event whose category and thread are there already. So long that its end leaves 64 bits, it is cut.
  void add(RawSlice slice) {
    if (slice.startNs > 0) slice.durationNs = std::min(slice.durationNs, INT64_MAX / 2 - slice.startNs);
    see(slice, categories[slice.category].side);
    firstNs = std::min(firstNs, slice.startNs);
    lastNs = std::max(lastNs, slice.startNs + slice.durationNs);
    durationSum += slice.durationNs;
    slices.push_back(slice);
  }
  void see(const RawSlice& slice, Side side) {
    const std::size_t place = slice.thread * kSides + static_cast<std::size_t>(side);
    if (place >= seen.size()) seen.resize(threads.size() * kSides);
    if (seen[place].count++ == 0) seen[place].first = slice.order;
  }

  StringPool strings;
  std::vector<RawCategory> categories;
  std::vector<RawThread> threads;
  std::vector<RawSlice> slices;
  std::vector<RawSeen> seen;         // of the slices, by [thread x kSides + side]; may be shorter
  std::int64_t firstNs = INT64_MAX;  // of the slices
  std::int64_t lastNs = INT64_MIN;
  Int128 durationSum = 0;
  std::vector<RawPoint> points;
  std::vector<RawBind> binds;
  std::vector<RawStack> stacks;
  std::vector<RawDeviceFacts> deviceFacts;  // by order
  std::vector<RawMemory> memory;
  std::vector<RawSample> samples;
  std::vector<RawMetadata> metadata;
  std::string kept;
  std::uint64_t counterSamples = 0;
  std::uint64_t events = 0;         // elements seen; `order` counts within the block
  std::uint64_t repairedBytes = 0;  // of events that are no JSON, which were read again to find where they end
  TraceHealth health;               // firstEvent counts within the block
};

struct RawTrace {
  std::vector<RawBlock> blocks;
  Int128 clockOrigin = 0;       // added to every ns gives the file's clock
  Int128 baseTimeNs = 0;        // baseTimeNanoseconds
  std::uint64_t textBytes = 0;  // of the unpacked text; what the builder writes itself lies behind it
  std::vector<std::pair<std::string, std::string>> metadata;  // top-level key, its JSON text
  std::unordered_map<std::string, std::size_t> metadataRow;   // by key
  std::vector<DeviceProperties> devices;
  std::vector<RawFrame> frames;
  std::string path;
  std::uint64_t fileBytes = 0;
  TraceHealth health;
  std::vector<LoadStage> stages;
};

}  // namespace attnscope
