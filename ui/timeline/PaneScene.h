// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Everything that a pane is painted from and hit-tested with, as one value of a moment: what is drawn and what is hit
// cannot differ. Logical px of the pane unless said. GUI thread.

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <QPoint>
#include <QRect>
#include <QSize>

#include "ui/bridge/Session.h"
#include "ui/theme/Theme.h"
#include "ui/timeline/PaneLayout.h"
#include "ui/timeline/RunModel.h"
#include "ui/timeline/TimeScale.h"
#include "ui/timeline/TimelineState.h"

namespace attnscope::ui {

// Positions of selected slices by (track, row), ascending.
using SelectedRows = std::map<std::pair<int, int>, std::vector<std::uint32_t>>;

// `slices` ascending. O(slices * rows of a track * log n) of a few, O(n) of many.
[[nodiscard]] SelectedRows selectedRows(const DisplayTracks& tracks, const std::vector<SliceId>& slices);

// Times of what a search found in a row, in order: side by side, for a frame that has to look at many of them.
struct FoundRow {
  std::vector<std::int64_t> startNs;
  std::vector<std::int64_t> endNs;
};
using FoundRows = std::map<std::pair<int, int>, FoundRow>;  // by (track, row)
[[nodiscard]] FoundRows foundRows(const DisplayTracks& tracks, const std::vector<SliceId>& slices);
// Device columns [first, second) that they cover in a view, in order, not touching. `anchorNs`: own time of aligned
// zero. O(columns * log n), however many there are.
[[nodiscard]] std::vector<std::pair<int, int>> foundColumns(const FoundRow& row, const TimeScale& scale,
                                                            std::int64_t anchorNs);

struct HitSlice {
  SlicePlace place;
  SliceId slice = kNoSlice;
};

struct PaneScene {
  const Session* session = nullptr;
  const Theme* theme = nullptr;
  const TimelineState* state = nullptr;
  const RunModel* model = nullptr;
  const PaneLayout* layout = nullptr;
  const SelectedRows* selected = nullptr;
  const FoundRows* found = nullptr;  // of a search; nullptr: none
  int run = 0;
  int scrollY = 0;
  QSize size;
  double ratio = 1;
  TimeScale scale;
  std::int64_t anchorNs = 0;           // own time of aligned zero
  TimeRange scope = TimeRange::all();  // own time
  int headerWidth = 200;

  [[nodiscard]] int trackWidth() const { return size.width() - headerWidth; }
  [[nodiscard]] QRect scrolled() const;  // where items that scroll show, header column included
  [[nodiscard]] QRect pinnedZone() const;
  [[nodiscard]] QRect areaOf(const LayoutItem& item) const { return item.isPinned ? pinnedZone() : scrolled(); }
  [[nodiscard]] int topOf(const LayoutItem& item) const;  // in the pane
  [[nodiscard]] int seamTop() const;
  [[nodiscard]] double ownStartNs() const { return scale.startNs + static_cast<double>(anchorNs); }
  [[nodiscard]] double ownEndNs() const { return scale.endNs() + static_cast<double>(anchorNs); }
  [[nodiscard]] double alignedNs(std::int64_t own) const { return static_cast<double>(own - anchorNs); }
  // Left edge on a whole device pixel, as the raster draws it; from the pane's left.
  [[nodiscard]] double xOf(std::int64_t own) const;

  struct Band {
    RowBox box;     // in the pane
    QRect visible;  // of its area, header column left out
  };
  [[nodiscard]] std::optional<Band> bandOf(int track, int row) const;
  // As it is drawn: at least a device pixel wide. Null where its row does not show.
  [[nodiscard]] QRectF sliceRect(const SlicePlace& place) const;
  [[nodiscard]] QRectF sliceRect(SliceId slice) const;  // the first place that shows
  [[nodiscard]] std::optional<HitSlice> hit(QPointF position) const;
  // The idle time of the stream whose first row is there, where no slice is; nullptr.
  [[nodiscard]] const IdleGap* gapAt(QPointF position) const;
  // The track under y: item of the layout or the one at the seam; -1: none.
  [[nodiscard]] int trackAt(int y) const;
  [[nodiscard]] const LayoutItem* itemAt(int y) const;
};

}  // namespace attnscope::ui
