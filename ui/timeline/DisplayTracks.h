// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a pane draws of a trace: display tracks of rows. A track of the model whose slices are all of one sort is drawn
// from the trace's own columns. One that mixes sorts is split: modules, operators and Python frames of a thread;
// annotations and work of a stream; steps and annotations of a thread, as a band above its operators. Then each sort is
// nested on its own, so that a deep Python stack does not push operators out of view. The compared track is a single
// row of work: what the device did, or, where no device computes, the leaf operators of a thread. Beside what was
// recorded stand tracks that are worked out: per device the launches that wait and the share of time it is busy, and
// where each stream is idle and why. Immutable after build; made in a worker.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/DeviceTimeline.h"
#include "core/index/CounterIndex.h"
#include "core/index/RowIndex.h"
#include "core/trace/Trace.h"
#include "ui/bridge/Run.h"

namespace attnscope::ui {

// A drawn row: a stretch of the trace's columns, or columns of its own where the track was split.
struct DisplayRow {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::vector<std::int64_t> startNs;
  std::vector<std::int64_t> durationNs;
  std::vector<std::uint8_t> paintClass;
  std::vector<SliceId> slices;  // empty: those from `first` on

  [[nodiscard]] RowColumns columns(const RunFacts& facts) const;
  [[nodiscard]] SliceId slice(std::uint32_t position) const {
    return slices.empty() ? SliceId{first + position} : slices[position];
  }
  [[nodiscard]] std::uint32_t size() const {
    return slices.empty() ? count : static_cast<std::uint32_t>(slices.size());
  }
};

enum class DisplaySort : std::uint8_t {
  kWork,     // the compared row
  kSlices,   // whatever is not split off
  kBand,     // steps and annotations of a thread
  kModules,  // nn.Module frames of a thread
  kPython,   // other Python frames
  kAnnotations,
  kCounter,
};

enum class CounterUnit : std::uint8_t { kNumber, kBytes, kShare };

struct DisplayCounter {
  std::vector<std::int64_t> atNs;
  std::vector<double> value;
  std::vector<double> second;  // reserved bytes; empty: none
  CounterUnit unit = CounterUnit::kNumber;
};

struct DisplayTrack {
  DisplaySort sort = DisplaySort::kSlices;
  TrackId track = kNoTrack;
  int group = 0;
  std::string name;
  std::string detail;  // second line
  std::vector<DisplayRow> rows;
  std::shared_ptr<const DisplayCounter> counter;
  std::uint32_t sliceCount = 0;
  bool foldedAtFirst = false;
};

struct DisplayGroup {  // a process or device
  std::string name;
  std::string what;  // "CPU", "NVIDIA H100 80GB HBM3"
  bool isDevice = false;
};

// Where a slice is drawn.
struct SlicePlace {
  int track = -1;  // of DisplayTracks::tracks
  int row = 0;
  std::uint32_t position = 0;
};

struct DisplayTracks {
  std::shared_ptr<const RunFacts> facts;
  std::vector<DisplayGroup> groups;
  std::vector<DisplayTrack> tracks;  // in the order of drawing
  int compared = -1;                 // of tracks, sort kWork; -1: none
  std::vector<IdleGap> gaps;         // of all streams, by (track, start)

  // The row that holds it, the compared one first. O(rows * log n) of its track.
  [[nodiscard]] std::optional<SlicePlace> find(SliceId slice) const;
  // Where the stream was idle at a time; nullptr: it was not, or it is no stream. O(log n).
  [[nodiscard]] const IdleGap* gapAt(TrackId track, double ns) const;
  // Every row that holds it: a leaf operator stands in its thread and in the compared row.
  [[nodiscard]] std::vector<SlicePlace> findAll(SliceId slice) const;
};
[[nodiscard]] std::shared_ptr<const DisplayTracks> makeDisplayTracks(std::shared_ptr<const RunFacts> facts);

// Indexes of the rows and counters, made after the tracks; rows without one are drawn by walking their slices.
struct DisplayIndexes {
  std::vector<std::vector<RowIndex>> rows;  // by track and row
  std::vector<CounterIndex> counters;       // by track
  std::vector<CounterIndex> seconds;        // by track, of DisplayCounter::second
  std::size_t bytes = 0;
};
[[nodiscard]] std::shared_ptr<const DisplayIndexes> makeDisplayIndexes(const DisplayTracks& tracks);

// Slices in order of start, put into as few rows as hold them without overlap, each below the one it lies in.
[[nodiscard]] std::vector<std::vector<SliceId>> nestIntoRows(const Trace& trace, std::vector<SliceId> slices);

}  // namespace attnscope::ui
