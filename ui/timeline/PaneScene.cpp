// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/PaneScene.h"

#include <algorithm>
#include <cmath>

namespace attnscope::ui {

namespace {
constexpr double kSlackPixels = 2;  // how far beside a thin slice the pointer may be
}

QRect PaneScene::scrolled() const {
  const int height = size.height() - layout->pinnedHeight;
  const int top = layout->role == PaneRole::kUpper || layout->role == PaneRole::kAlone ? 0 : layout->pinnedHeight;
  return {0, top, size.width(), std::max(0, height)};
}

int PaneScene::pinnedTop() const { return layout->role == PaneRole::kUpper ? size.height() - layout->pinnedHeight : 0; }

double PaneScene::xOf(std::int64_t own) const {
  const double column = std::clamp(std::floor(scale.deviceXOf(alignedNs(own))), -1e6, 1e6);
  return headerWidth + column / ratio;
}

std::optional<PaneScene::Band> PaneScene::bandOf(int track, int row) const {
  if (track == layout->pinned) {
    RowBox box = layout->pinnedRow(row);
    box.y += pinnedTop();
    box.sliceY += pinnedTop();
    return Band{box, QRect(headerWidth, pinnedTop(), trackWidth(), layout->pinnedHeight)};
  }
  const LayoutItem* item = layout->itemOf(track);
  if (!item) return std::nullopt;
  std::optional<RowBox> box = layout->rowIn(model->tracks(), *item, row);
  if (!box) return std::nullopt;
  const QRect area = scrolled();
  box->y += area.top() - scrollY;
  box->sliceY += area.top() - scrollY;
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
  const QRect area = scrolled();
  if (y < area.top() || y >= area.top() + area.height()) return nullptr;
  const int inContent = y - area.top() + scrollY;
  for (const LayoutItem& item : layout->items) {
    if (inContent >= item.y && inContent < item.y + item.height) return &item;
  }
  return nullptr;
}

int PaneScene::trackAt(int y) const {
  if (layout->pinned >= 0 && y >= pinnedTop() && y < pinnedTop() + layout->pinnedHeight) return layout->pinned;
  const LayoutItem* item = itemAt(y);
  return item && item->kind == LayoutItem::Kind::kTrack ? item->at : -1;
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
    const std::uint32_t found = positionAt(columns, ns, kSlackPixels * scale.nsPerPixel());
    if (found >= from.size()) return std::nullopt;
    return HitSlice{{track, row, found}, from.slice(found)};
  }
  return std::nullopt;
}

}  // namespace attnscope::ui
