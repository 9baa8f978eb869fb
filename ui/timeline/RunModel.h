// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What the timeline knows of one ready run beside the session: display tracks, their indexes, the labels of slices,
// and which kernels a launch started. Made in a worker, O(slices + n log n of the device work), then owned by the GUI
// thread; the threads that draw a frame read it.

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/analysis/Stages.h"
#include "core/index/NameIndex.h"
#include "ui/timeline/DisplayTracks.h"
#include "ui/timeline/SliceRaster.h"

namespace attnscope::ui {

class RunModel : public RowNames {
 public:
  explicit RunModel(std::shared_ptr<const DisplayTracks> tracks);

  [[nodiscard]] const DisplayTracks& tracks() const { return *m_tracks; }
  [[nodiscard]] std::shared_ptr<const DisplayTracks> sharedTracks() const { return m_tracks; }
  [[nodiscard]] std::uint32_t kinds() const { return m_kinds; }  // bit a WorkKind that some slice is drawn as
  [[nodiscard]] const RunFacts& facts() const { return *m_tracks->facts; }
  [[nodiscard]] const Trace& trace() const { return *m_tracks->facts->trace; }
  void setIndexes(std::shared_ptr<const DisplayIndexes> indexes) { m_indexes = std::move(indexes); }
  [[nodiscard]] bool isIndexed() const { return m_indexes != nullptr; }
  void setNames(std::shared_ptr<const NameIndex> names) { m_names = std::move(names); }
  [[nodiscard]] const NameIndex* names() const { return m_names.get(); }  // nullptr until it is made
  [[nodiscard]] const RowIndex& rowIndex(int track, int row) const;
  [[nodiscard]] const CounterIndex& counterIndex(int track) const;
  [[nodiscard]] const CounterIndex& secondIndex(int track) const;  // of DisplayCounter::second

  [[nodiscard]] std::string_view label(SliceId slice) const override;
  [[nodiscard]] bool isUnfinished(SliceId slice) const override;
  // "Softmax": the recorded stage that a slice of the compared row does most of; empty where none is known.
  [[nodiscard]] std::string_view stage(SliceId slice) const;

  // The launch of a kernel; kNoSlice.
  [[nodiscard]] SliceId launchOf(SliceId kernel) const;
  // Kernels of a launch, in the table's order.
  [[nodiscard]] std::vector<SliceId> launchedBy(SliceId launch) const;
  // The first by start of the kernels launched inside an operator; kNoSlice. O(rows of its track * log n + launches
  // inside it).
  [[nodiscard]] SliceId firstKernelUnder(SliceId ancestor) const;
  // The outermost operator around a slice, or around the launch of a kernel; the slice itself where there is none.
  [[nodiscard]] SliceId chainTop(SliceId slice) const;
  // That operator, all that lies inside it, and what was launched there. Ascending. O(what it holds).
  [[nodiscard]] std::vector<SliceId> chainOf(SliceId slice) const;
  // Time of the compared row's slices that start in `range`.
  [[nodiscard]] std::int64_t comparedWorkNs(TimeRange range) const;  // O(log n)

 private:
  std::shared_ptr<const DisplayTracks> m_tracks;
  std::shared_ptr<const DisplayIndexes> m_indexes;
  std::shared_ptr<const NameIndex> m_names;
  void shortenNames();
  void nameStages();

  std::unordered_map<std::uint32_t, std::string> m_shortNames;  // of kernels and modules that have one, by StringId
  std::unordered_map<std::uint32_t, std::string> m_stageWords;  // by the annotation's StringId
  std::vector<StagedSlice> m_stages;                            // by slice
  std::uint32_t m_kinds = 0;
  std::vector<std::vector<std::int64_t>> m_workUntil;  // by row of the compared track, then position: the sum before it
  std::vector<std::pair<SliceId, SliceId>> m_launches;  // launch, kernel; sorted
};

// What the compared row is labelled by: stages, and names where none is known.
class StageLabels : public RowNames {
 public:
  explicit StageLabels(const RunModel& model) : m_model(model) {}
  [[nodiscard]] std::string_view label(SliceId slice) const override {
    const std::string_view stage = m_model.stage(slice);
    return stage.empty() ? m_model.label(slice) : stage;
  }
  [[nodiscard]] bool isUnfinished(SliceId slice) const override { return m_model.isUnfinished(slice); }

 private:
  const RunModel& m_model;
};

// Position of the slice under `ns`; where there is none, of one that starts within `slackNs` of it: what is drawn is
// at least a pixel wide. Else row.size().
[[nodiscard]] std::uint32_t positionAt(RowColumns row, double ns, double slackNs);

}  // namespace attnscope::ui
