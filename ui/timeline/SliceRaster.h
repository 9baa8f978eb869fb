// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Slices, counters and grid as scan lines of one image: a row is one line of edges and one of bodies, copied. No
// QPainter rectangle is drawn for a slice: a zoomed-out frame has 90,000 of them at 0.35 µs each. All coordinates are
// device pixels; x counts from the left edge of the tracks, y from the top of the widget. One thread; several rasters
// may write into different lines of one image at once.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <QImage>
#include <QRect>
#include <QRegion>
#include <QString>

#include "core/compare/ChangeClasses.h"
#include "core/index/CounterIndex.h"
#include "core/index/RowIndex.h"
#include "core/trace/WorkKind.h"
#include "ui/theme/Theme.h"
#include "ui/timeline/DisplayTracks.h"
#include "ui/timeline/GlyphAtlas.h"

class QPainter;

namespace attnscope::ui {

// The image that is written into, where the widget's top left lies in it, and what may be touched.
struct RasterTarget {
  QImage* image = nullptr;
  QPoint origin;
  QRect clip;
};
// The painter's own image, where it can be written directly: 32 bits a pixel, no rotation, one rectangle to repaint.
// Otherwise nothing, and the caller writes into an image of its own and draws that.
[[nodiscard]] std::optional<RasterTarget> directTarget(QPainter& painter, const QRegion& region, double ratio);

struct KindInk {
  QRgb fill = 0;
  QRgb edge = 0;
  QRgb label = 0;
  QRgb hatch = 0;
  bool isHatched = false;
};
enum class Shade : std::uint8_t { kPlain, kFaded, kVeiled };  // faded: not among what is selected; veiled: out of scope
// A paint class is a WorkKind, or a class of change (ChangeClasses.h) after them.
inline constexpr std::uint8_t kPaintClassCount = kWorkKindCount + kChangeClassCount;
struct RasterPalette {
  std::array<std::array<KindInk, kPaintClassCount>, 3> kinds;
  QRgb pane = 0;
  QRgb grid = 0;
  QRgb gridZero = 0;
  QRgb counterFill = 0;
  QRgb counterLine = 0;
  QRgb counterSecond = 0;  // of the second, dashed line
  QRgb hit = 0;            // of a search
  QRgb gapWords = 0;
  QRgb idleHatch = 0;
  QRgb profilerHatch = 0;  // idle time that is the profiler's own
  QRgb hairline = 0;       // between tracks
  QRgb strongLine = 0;     // below the pinned ones
  QRgb group = 0;          // ground of a group's header

  [[nodiscard]] static RasterPalette of(const Theme& theme);
  [[nodiscard]] const KindInk& ink(Shade shade, std::uint8_t kind) const {
    return kinds[static_cast<std::size_t>(shade)][kind < kPaintClassCount ? kind : kWorkKindCount - 1];
  }
};

// A label that the atlas cannot draw: for QPainter, in device pixels of the widget.
struct DeferredLabel {
  QRect box;
  QString text;
  QRgb ink = 0;
};

// What the raster asks about slices of a row; from several threads at once.
class RowNames {
 public:
  virtual ~RowNames() = default;
  [[nodiscard]] virtual std::string_view label(SliceId slice) const = 0;
  [[nodiscard]] virtual bool isUnfinished(SliceId slice) const = 0;
};

class SliceRaster {
 public:
  struct Band {  // of one row: from top to bottom, with the slices between
    int top = 0;
    int bottom = 0;
    int sliceTop = 0;
    int sliceBottom = 0;
  };
  SliceRaster(RasterTarget target, const RasterPalette& palette, const GlyphAtlas& atlas, double ratio, int left,
              int columns);

  void setGrid(std::span<const int> columns, std::span<const int> strongColumns);
  // Narrows what may be touched to widget lines [top, bottom): a scrolled area.
  void setLines(int top, int bottom);
  void setScope(int from, int to);  // columns outside are veiled
  void setKindFilter(std::uint32_t bits) { m_kindFilter = bits; }
  void setFaded(bool isFaded) { m_isFaded = isFaded; }

  void background(int top, int bottom);
  void line(int y, QRgb colour);
  // Runs of columns as RowIndex::query gives them. `startNs`: the view's left edge in the row's time.
  void row(const Band& band, const DisplayRow& row, RowColumns columns, double startNs, double endNs,
           std::span<const RowRun> runs, const RowNames& names);
  // Slices at these runs again, plain, over a row that was drawn faded.
  void overlay(const Band& band, const DisplayRow& row, RowColumns columns, double startNs, double endNs,
               std::span<const RowRun> runs, const RowNames& names);
  // Idle time [x0, x1) between two slices of a device: hatched on the pane, with words where they fit.
  void gap(const Band& band, int x0, int x1, std::string_view words, QRgb hatch);
  // Columns [x0, x1) of hits of a search: a bar of 2 px below the slices.
  void hits(const Band& band, std::span<const std::pair<int, int>> columns);
  // `second` is a dashed line on the same scale, or empty.
  void counter(int top, int bottom, std::span<const CounterColumn> values, std::span<const CounterColumn> second,
               double low, double high);
  [[nodiscard]] const std::vector<DeferredLabel>& deferred() const { return m_deferred; }

 private:
  struct Mark {  // of a run that needs more than two lines of pixels
    int x0;
    int x1;
    QRgb ink;
    bool isTorn;
  };
  void paintRun(const RowRun& run, bool startsHere, bool endsHere, int from, int to, const KindInk& ink);
  void drawRuns(const Band& band, const DisplayRow& row, RowColumns columns, double startNs, double endNs,
                std::span<const RowRun> runs, const RowNames& names);
  void drawLabel(const Band& band, const RowRun& run, SliceId slice, const RowNames& names, int& labelEnd);
  [[nodiscard]] Shade shadeOf(std::uint8_t kind) const;
  void copyLine(int y, const QRgb* line, int from, int to);
  [[nodiscard]] QRgb* pixels(int y);
  void drawMarks(const Band& band);

  RasterTarget m_target;
  QRect m_wholeClip;
  const RasterPalette& m_palette;
  const GlyphAtlas& m_atlas;
  double m_ratio;
  int m_left;
  int m_columns;
  int m_edge;       // width of an edge
  int m_edgeLeast;  // least width of a slice with edges
  int m_labelLeast;
  int m_scopeFrom;
  int m_scopeTo;
  std::uint32_t m_kindFilter = 0;
  bool m_isFaded = false;
  std::vector<QRgb> m_base;
  std::vector<QRgb> m_body;
  std::vector<QRgb> m_edges;
  std::vector<Mark> m_marks;
  std::vector<DeferredLabel> m_deferred;
};

}  // namespace attnscope::ui
