// SPDX-License-Identifier: Apache-2.0
#pragma once

// One trace in columns: built once by TraceBuilder, then immutable and shared between threads as
// std::shared_ptr<const Trace>.
//
// Invariants
// - Times are integer ns from the trace's zero; `base` says where that zero lies in the file's clock.
// - Slices are ordered by (track, depth, start): the slices of one drawn row are one contiguous span of
//   every column. The row number is the SliceId. Two slices of one (track, depth) do not overlap.
// - All columns of a table have the same length. Side tables are sorted by their slice or time column.
// - Nothing that was read is missing: what could not be kept is counted in `health`.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/Ids.h"
#include "core/base/Result.h"
#include "core/base/StringPool.h"
#include "core/base/TimeRange.h"
#include "core/trace/TraceHealth.h"
#include "core/trace/WorkKind.h"

namespace attnscope {

inline constexpr std::int64_t kNoNumber = INT64_MIN;  // "not recorded" in integer columns

// A pid or tid: a number, or a word ("stream 7"). A numeric string is a number. Missing is the number 0.
struct Identity {
  StringId word = kNoString;
  std::int64_t number = 0;
  bool operator==(const Identity&) const = default;
};

// Bytes [begin, begin + length) of the unpacked text; length 0: none.
struct TextRange {
  std::uint64_t begin = 0;
  std::uint32_t length = 0;
};

struct SliceTable {
  std::vector<std::int64_t> startNs;
  std::vector<std::int64_t> durationNs;  // never negative
  std::vector<StringId> name;            // kNoString: the event has none
  std::vector<StringId> category;
  std::vector<WorkKind> kind;
  std::vector<CategoryClass> categoryClass;
  std::vector<bool> finished;          // false: no end was recorded, it runs to the end of the trace
  std::vector<bool> markedUnfinished;  // args say "finished": false: open when the profiler stopped
  std::vector<TrackId> track;
  std::vector<std::uint32_t> depth;       // row within the track
  std::vector<SliceId> parent;            // the slice it is drawn inside; kNoSlice at the top
  std::vector<std::uint32_t> order;       // element of traceEvents, from 0
  std::vector<std::int64_t> correlation;  // kNoNumber: none (also for 0, -1, 4294967295)
  std::vector<std::int64_t> externalId;   // args "External id" (any spelling); kNoNumber: none
  std::vector<StringId> inputDims;        // canonical text of args "Input Dims" ("[[8, 64], []]"); kNoString: none
  std::vector<std::uint64_t> argsBegin;   // with argsLength: where the args object lies in the text
  std::vector<std::uint32_t> argsLength;  // 0: no args

  [[nodiscard]] std::size_t size() const { return startNs.size(); }
  [[nodiscard]] std::int64_t endNs(SliceId id) const { return startNs[index(id)] + durationNs[index(id)]; }
  [[nodiscard]] TextRange args(SliceId id) const { return {argsBegin[index(id)], argsLength[index(id)]}; }
};

// Facts of kernels, copies, memsets and synchronisations of a device, sorted by slice.
struct DeviceWorkTable {
  std::vector<SliceId> slice;
  std::vector<std::int32_t> device;     // -1: not recorded
  std::vector<std::int64_t> stream;     // kNoNumber: not recorded
  std::vector<SliceId> launch;          // the runtime or driver call: by correlation, else by arrow; kNoSlice
  std::vector<SliceId> launchOperator;  // innermost cpu_op it is linked to as core/analysis/README.md says; kNoSlice
  std::vector<std::array<std::int32_t, 3>> grid;  // {0,0,0}: not recorded
  std::vector<std::array<std::int32_t, 3>> block;
  std::vector<std::int32_t> registersPerThread;  // -1: not recorded, likewise below
  std::vector<std::int64_t> sharedMemoryBytes;
  std::vector<float> occupancyReported;  // 0..1; negative: not recorded
  std::vector<std::int64_t> bytes;       // of a copy or memset; -1

  [[nodiscard]] std::size_t size() const { return slice.size(); }
  // Row of `id`, or nullopt. O(log n).
  [[nodiscard]] std::optional<std::size_t> find(SliceId id) const;
};

enum class InstantScope : std::uint8_t { kThread, kProcess, kGlobal };

inline constexpr std::uint32_t kNoFrame = 0xFFFFFFFFu;

// Call stacks that a recorder took where slices begin and end: `stackFrames` with `sf` and `esf`, or `stack` lists.
// Frames form a forest: `parent` is the frame that called this one, and has no cycles.
struct StackTable {
  std::vector<StringId> frameName;
  std::vector<StringId> frameCategory;
  std::vector<std::uint32_t> frameParent;  // kNoFrame: outermost
  std::vector<SliceId> slice;              // sorted; slices that have a stack
  std::vector<std::uint32_t> atBegin;      // innermost frame; kNoFrame: not recorded
  std::vector<std::uint32_t> atEnd;

  [[nodiscard]] std::size_t size() const { return slice.size(); }
  // Row of `id`, or nullopt. O(log n).
  [[nodiscard]] std::optional<std::size_t> find(SliceId id) const;
  // From `frame` outwards; empty for kNoFrame.
  [[nodiscard]] std::vector<StringId> names(std::uint32_t frame) const;
};

struct InstantTable {  // sorted by (time, order); [memory] records are among them
  std::vector<std::int64_t> atNs;
  std::vector<StringId> name;
  std::vector<StringId> category;
  std::vector<InstantScope> scope;
  std::vector<TrackId> track;  // kNoTrack: no row of its own ("" as pid)
  std::vector<std::uint32_t> order;
  std::vector<std::uint64_t> argsBegin;
  std::vector<std::uint32_t> argsLength;
  [[nodiscard]] std::size_t size() const { return atNs.size(); }
};

// [memory] records, sorted by (time, Ev Idx where both have one, order).
struct MemoryTable {
  std::vector<std::int64_t> atNs;
  std::vector<std::int64_t> bytes;  // negative: a free
  std::vector<std::uint64_t> address;
  std::vector<std::int64_t> totalAllocated;  // kNoNumber: not recorded (2021)
  std::vector<std::int64_t> totalReserved;
  std::vector<std::int16_t> deviceType;  // 0 CPU, 1 CUDA, 6 HIP, ...
  std::vector<std::int16_t> deviceId;    // -1 for CPU
  std::vector<TrackId> track;            // thread that asked
  std::vector<std::uint32_t> order;
  [[nodiscard]] std::size_t size() const { return atNs.size(); }
};

// One for each (pid, name, id, series), samples sorted by time. A gap is NaN.
struct CounterSeries {
  StringId name = kNoString;
  StringId id = kNoString;
  StringId series = kNoString;
  ProcessId process = kNoProcess;
  TrackId track = kNoTrack;
  std::vector<std::int64_t> atNs;
  std::vector<double> value;
};

// Arrows, each from one slice to one slice, sorted by `from`.
struct FlowTable {
  std::vector<SliceId> from;
  std::vector<SliceId> to;
  std::vector<StringId> category;
  std::vector<std::uint32_t> byTarget;  // rows sorted by `to`
  std::uint64_t unbound = 0;            // flow ends that are part of no arrow
  [[nodiscard]] std::size_t size() const { return from.size(); }
  [[nodiscard]] std::pair<std::size_t, std::size_t> leaving(SliceId id) const;   // rows [first, second)
  [[nodiscard]] std::pair<std::size_t, std::size_t> arriving(SliceId id) const;  // positions in byTarget
};

enum class ProcessKind : std::uint8_t { kHost, kDevice, kOther };

struct Process {
  Identity pid;
  std::string name;
  std::string labels;
  std::vector<std::string> earlierNames;
  ProcessKind kind = ProcessKind::kOther;
  std::int32_t device = -1;  // index, where kind is kDevice
  std::optional<double> sortIndex;
};

enum class TrackKind : std::uint8_t { kThread, kStream, kAsync, kCounter, kSpans };
[[nodiscard]] std::string_view toString(TrackKind kind);

struct RowSpan {  // slices [first, first + count) are one drawn row
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

struct Track {
  TrackKind kind = TrackKind::kThread;
  ProcessId process = kNoProcess;
  Identity tid;
  std::string name;  // as a person should see it: "python 2914, main thread", "stream 7"
  std::int32_t device = -1;
  std::int64_t stream = kNoNumber;
  std::optional<double> sortIndex;
  std::uint32_t firstSlice = 0;
  std::uint32_t sliceCount = 0;
  std::vector<RowSpan> rows;  // by depth
};

struct DeviceProperties {
  std::int32_t id = 0;
  std::string name;
  std::int64_t smCount = -1;
  std::int64_t memoryBytes = -1;
  std::int32_t computeMajor = -1;
  std::int32_t computeMinor = -1;
  std::int64_t registersPerSm = -1;
  std::int64_t sharedMemoryPerSm = -1;
  std::int64_t sharedMemoryPerBlockOptin = -1;
  std::int64_t maxThreadsPerSm = -1;
  std::int64_t maxThreadsPerBlock = -1;
  std::int64_t warpSize = -1;
};

struct Step {  // ProfilerStep#N, in order of start
  StringId name = kNoString;
  SliceId slice = kNoSlice;
  std::int64_t startNs = 0;
  std::int64_t durationNs = 0;
};

struct Rank {
  std::int64_t index = -1;  // -1: unknown
  std::string source;       // "distributedInfo", "file-name", "order"; empty: unknown
};

struct LoadStage {
  std::string name;
  double seconds = 0;
};

struct LoadReport {
  double seconds = 0;
  std::uint64_t peakRssBytes = 0;
  std::uint64_t repairedBytes = 0;  // text of damaged events, which was read again to find where they end
  std::vector<LoadStage> stages;
};

// Reads bytes of the unpacked text when somebody asks. Thread-safe.
class ArgsSource {
 public:
  virtual ~ArgsSource() = default;
  // The text of the range, or why it is gone (the file changed).
  [[nodiscard]] virtual Result<std::string> read(TextRange range) const = 0;
};

struct Trace {
  std::string path;      // as it was opened
  std::string format;    // "chrome-json"
  std::string producer;  // "kineto", "kineto-rocm", "chrome", "unknown"...
  std::uint64_t fileBytes = 0;
  std::uint64_t events = 0;  // elements of traceEvents seen
  // Decimal ns of the trace's zero; may exceed 64 bits.
  std::string writtenZero;  // in the clock of the events as they are written
  std::string base;         // with baseTimeNanoseconds added
  TimeRange range;          // of slices, instants and counter samples; {0,0} when there are none
  TimeRange dense;          // of the first view
  bool timed = false;       // any slice, instant or sample at all
  bool partial = false;     // of the beginning of a file whose rest is still being read

  StringPool strings;
  SliceTable slices;
  DeviceWorkTable deviceWork;
  InstantTable instants;
  MemoryTable memory;
  std::vector<CounterSeries> counters;
  std::uint64_t counterSamples = 0;  // C events that gave any series a value or a gap, plus packed entries
  FlowTable flows;
  StackTable stacks;
  std::uint64_t kernels = 0;

  std::vector<Process> processes;
  std::vector<Track> tracks;  // in the order in which they are drawn
  std::vector<DeviceProperties> devices;
  std::vector<Step> steps;
  Rank rank;
  std::vector<std::pair<std::string, std::string>> metadata;  // top-level key, its JSON text (long strings cut)
  TraceHealth health;
  LoadReport load;
  std::shared_ptr<const ArgsSource> argsSource;

  [[nodiscard]] std::string_view name(SliceId id) const { return strings.view(slices.name[index(id)]); }
  [[nodiscard]] std::string_view category(SliceId id) const { return strings.view(slices.category[index(id)]); }
  [[nodiscard]] bool hasDeviceWork() const { return deviceWork.size() != 0; }
  [[nodiscard]] std::string identityText(const Identity& identity) const;
  // Slices of the row that overlap [range): positions [first, second). O(log n).
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> slicesIn(RowSpan row, TimeRange range) const;
  // A name for people: the title metadata gives, else the file's name without its endings.
  [[nodiscard]] std::string title() const;
};

// How much later the zero of `b` lies than that of `a`, which was written by the same clock.
[[nodiscard]] double zeroDistanceNs(const Trace& a, const Trace& b);

}  // namespace attnscope
