// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/PanePainter.h"

#include <algorithm>
#include <cmath>

#include <QCoreApplication>

#include "ui/bridge/Format.h"
#include "ui/timeline/GapWords.h"

namespace attnscope::ui {

namespace {

constexpr int kLeastGap = 12;  // px of idle time that are hatched
constexpr int kLeastNamedGap = 120;

int device(double logical, double ratio) { return static_cast<int>(std::lround(logical * ratio)); }

// A frame is planned as pieces that touch no pixel in common, which are drawn in any order and at once; then the lines
// over them.
class TrackPainter {
 public:
  TrackPainter(const PaneScene& scene, const PaneInk& ink, RasterTarget target)
      : m_scene(scene),
        m_palette(ink.palette),
        m_shown(target.clip.translated(-target.origin)),
        m_stageLabels(*scene.model),
        m_raster(target, ink.palette, ink.atlas, scene.ratio, device(scene.headerWidth, scene.ratio),
                 scene.scale.columns) {
    setGrid();
    setScope();
    m_raster.setKindFilter(scene.session->kindFilter());
    if (scene.session->sliceColour() == SliceColour::kChange) {
      m_changes = scene.session->changesOf(scene.run);
      // Kinds are not what is drawn then; what has no class of change is faded with what did not change.
      constexpr std::uint32_t kChanges = ((1u << kChangeClassCount) - 1) << kWorkKindCount;
      constexpr std::uint32_t kNeutral = 1u << (kWorkKindCount + kNeutralChange);
      if (!m_changes.empty()) m_raster.setKindFilter(scene.session->showsChangesOnly() ? kChanges & ~kNeutral : 0);
    }
    const Selection& selection = scene.session->selection();
    m_isFaded = selection.origin == SelectionOrigin::kTable && !selection.isEmpty();
    plan();
  }

  void paint(PaintTeam& team, std::vector<PaneBuffer::Row>& buffers) {
    std::vector<SliceRaster> rasters(static_cast<std::size_t>(team.hands()), m_raster);
    buffers.resize(rasters.size());
    team.share(m_pieces.size(), [&](std::size_t piece, int hand) {
      draw(m_pieces[piece], rasters[static_cast<std::size_t>(hand)], buffers[static_cast<std::size_t>(hand)]);
    });
    for (const Line& line : m_lines) {
      m_raster.setLines(line.zone.top, line.zone.bottom);
      m_raster.line(line.y, line.ink);
    }
    for (const SliceRaster& raster : rasters) {
      m_deferred.insert(m_deferred.end(), raster.deferred().begin(), raster.deferred().end());
    }
  }

  [[nodiscard]] const std::vector<DeferredLabel>& deferred() const { return m_deferred; }

 private:
  struct Zone {  // lines that may be touched
    int top = 0;
    int bottom = 0;
  };
  struct Piece {
    enum class Kind : std::uint8_t { kBackground, kGroup, kRow, kCounter };
    Kind kind = Kind::kBackground;
    Zone zone;
    SliceRaster::Band band;
    int track = 0;
    int row = 0;
  };
  struct Line {
    Zone zone;
    int y = 0;
    QRgb ink = 0;
  };

  void add(Piece::Kind kind, const SliceRaster::Band& band, int track = 0, int row = 0) {
    const bool shows = band.top < band.bottom && band.bottom > m_zone.top && band.top < m_zone.bottom &&
                       band.bottom > m_shown.top() && band.top <= m_shown.bottom();
    if (shows) m_pieces.push_back({kind, m_zone, band, track, row});
  }
  void addLine(int y, QRgb ink) { m_lines.push_back({m_zone, y, ink}); }

  void plan() {
    const QRect area = m_scene.scrolled();
    const int bottom = planZone(area, m_scene.layout->items);
    add(Piece::Kind::kBackground, {y(std::max(bottom, area.top())), y(area.top() + area.height()), 0, 0});
    const QRect pinned = m_scene.pinnedZone();
    if (!m_scene.layout->pinned.empty()) {
      planZone(pinned, m_scene.layout->pinned);
      addLine(y(pinned.top() + pinned.height() - 1), m_palette.strongLine);
    }
    if (m_scene.layout->seam >= 0) {
      const int top = m_scene.seamTop();
      m_zone = {y(top), y(top + m_scene.layout->seamHeight)};
      planTrack(m_scene.layout->seam, top, top + m_scene.layout->seamHeight);
    }
  }

  void draw(const Piece& piece, SliceRaster& raster, PaneBuffer::Row& buffer) const {
    raster.setLines(piece.zone.top, piece.zone.bottom);
    switch (piece.kind) {
      case Piece::Kind::kBackground:
        raster.background(piece.band.top, piece.band.bottom);
        break;
      case Piece::Kind::kGroup:
        for (int line = piece.band.top; line < piece.band.bottom; ++line) raster.line(line, m_palette.group);
        break;
      case Piece::Kind::kRow:
        paintRow(piece, raster, buffer);
        break;
      case Piece::Kind::kCounter:
        paintCounter(piece, raster, buffer);
        break;
    }
  }

  [[nodiscard]] int y(int logical) const { return device(logical, m_scene.ratio); }

  // Returns where the last item ends.
  int planZone(const QRect& area, const std::vector<LayoutItem>& items) {
    m_zone = {y(area.top()), y(area.top() + area.height())};
    int bottom = area.top();
    for (const LayoutItem& item : items) {
      const int top = m_scene.topOf(item);
      bottom = top + item.height;
      if (bottom <= area.top() || top >= area.top() + area.height()) continue;
      if (item.kind == LayoutItem::Kind::kGroup) {
        add(Piece::Kind::kGroup, {y(top), y(bottom), 0, 0});
        addLine(y(bottom - 1), m_palette.hairline);
      } else {
        planTrack(item.at, top, bottom);
      }
    }
    return bottom;
  }

  void setGrid() {
    const TimeScale& scale = m_scene.scale;
    std::vector<int> columns;
    const Ticks ticks = chooseTicks(scale.nsPerPixel(), m_scene.theme->scaled(kLeastTickPixels));
    for (const double at : tickTimes(ticks, scale.startNs, scale.endNs())) {
      columns.push_back(static_cast<int>(std::floor(scale.deviceXOf(at))));
    }
    std::vector<int> strong;
    const auto add = [&](double ns) {
      const double x = std::floor(scale.deviceXOf(ns));
      if (x >= 0 && x < scale.columns) strong.push_back(static_cast<int>(x));
    };
    add(0);
    const TimeRange scope = m_scene.scope;
    if (scope != TimeRange::all()) {
      add(m_scene.alignedNs(scope.startNs));
      add(m_scene.alignedNs(scope.endNs));
    }
    m_raster.setGrid(columns, strong);
  }

  void setScope() {
    const TimeRange scope = m_scene.scope;
    if (scope == TimeRange::all()) return;
    const auto column = [&](std::int64_t own) {
      return static_cast<int>(std::clamp(std::floor(m_scene.scale.deviceXOf(m_scene.alignedNs(own))), -1e6, 1e6));
    };
    m_scopeFrom = column(scope.startNs);
    m_scopeTo = column(scope.endNs);
    m_raster.setScope(m_scopeFrom, m_scopeTo);
  }

  void planTrack(int at, int top, int bottom) {
    const DisplayTrack& track = m_scene.model->tracks().tracks[static_cast<std::size_t>(at)];
    if (track.sort == DisplaySort::kCounter) {
      add(Piece::Kind::kCounter, {y(top), y(bottom), y(top + 3), y(bottom - 1)}, at);
    } else {
      int done = y(top);
      for (int row = 0; row < static_cast<int>(track.rows.size()); ++row) {
        const auto band = m_scene.bandOf(at, row);
        if (!band) break;
        const SliceRaster::Band lines{y(band->box.y), y(band->box.y + band->box.height), y(band->box.sliceY),
                                      y(band->box.sliceY + band->box.sliceHeight)};
        add(Piece::Kind::kBackground, {done, lines.top, 0, 0});
        add(Piece::Kind::kRow, lines, at, row);
        done = lines.bottom;
      }
      add(Piece::Kind::kBackground, {done, y(bottom), 0, 0});
    }
    // Between tracks, where nothing but tracks stands on both sides.
    const bool isUpperPinned = at == m_scene.layout->seam && m_scene.layout->role == PaneRole::kUpper;
    addLine(y(isUpperPinned ? top : bottom - 1), m_palette.hairline);
  }

  // By change: the class of each run's slice, or of the one that shows where many lie in one column.
  void recolour(const DisplayRow& row, std::vector<RowRun>& runs) const {
    if (m_changes.empty()) return;
    for (RowRun& run : runs) {
      const std::size_t slice = index(row.slice(run.slice));
      const std::uint8_t change = slice < m_changes.size() ? m_changes[slice] : kNoChangeClass;
      if (change != kNoChangeClass) run.paintClass = static_cast<std::uint8_t>(kWorkKindCount + change);
    }
  }

  void paintRow(const Piece& piece, SliceRaster& raster, PaneBuffer::Row& buffer) const {
    const DisplayTrack& track = m_scene.model->tracks().tracks[static_cast<std::size_t>(piece.track)];
    const DisplayRow& from = track.rows[static_cast<std::size_t>(piece.row)];
    const RowColumns columns = from.columns(m_scene.model->facts());
    std::vector<RowRun>& runs = buffer.runs;
    runs.clear();
    const double start = m_scene.ownStartNs();
    m_scene.model->rowIndex(piece.track, piece.row)
        .query(columns, start, m_scene.scale.nsPerDevicePixel, m_scene.scale.columns, runs);
    recolour(from, runs);
    raster.setFaded(m_isFaded);
    raster.row(piece.band, from, columns, start, m_scene.ownEndNs(), runs, namesOf(piece.track));
    if (piece.row == 0 && isStream(track)) paintGaps(piece.band, track.track, runs, raster);
    if (m_isFaded && m_scene.selected) paintSelected(piece, from, columns, raster);
    if (m_scene.found && !m_scene.found->empty()) paintFound(piece, raster);
  }

  [[nodiscard]] const RowNames& namesOf(int track) const {
    if (track == m_scene.model->tracks().compared) return m_stageLabels;
    return *m_scene.model;
  }

  void paintFound(const Piece& piece, SliceRaster& raster) const {
    const auto found = m_scene.found->find({piece.track, piece.row});
    if (found == m_scene.found->end()) return;
    raster.hits(piece.band, foundColumns(found->second, m_scene.scale, m_scene.anchorNs));
  }

  [[nodiscard]] bool isStream(const DisplayTrack& track) const {
    const bool isWork = track.sort == DisplaySort::kWork || track.sort == DisplaySort::kSlices;
    return isWork && track.track != kNoTrack &&
           m_scene.model->trace().tracks[index(track.track)].kind == TrackKind::kStream;
  }

  // Where the row shows nothing over some pixels: hatched if the whole stream was idle there, inside the scope.
  void paintGaps(const SliceRaster::Band& band, TrackId stream, const std::vector<RowRun>& runs,
                 SliceRaster& raster) const {
    int from = 0;
    for (std::size_t at = 0; at <= runs.size(); ++at) {
      const int to = at < runs.size() ? runs[at].x0 : m_scene.scale.columns;
      if (to - from >= device(kLeastGap, m_scene.ratio)) {
        const double middle = m_scene.ownStartNs() + (from + to) / 2.0 * m_scene.scale.nsPerDevicePixel;
        if (const IdleGap* gap = m_scene.model->tracks().gapAt(stream, middle)) paintGap(band, *gap, raster);
      }
      if (at < runs.size()) from = runs[at].x1;
    }
  }

  void paintGap(const SliceRaster::Band& band, const IdleGap& gap, SliceRaster& raster) const {
    const auto column = [&](std::int64_t own) {
      const double x = std::floor(m_scene.scale.deviceXOf(m_scene.alignedNs(own)));
      return static_cast<int>(std::clamp(x, 0.0, static_cast<double>(m_scene.scale.columns)));
    };
    int x0 = column(gap.range.startNs);
    int x1 = column(gap.range.endNs);
    if (m_scene.scope != TimeRange::all()) {
      x0 = std::max(x0, m_scopeFrom);
      x1 = std::min(x1, m_scopeTo);
    }
    if (x1 - x0 < device(kLeastGap, m_scene.ratio)) return;
    std::string words;
    if (x1 - x0 >= device(kLeastNamedGap, m_scene.ratio)) {
      QString text = gapWords(gap);
      text.replace(QChar(0x00B5), QChar(GlyphAtlas::kMicro)).replace(QChar(0x202F), u' ').replace(QChar(0x00A0), u' ');
      words = text.toLatin1().toStdString();
    }
    const QRgb hatch = gap.cause == IdleCause::kProfiler ? m_palette.profilerHatch : m_palette.idleHatch;
    raster.gap(band, x0, x1, words, hatch);
  }

  void paintSelected(const Piece& piece, const DisplayRow& from, RowColumns columns, SliceRaster& raster) const {
    const auto found = m_scene.selected->find({piece.track, piece.row});
    if (found == m_scene.selected->end()) return;
    const std::vector<std::uint32_t>& positions = found->second;
    const std::uint32_t first = columns.firstEndingAfter(m_scene.ownStartNs());
    std::vector<RowRun> runs;
    int free = 0;
    for (auto it = std::lower_bound(positions.begin(), positions.end(), first); it != positions.end(); ++it) {
      const auto column = [&](std::int64_t own) {
        const double x = std::floor(m_scene.scale.deviceXOf(m_scene.alignedNs(own)));
        return static_cast<int>(std::clamp(x, -1.0, static_cast<double>(m_scene.scale.columns)));
      };
      const int x0 = std::max(free, column(columns.startNs[*it]));
      if (x0 >= m_scene.scale.columns) break;
      const int x1 = std::max(x0 + 1, column(columns.endNs(*it)));
      if (x1 <= free) continue;
      runs.push_back({x0, x1, *it, 255, columns.paintClass[*it], true});
      free = x1;
    }
    recolour(from, runs);
    raster.overlay(piece.band, from, columns, m_scene.ownStartNs(), m_scene.ownEndNs(), runs, namesOf(piece.track));
  }

  void paintCounter(const Piece& piece, SliceRaster& raster, PaneBuffer::Row& buffer) const {
    const DisplayCounter& counter = *m_scene.model->tracks().tracks[static_cast<std::size_t>(piece.track)].counter;
    const double start = m_scene.ownStartNs();
    const double perPixel = m_scene.scale.nsPerDevicePixel;
    const int width = m_scene.scale.columns;
    std::vector<CounterColumn>& columns = buffer.columns;
    columns.clear();
    m_scene.model->counterIndex(piece.track).query(counter.atNs, counter.value, start, perPixel, width, columns);
    std::vector<CounterColumn>& second = buffer.second;
    second.clear();
    if (!counter.second.empty()) {
      m_scene.model->secondIndex(piece.track).query(counter.atNs, counter.second, start, perPixel, width, second);
    }
    // Before the first sample nothing is known; a leading gap stays empty.
    double high = counter.unit == CounterUnit::kShare ? 1 : 0;
    double low = 0;
    for (const std::vector<CounterColumn>* line : {&columns, &second}) {
      for (const CounterColumn& column : *line) {
        if (column.gap) continue;
        high = std::max(high, static_cast<double>(column.high));
        low = std::min(low, static_cast<double>(column.low));
      }
    }
    raster.background(piece.band.top, piece.band.sliceTop);
    raster.counter(piece.band.sliceTop, piece.band.sliceBottom, columns, second, low, high);
  }

  const PaneScene& m_scene;
  const RasterPalette& m_palette;
  QRect m_shown;                            // of the widget, in device pixels
  std::span<const std::uint8_t> m_changes;  // by slice; empty: coloured by kind
  StageLabels m_stageLabels;
  SliceRaster m_raster;  // from which each hand has its own
  Zone m_zone;           // that is planned
  std::vector<Piece> m_pieces;
  std::vector<Line> m_lines;
  std::vector<DeferredLabel> m_deferred;
  bool m_isFaded = false;
  int m_scopeFrom = 0;
  int m_scopeTo = 0;
};

}  // namespace

void PaneInk::prepare(const Theme& theme, double wanted) {
  const QFont font = theme.font(FontRole::kData);
  if (ratio == wanted && atlas.isFor(font, wanted)) return;
  palette = RasterPalette::of(theme);
  atlas.build(font, wanted);
  ratio = wanted;
}

void paintTracks(QPainter& painter, const QRegion& region, const PaneScene& scene, PaneInk& ink, PaneBuffer& buffer) {
  const QRect tracks(scene.headerWidth, 0, scene.trackWidth(), scene.size.height());
  const QRegion wanted = region.intersected(tracks);
  if (wanted.isEmpty() || tracks.width() <= 0) return;
  std::optional<RasterTarget> target = directTarget(painter, wanted, scene.ratio);
  const bool isDirect = target.has_value();
  if (!isDirect) {
    const QSize size(static_cast<int>(std::ceil(scene.size.width() * scene.ratio)),
                     static_cast<int>(std::ceil(scene.size.height() * scene.ratio)));
    if (buffer.image.size() != size) buffer.image = QImage(size, QImage::Format_RGB32);
    buffer.image.setDevicePixelRatio(scene.ratio);
    target = RasterTarget{&buffer.image, QPoint(0, 0), buffer.image.rect()};
  }
  TrackPainter tracksPainter(scene, ink, *target);
  tracksPainter.paint(ink.team, buffer.rows);
  painter.save();
  painter.setClipRect(tracks);
  if (!isDirect) painter.drawImage(QPointF(0, 0), buffer.image);
  if (!tracksPainter.deferred().empty()) {
    const QFont font = scene.theme->font(FontRole::kData);
    painter.setFont(font);
    const QFontMetrics metrics(font);
    for (const DeferredLabel& label : tracksPainter.deferred()) {
      const QRectF box(QPointF(label.box.topLeft()) / scene.ratio, QSizeF(label.box.size()) / scene.ratio);
      painter.setPen(QColor(label.ink));
      painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                       metrics.elidedText(label.text, Qt::ElideRight, static_cast<int>(box.width())));
    }
  }
  painter.restore();
}

QString comparedFigure(const PaneScene& scene) {
  return format::time(static_cast<double>(scene.model->comparedWorkNs(scene.scope)));
}

}  // namespace attnscope::ui
