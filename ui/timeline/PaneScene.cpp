// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/PaneScene.h"

#include <algorithm>
#include <cmath>

namespace attnscope::ui {

namespace {
constexpr double kSlackPixels = 2;  // how far beside a thin slice the pointer may be

// A row of the trace's own columns holds a stretch of them; a row that was split off is walked.
SelectedRows rowsOfMany(const DisplayTracks& tracks, const std::vector<SliceId>& slices) {
  SelectedRows rows;
  std::vector<bool> isWanted;
  for (int track = 0; track < static_cast<int>(tracks.tracks.size()); ++track) {
    const std::vector<DisplayRow>& own = tracks.tracks[static_cast<std::size_t>(track)].rows;
    for (int at = 0; at < static_cast<int>(own.size()); ++at) {
      const DisplayRow& row = own[static_cast<std::size_t>(at)];
      std::vector<std::uint32_t> positions;
      if (row.slices.empty()) {
        auto found = std::lower_bound(slices.begin(), slices.end(), SliceId{row.first});
        for (; found != slices.end() && index(*found) < row.first + row.count; ++found) {
          positions.push_back(static_cast<std::uint32_t>(index(*found)) - row.first);
        }
      } else {
        if (isWanted.empty()) {
          isWanted.resize(tracks.facts->trace->slices.size());
          for (const SliceId slice : slices) isWanted[index(slice)] = true;
        }
        for (std::uint32_t position = 0; position < row.slices.size(); ++position) {
          if (isWanted[index(row.slices[position])]) positions.push_back(position);
        }
      }
      if (!positions.empty()) rows.emplace(std::pair{track, at}, std::move(positions));
    }
  }
  return rows;
}
}  // namespace

SelectedRows selectedRows(const DisplayTracks& tracks, const std::vector<SliceId>& slices) {
  constexpr std::size_t kFew = 1000;
  if (slices.size() > kFew) return rowsOfMany(tracks, slices);
  SelectedRows rows;
  for (const SliceId slice : slices) {
    for (const SlicePlace& place : tracks.findAll(slice)) rows[{place.track, place.row}].push_back(place.position);
  }
  for (auto& [where, positions] : rows) std::sort(positions.begin(), positions.end());
  return rows;
}

FoundRows foundRows(const DisplayTracks& tracks, const std::vector<SliceId>& slices) {
  FoundRows found;
  for (const auto& [where, positions] : selectedRows(tracks, slices)) {
    const DisplayTrack& track = tracks.tracks[static_cast<std::size_t>(where.first)];
    const RowColumns columns = track.rows[static_cast<std::size_t>(where.second)].columns(*tracks.facts);
    FoundRow& row = found[where];
    row.startNs.reserve(positions.size());
    row.endNs.reserve(positions.size());
    for (const std::uint32_t position : positions) {
      row.startNs.push_back(columns.startNs[position]);
      row.endNs.push_back(columns.endNs(position));
    }
  }
  return found;
}

std::vector<std::pair<int, int>> foundColumns(const FoundRow& row, const TimeScale& scale, std::int64_t anchorNs) {
  std::vector<std::pair<int, int>> bars;
  const auto column = [&](std::int64_t own) {
    const double x = std::floor(scale.deviceXOf(static_cast<double>(own - anchorNs)));
    return static_cast<int>(std::clamp(x, -1.0, static_cast<double>(scale.columns)));
  };
  const double left = scale.startNs + static_cast<double>(anchorNs);
  const std::vector<std::int64_t>& starts = row.startNs;
  const std::size_t size = starts.size();
  // Slices of a row do not overlap: their ends are in order too.
  auto at =
      static_cast<std::size_t>(std::partition_point(row.endNs.begin(), row.endNs.end(),
                                                    [&](std::int64_t end) { return static_cast<double>(end) < left; }) -
                               row.endNs.begin());
  while (at < size && column(starts[at]) < scale.columns) {
    const int x0 = std::max(0, column(starts[at]));
    int x1 = std::max(x0 + 1, column(row.endNs[at]));
    // On to the first that starts in a later column: by steps that double, then back.
    const double next = left + x1 * scale.nsPerDevicePixel;
    std::size_t step = 1;
    std::size_t before = at;
    while (before + step < size && static_cast<double>(starts[before + step]) < next) {
      before += step;
      step *= 2;
    }
    const auto first = starts.begin() + static_cast<std::ptrdiff_t>(before) + 1;
    const auto last = starts.begin() + static_cast<std::ptrdiff_t>(std::min(size, before + step));
    at = static_cast<std::size_t>(
        std::partition_point(first, last, [&](std::int64_t ns) { return static_cast<double>(ns) < next; }) -
        starts.begin());
    // The last of those that were passed over may reach further than the first.
    x1 = std::max(x1, column(row.endNs[at - 1]));
    if (!bars.empty() && bars.back().second >= x0) {
      bars.back().second = std::max(bars.back().second, x1);
    } else {
      bars.emplace_back(x0, x1);
    }
  }
  return bars;
}

QRect PaneScene::pinnedZone() const {
  const bool isBelowSeam = layout->role == PaneRole::kLower || layout->role == PaneRole::kCompact;
  return {0, isBelowSeam ? layout->seamHeight : 0, size.width(), layout->pinnedHeight};
}

QRect PaneScene::scrolled() const {
  const QRect above = pinnedZone();
  const int height = size.height() - layout->pinnedHeight - layout->seamHeight;
  return {0, above.top() + above.height(), size.width(), std::max(0, height)};
}

int PaneScene::topOf(const LayoutItem& item) const {
  return item.isPinned ? pinnedZone().top() + item.y : scrolled().top() + item.y - scrollY;
}

int PaneScene::seamTop() const { return layout->role == PaneRole::kUpper ? size.height() - layout->seamHeight : 0; }

double PaneScene::xOf(std::int64_t own) const {
  const double column = std::clamp(std::floor(scale.deviceXOf(alignedNs(own))), -1e6, 1e6);
  return headerWidth + column / ratio;
}

std::optional<PaneScene::Band> PaneScene::bandOf(int track, int row) const {
  if (track == layout->seam) {
    RowBox box = layout->comparedRow(row);
    box.y += seamTop();
    box.sliceY += seamTop();
    return Band{box, QRect(headerWidth, seamTop(), trackWidth(), layout->seamHeight)};
  }
  const LayoutItem* item = layout->itemOf(track);
  if (!item) return std::nullopt;
  std::optional<RowBox> box = layout->rowIn(model->tracks(), *item, row);
  if (!box) return std::nullopt;
  const QRect area = areaOf(*item);
  box->y += topOf(*item) - item->y;
  box->sliceY += topOf(*item) - item->y;
  return Band{*box, QRect(headerWidth, area.top(), trackWidth(), area.height())};
}

QRectF PaneScene::sliceRect(const SlicePlace& place) const {
  const std::optional<Band> band = bandOf(place.track, place.row);
  if (!band) return {};
  const DisplayTrack& track = model->tracks().tracks[static_cast<std::size_t>(place.track)];
  const RowColumns columns = track.rows[static_cast<std::size_t>(place.row)].columns(model->facts());
  const double left = xOf(columns.startNs[place.position]);
  const double right = std::max(left + 1 / ratio, xOf(columns.endNs(place.position)));
  return {left, static_cast<double>(band->box.sliceY), right - left, static_cast<double>(band->box.sliceHeight)};
}

QRectF PaneScene::sliceRect(SliceId slice) const {
  for (const SlicePlace& place : model->tracks().findAll(slice)) {
    const QRectF rect = sliceRect(place);
    if (!rect.isNull()) return rect;
  }
  return {};
}

const LayoutItem* PaneScene::itemAt(int y) const {
  for (const std::vector<LayoutItem>* zone : {&layout->pinned, &layout->items}) {
    for (const LayoutItem& item : *zone) {
      const QRect area = areaOf(item);
      if (y < area.top() || y >= area.top() + area.height()) break;
      if (y >= topOf(item) && y < topOf(item) + item.height) return &item;
    }
  }
  return nullptr;
}

int PaneScene::trackAt(int y) const {
  if (layout->seam >= 0 && y >= seamTop() && y < seamTop() + layout->seamHeight) return layout->seam;
  const LayoutItem* item = itemAt(y);
  return item && item->kind == LayoutItem::Kind::kTrack ? item->at : -1;
}

const IdleGap* PaneScene::gapAt(QPointF position) const {
  if (position.x() < headerWidth || hit(position)) return nullptr;
  const int track = trackAt(static_cast<int>(std::floor(position.y())));
  if (track < 0) return nullptr;
  const DisplayTrack& display = model->tracks().tracks[static_cast<std::size_t>(track)];
  if (display.rows.empty() || display.sort == DisplaySort::kAnnotations) return nullptr;
  return model->tracks().gapAt(display.track, ownStartNs() + (position.x() - headerWidth) * scale.nsPerPixel());
}

std::optional<HitSlice> PaneScene::hit(QPointF position) const {
  if (position.x() < headerWidth) return std::nullopt;
  const int y = static_cast<int>(std::floor(position.y()));
  const int track = trackAt(y);
  if (track < 0) return std::nullopt;
  const DisplayTrack& display = model->tracks().tracks[static_cast<std::size_t>(track)];
  // The middle of the device pixel that is pointed at, so that a slice is hit where its pixels are.
  const double column = std::floor((position.x() - headerWidth) * ratio) + 0.5;
  const double ns = ownStartNs() + column * scale.nsPerDevicePixel;
  for (int row = 0; row < static_cast<int>(display.rows.size()); ++row) {
    const std::optional<Band> band = bandOf(track, row);
    if (!band || y < band->box.sliceY || y >= band->box.sliceY + band->box.sliceHeight) continue;
    const DisplayRow& from = display.rows[static_cast<std::size_t>(row)];
    const RowColumns columns = from.columns(model->facts());
    const std::uint32_t nearest = positionAt(columns, ns, kSlackPixels * scale.nsPerPixel());
    if (nearest >= from.size()) return std::nullopt;
    return HitSlice{{track, row, nearest}, from.slice(nearest)};
  }
  return std::nullopt;
}

}  // namespace attnscope::ui
