// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Paints a pane's scene: tracks by the raster, on several threads, marks and header column by QPainter. Called on the
// GUI thread.

#include <QImage>
#include <QPainter>
#include <QRegion>

#include "ui/bridge/ViewState.h"
#include "ui/timeline/GlyphAtlas.h"
#include "ui/timeline/PaintTeam.h"
#include "ui/timeline/PaneScene.h"
#include "ui/timeline/SliceRaster.h"

namespace attnscope::ui {

// Shared by all panes of a timeline: rebuilt on a change of theme or of the device pixel ratio.
struct PaneInk {
  RasterPalette palette;
  GlyphAtlas atlas;
  PaintTeam team;
  void prepare(const Theme& theme, double ratio);
  void forget() { ratio = 0; }
  double ratio = 0;
};

// Kept between frames: the image that is drawn where the painter's own cannot be written into, and what is worked out
// of a row, by the number of the hand that draws it.
struct PaneBuffer {
  struct Row {
    std::vector<RowRun> runs;
    std::vector<CounterColumn> columns;
    std::vector<CounterColumn> second;
  };
  QImage image;
  std::vector<Row> rows;
};

void paintTracks(QPainter& painter, const QRegion& region, const PaneScene& scene, PaneInk& ink, PaneBuffer& buffer);
// Selection, partners, hover, arrows, measured stretch and cursor, over the tracks.
void paintMarks(QPainter& painter, const PaneScene& scene, const ViewState& view);
// What stands at the right end of a track's name while the pointer is over it.
enum class HeaderAct : std::uint8_t { kPin, kHide, kMore };
struct HeaderButton {
  HeaderAct act = HeaderAct::kPin;
  QString icon;
  QRect box;
};
[[nodiscard]] std::vector<HeaderButton> headerButtons(const Theme& theme, int headerWidth, const QRect& item);
// The column of names; `hoveredY` is the pointer's line, or -1.
void paintHeaderColumn(QPainter& painter, const PaneScene& scene, int hoveredY);

// "1129.0 µs": work of the compared row in scope.
[[nodiscard]] QString comparedFigure(const PaneScene& scene);

}  // namespace attnscope::ui
