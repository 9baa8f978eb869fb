// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/SliceRaster.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <QPaintEngine>
#include <QPainter>

#include "ui/bridge/ShortLabel.h"

namespace attnscope::ui {

namespace {

constexpr int kLabelInset = 5;
constexpr int kHatchPeriod = 5;
constexpr int kIdlePeriod = 6;
constexpr std::uint32_t kLeastCoverage = 64;  // a quarter: what is there can be seen

QRgb towards(QRgb colour, QRgb ground, double share) {
  return mixed(colour, ground, static_cast<std::uint32_t>(std::lround(share * 255)));
}

}  // namespace

std::optional<RasterTarget> directTarget(QPainter& painter, const QRegion& region, double ratio) {
  if (region.rectCount() != 1 || !painter.paintEngine()) return std::nullopt;
  QPaintDevice* device = painter.paintEngine()->paintDevice();
  if (!device || device->devType() != QInternal::Image) return std::nullopt;
  auto* image = static_cast<QImage*>(device);
  if (image->depth() != 32) return std::nullopt;
  const QTransform transform = painter.deviceTransform();
  if (transform.type() > QTransform::TxScale || std::abs(transform.m11() - ratio) > 1e-9 ||
      std::abs(transform.m22() - ratio) > 1e-9) {
    return std::nullopt;
  }
  RasterTarget target;
  target.image = image;
  target.origin = QPoint(static_cast<int>(std::lround(transform.dx())), static_cast<int>(std::lround(transform.dy())));
  const QRectF rect = transform.mapRect(QRectF(region.boundingRect()));
  const QRect whole(static_cast<int>(std::lround(rect.left())), static_cast<int>(std::lround(rect.top())),
                    static_cast<int>(std::lround(rect.right()) - std::lround(rect.left())),
                    static_cast<int>(std::lround(rect.bottom()) - std::lround(rect.top())));
  target.clip = whole.intersected(image->rect());
  if (target.clip.isEmpty()) return std::nullopt;
  return target;
}

namespace {

KindInk inkOfKind(const Theme& theme, WorkKind kind) {
  const KindColours colours = theme.kind(kind);
  KindInk ink{colours.fill.rgb(), colours.edge.rgb(), colours.label.rgb(), 0, colours.hatched};
  if (colours.hatched) ink.hatch = colours.hatchInk.rgb();
  return ink;
}

// What changed is told by fill, and what stands alone by its edge.
KindInk inkOfChange(const Theme& theme, std::uint8_t change) {
  if (change == kUnmatchedChange) {
    const QColor ground = theme.colour(QStringLiteral("surface.pane"));
    const QRgb ink = theme.colour(QStringLiteral("text.primary")).rgb();
    return {ground.rgb(), ink, ink, 0, false};
  }
  const QColor fill = theme.deltaStep(change);
  return {fill.rgb(), theme.colour(QStringLiteral("border.control")).rgb(), theme.inkOn(fill).rgb(), 0, false};
}

}  // namespace

RasterPalette RasterPalette::of(const Theme& theme) {
  RasterPalette palette;
  palette.pane = theme.colour(QStringLiteral("timeline.pane")).rgb();
  palette.grid = theme.colour(QStringLiteral("timeline.grid")).rgb();
  palette.gridZero = theme.colour(QStringLiteral("timeline.grid_zero")).rgb();
  palette.counterFill = theme.colour(QStringLiteral("timeline.counter_fill")).rgb();
  palette.counterLine = theme.colour(QStringLiteral("timeline.counter_line")).rgb();
  palette.counterSecond = mixed(theme.colour(QStringLiteral("timeline.pane")).rgb(), palette.counterLine, 128);
  palette.hit = theme.colour(QStringLiteral("timeline.search_hit")).rgb();
  palette.gapWords = theme.colour(QStringLiteral("text.tertiary")).rgb();
  palette.idleHatch = theme.colour(QStringLiteral("timeline.idle_hatch")).rgb();
  palette.profilerHatch = theme.kind(WorkKind::kUnknown).fill.rgb();
  palette.hairline = theme.colour(QStringLiteral("border.hairline")).rgb();
  palette.strongLine = theme.colour(QStringLiteral("border.strong")).rgb();
  palette.group = theme.colour(QStringLiteral("surface.window")).rgb();
  const double veil = theme.number(QStringLiteral("timeline.veil_alpha"));
  constexpr double kFade = 0.62;
  const QRgb tertiary = theme.colour(QStringLiteral("text.tertiary")).rgb();
  for (int kind = 0; kind < kPaintClassCount; ++kind) {
    const KindInk plain = kind < kWorkKindCount ? inkOfKind(theme, static_cast<WorkKind>(kind))
                                                : inkOfChange(theme, static_cast<std::uint8_t>(kind - kWorkKindCount));
    const auto shaded = [&](double share) {
      return KindInk{towards(plain.fill, palette.pane, share), towards(plain.edge, palette.pane, share), tertiary,
                     towards(plain.hatch, palette.pane, share), plain.isHatched};
    };
    palette.kinds[0][static_cast<std::size_t>(kind)] = plain;
    palette.kinds[1][static_cast<std::size_t>(kind)] = shaded(kFade);
    palette.kinds[2][static_cast<std::size_t>(kind)] = shaded(veil);
  }
  return palette;
}

SliceRaster::SliceRaster(RasterTarget target, const RasterPalette& palette, const GlyphAtlas& atlas, double ratio,
                         int left, int columns)
    : m_target(target),
      m_wholeClip(target.clip),
      m_palette(palette),
      m_atlas(atlas),
      m_ratio(ratio),
      m_left(left),
      m_columns(columns),
      m_edge(std::max(1, static_cast<int>(std::lround(ratio)))),
      m_edgeLeast(static_cast<int>(std::lround(3 * ratio))),
      m_labelLeast(static_cast<int>(std::lround(30 * ratio))),
      m_scopeFrom(0),
      m_scopeTo(columns),
      m_base(static_cast<std::size_t>(columns), palette.pane),
      m_body(static_cast<std::size_t>(columns)),
      m_edges(static_cast<std::size_t>(columns)) {}

void SliceRaster::setGrid(std::span<const int> columns, std::span<const int> strongColumns) {
  const auto draw = [&](int column, QRgb colour) {
    for (int x = std::max(0, column); x < std::min(m_columns, column + m_edge); ++x) {
      m_base[static_cast<std::size_t>(x)] = colour;
    }
  };
  for (const int column : columns) draw(column, m_palette.grid);
  for (const int column : strongColumns) draw(column, m_palette.gridZero);
}

void SliceRaster::setLines(int top, int bottom) {
  const QRect lines(m_wholeClip.left(), m_target.origin.y() + top, m_wholeClip.width(), bottom - top);
  m_target.clip = m_wholeClip.intersected(lines);
}

void SliceRaster::setScope(int from, int to) {
  m_scopeFrom = std::clamp(from, 0, m_columns);
  m_scopeTo = std::clamp(to, m_scopeFrom, m_columns);
}

QRgb* SliceRaster::pixels(int y) {
  // constBits(): the image may be the painter's own, and bits() would detach it.
  auto* bits = const_cast<uchar*>(m_target.image->constBits());
  return reinterpret_cast<QRgb*>(bits + (m_target.origin.y() + y) * m_target.image->bytesPerLine()) +
         m_target.origin.x() + m_left;
}

void SliceRaster::copyLine(int y, const QRgb* line, int from, int to) {
  const int row = m_target.origin.y() + y;
  if (row < m_target.clip.top() || row > m_target.clip.bottom()) return;
  from = std::max({from, 0, m_target.clip.left() - m_target.origin.x() - m_left});
  to = std::min({to, m_columns, m_target.clip.right() + 1 - m_target.origin.x() - m_left});
  if (to > from) std::memcpy(pixels(y) + from, line + from, static_cast<std::size_t>(to - from) * sizeof(QRgb));
}

void SliceRaster::background(int top, int bottom) {
  for (int y = top; y < bottom; ++y) copyLine(y, m_base.data(), 0, m_columns);
}

void SliceRaster::line(int y, QRgb colour) {
  std::fill(m_body.begin(), m_body.end(), colour);
  for (int at = 0; at < m_edge; ++at) copyLine(y + at, m_body.data(), 0, m_columns);
}

Shade SliceRaster::shadeOf(std::uint8_t kind) const {
  if (m_isFaded) return Shade::kFaded;
  return m_kindFilter != 0 && (m_kindFilter & (1u << kind)) == 0 ? Shade::kFaded : Shade::kPlain;
}

void SliceRaster::paintRun(const RowRun& run, bool startsHere, bool endsHere, int from, int to, const KindInk& ink) {
  from = std::max(from, run.x0);
  to = std::min(to, run.x1);
  if (to <= from) return;
  const int width = run.x1 - run.x0;
  QRgb fill = ink.fill;
  if (run.coverage < 255)
    fill = mixed(m_palette.pane, fill, kLeastCoverage + run.coverage * (255 - kLeastCoverage) / 255);
  if (to - from == 1 && width < m_edgeLeast) {  // most runs of a frame of the whole
    m_body[static_cast<std::size_t>(from)] = fill;
    m_edges[static_cast<std::size_t>(from)] = fill;
    return;
  }
  std::fill(m_body.begin() + from, m_body.begin() + to, fill);
  if (width < m_edgeLeast) {
    std::fill(m_edges.begin() + from, m_edges.begin() + to, fill);
    return;
  }
  std::fill(m_edges.begin() + from, m_edges.begin() + to, ink.edge);
  for (int at = 0; at < m_edge; ++at) {
    const int left = run.x0 + at;
    const int right = run.x1 - 1 - at;
    if (startsHere && left >= from && left < to) m_body[static_cast<std::size_t>(left)] = ink.edge;
    if (endsHere && right >= from && right < to) m_body[static_cast<std::size_t>(right)] = ink.edge;
  }
}

void SliceRaster::row(const Band& band, const DisplayRow& row, RowColumns columns, double startNs, double endNs,
                      std::span<const RowRun> runs, const RowNames& names) {
  std::memcpy(m_body.data(), m_base.data(), m_base.size() * sizeof(QRgb));
  std::memcpy(m_edges.data(), m_base.data(), m_base.size() * sizeof(QRgb));
  m_marks.clear();
  for (const RowRun& run : runs) {
    const bool startsHere = !run.exact || static_cast<double>(columns.startNs[run.slice]) >= startNs;
    const bool endsHere = !run.exact || static_cast<double>(columns.endNs(run.slice)) <= endNs;
    const Shade shade = shadeOf(run.paintClass);
    paintRun(run, startsHere, endsHere, m_scopeFrom, m_scopeTo, m_palette.ink(shade, run.paintClass));
    if (run.x0 < m_scopeFrom || run.x1 > m_scopeTo) {
      const KindInk& veiled = m_palette.ink(Shade::kVeiled, run.paintClass);
      paintRun(run, startsHere, endsHere, 0, m_scopeFrom, veiled);
      paintRun(run, startsHere, endsHere, m_scopeTo, m_columns, veiled);
    }
  }
  background(band.top, band.sliceTop);
  for (int y = band.sliceTop; y < band.sliceBottom; ++y) {
    const bool isEdge = y < band.sliceTop + m_edge || y >= band.sliceBottom - m_edge;
    copyLine(y, isEdge ? m_edges.data() : m_body.data(), 0, m_columns);
  }
  background(band.sliceBottom, band.bottom);
  drawRuns(band, row, columns, startNs, endNs, runs, names);
}

void SliceRaster::overlay(const Band& band, const DisplayRow& row, RowColumns columns, double startNs, double endNs,
                          std::span<const RowRun> runs, const RowNames& names) {
  const bool wasFaded = std::exchange(m_isFaded, false);
  m_marks.clear();
  for (const RowRun& run : runs) {
    const bool startsHere = static_cast<double>(columns.startNs[run.slice]) >= startNs;
    const bool endsHere = static_cast<double>(columns.endNs(run.slice)) <= endNs;
    paintRun(run, startsHere, endsHere, 0, m_columns, m_palette.ink(Shade::kPlain, run.paintClass));
    for (int y = band.sliceTop; y < band.sliceBottom; ++y) {
      const bool isEdge = y < band.sliceTop + m_edge || y >= band.sliceBottom - m_edge;
      copyLine(y, isEdge ? m_edges.data() : m_body.data(), run.x0, run.x1);
    }
  }
  drawRuns(band, row, columns, startNs, endNs, runs, names);
  m_isFaded = wasFaded;
}

// Labels, and what two lines of pixels cannot say: hatches and torn edges.
void SliceRaster::drawRuns(const Band& band, const DisplayRow& row, RowColumns columns, double, double endNs,
                           std::span<const RowRun> runs, const RowNames& names) {
  for (const RowRun& run : runs) {
    if (!run.exact || run.x1 - run.x0 < m_edgeLeast) continue;
    const SliceId slice = row.slice(run.slice);
    const bool isOut = run.x1 <= m_scopeFrom || run.x0 >= m_scopeTo;
    const KindInk& ink = m_palette.ink(isOut ? Shade::kVeiled : shadeOf(run.paintClass), run.paintClass);
    int labelEnd = run.x0;
    if (run.x1 - run.x0 >= m_labelLeast) drawLabel(band, run, slice, names, labelEnd);
    if (ink.isHatched && run.x1 - run.x0 >= 2 * m_edgeLeast) m_marks.push_back({labelEnd, run.x1, ink.hatch, false});
    if (static_cast<double>(columns.endNs(run.slice)) <= endNs && names.isUnfinished(slice)) {
      m_marks.push_back({run.x1 - 2 * m_edge, run.x1, m_palette.pane, true});
    }
  }
  if (!m_marks.empty()) drawMarks(band);
}

void SliceRaster::drawLabel(const Band& band, const RowRun& run, SliceId slice, const RowNames& names, int& labelEnd) {
  std::string_view text = names.label(slice);
  if (text.empty()) return;
  const int inset = static_cast<int>(std::lround(kLabelInset * m_ratio));
  const int room = run.x1 - run.x0 - 2 * inset;
  const int x = run.x0 + inset;
  const int middle = x + std::min(room, 8);
  const bool isOut = middle < m_scopeFrom || middle >= m_scopeTo;
  const QRgb ink = m_palette.ink(isOut ? Shade::kVeiled : shadeOf(run.paintClass), run.paintClass).label;
  const int y = band.sliceTop + (band.sliceBottom - band.sliceTop - m_atlas.height() + 1) / 2;
  if (!GlyphAtlas::canDraw(text)) {
    const QRect box(m_left + x, band.sliceTop, room, band.sliceBottom - band.sliceTop);
    m_deferred.push_back({box, QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())), ink});
    labelEnd = run.x1;
    return;
  }
  GlyphAtlas::Fit fit = m_atlas.fit(text, room);
  if (fit.isCut) {
    text = withoutNamespaces(text);
    fit = m_atlas.fit(text, room);
  }
  if (fit.count == 0 || (fit.isCut && fit.count < kLeastLabelLetters)) return;
  QRect clip = m_target.clip;
  const QPoint at(m_target.origin.x() + m_left + x, m_target.origin.y() + y);
  clip = clip.intersected(QRect(m_target.origin + QPoint(m_left + run.x0, band.sliceTop),
                                QSize(run.x1 - run.x0, band.sliceBottom - band.sliceTop)));
  m_atlas.draw(*m_target.image, clip, at.x(), at.y(), text, fit, ink);
  labelEnd = std::min(run.x1, x + fit.width + inset);
}

void SliceRaster::drawMarks(const Band& band) {
  const int period = static_cast<int>(std::lround(kHatchPeriod * m_ratio));
  const int clipLeft = m_target.clip.left() - m_target.origin.x() - m_left;
  const int clipRight = m_target.clip.right() + 1 - m_target.origin.x() - m_left;
  for (int y = band.sliceTop + m_edge; y < band.sliceBottom - m_edge; ++y) {
    const int row = m_target.origin.y() + y;
    if (row < m_target.clip.top() || row > m_target.clip.bottom()) continue;
    QRgb* line = pixels(y);
    const int inSlice = y - band.sliceTop;
    for (const Mark& mark : m_marks) {
      if (mark.isTorn) {
        if ((inSlice / (2 * m_edge)) % 2 == 0) continue;
        for (int x = std::max({mark.x0, clipLeft, 0}); x < std::min({mark.x1, clipRight, m_columns}); ++x)
          line[x] = mark.ink;
        continue;
      }
      const int from = std::max({mark.x0 + (mark.x0 > 0 ? m_edge : 0), clipLeft, 0});
      const int to = std::min({mark.x1 - m_edge, clipRight, m_columns});
      // Rising to the right, and fixed to the slice's right end, so that it moves with the slice.
      for (int x = from; x < to; ++x) {
        const int phase = ((x - mark.x1 + inSlice) % period + period) % period;
        if (phase < m_edge) line[x] = mark.ink;
      }
    }
  }
}

void SliceRaster::gap(const Band& band, int x0, int x1, std::string_view words, QRgb hatch) {
  const int inset = static_cast<int>(std::lround(2 * m_ratio));
  const int from = std::max(0, x0 + inset);
  const int to = std::min(m_columns, x1 - inset);
  if (to <= from) return;
  int wordsFrom = to;
  int wordsTo = to;
  if (!words.empty()) {
    const GlyphAtlas::Fit fit = m_atlas.fit(words, to - from);
    if (!fit.isCut) {
      wordsFrom = from + (to - from - fit.width) / 2 - 3 * inset;
      wordsTo = wordsFrom + fit.width + 6 * inset;
      const int y = band.sliceTop + (band.sliceBottom - band.sliceTop - m_atlas.height() + 1) / 2;
      m_atlas.draw(*m_target.image, m_target.clip, m_target.origin.x() + m_left + wordsFrom + 3 * inset,
                   m_target.origin.y() + y, words, fit, m_palette.gapWords);
    }
  }
  const int period = static_cast<int>(std::lround(kIdlePeriod * m_ratio));
  const int clipLeft = m_target.clip.left() - m_target.origin.x() - m_left;
  const int clipRight = m_target.clip.right() + 1 - m_target.origin.x() - m_left;
  for (int y = band.sliceTop; y < band.sliceBottom; ++y) {
    const int row = m_target.origin.y() + y;
    if (row < m_target.clip.top() || row > m_target.clip.bottom()) continue;
    QRgb* line = pixels(y);
    const int left = std::max(from, clipLeft);
    const int right = std::min(to, clipRight);
    // Lines of 45 degrees lean on the gap's end: the last that begins at or before the left edge, then each period.
    const int phase = ((left - x1 + y - band.sliceTop) % period + period) % period;
    for (int begin = left - phase; begin < right; begin += period) {
      for (int x = std::max(begin, left); x < std::min(begin + m_edge, right); ++x) {
        if (x < wordsFrom || x >= wordsTo) line[x] = hatch;
      }
    }
  }
}

void SliceRaster::hits(const Band& band, std::span<const std::pair<int, int>> columns) {
  const int height = static_cast<int>(std::lround(2 * m_ratio));
  const int clipLeft = m_target.clip.left() - m_target.origin.x() - m_left;
  const int clipRight = m_target.clip.right() + 1 - m_target.origin.x() - m_left;
  for (int y = band.bottom - height; y < band.bottom; ++y) {
    const int row = m_target.origin.y() + y;
    if (row < m_target.clip.top() || row > m_target.clip.bottom()) continue;
    QRgb* line = pixels(y);
    for (const auto& [x0, x1] : columns) {
      for (int x = std::max(x0, clipLeft); x < std::min(x1, clipRight); ++x) line[x] = m_palette.hit;
    }
  }
}

void SliceRaster::counter(int top, int bottom, std::span<const CounterColumn> values,
                          std::span<const CounterColumn> second, double low, double high) {
  constexpr int kDash = 4;  // of 7 px
  constexpr int kPeriod = 7;
  const int height = bottom - top;
  const double span = high > low ? high - low : 1.0;
  const auto yOf = [&](float value) {
    return top + static_cast<int>(std::lround((1.0 - (static_cast<double>(value) - low) / span) * (height - m_edge)));
  };
  // First and last pixel of a line in each column.
  const auto linesOf = [&](std::span<const CounterColumn> columns) {
    std::vector<std::pair<int, int>> lines(columns.size(), {bottom, bottom});
    for (std::size_t x = 0; x < columns.size(); ++x) {
      if (!columns[x].gap) lines[x] = {yOf(columns[x].high), yOf(columns[x].low) + m_edge};
    }
    return lines;
  };
  const std::vector<std::pair<int, int>> lines = linesOf(values);
  const std::vector<std::pair<int, int>> dashes = linesOf(second);
  const auto count = static_cast<int>(std::min(values.size(), m_base.size()));
  for (int y = top; y < bottom; ++y) {
    std::memcpy(m_body.data(), m_base.data(), m_base.size() * sizeof(QRgb));
    for (int x = 0; x < count; ++x) {
      const auto& [first, last] = lines[static_cast<std::size_t>(x)];
      const QRgb ink = y < last ? m_palette.counterLine : m_palette.counterFill;
      QRgb& pixel = m_body[static_cast<std::size_t>(x)];
      pixel = y >= first && first < bottom ? ink : pixel;
    }
    const auto dashed = static_cast<int>(std::min<std::size_t>(dashes.size(), static_cast<std::size_t>(count)));
    for (int x = 0; x < dashed; ++x) {
      const auto& [first, last] = dashes[static_cast<std::size_t>(x)];
      if (y < first || y >= last) continue;
      const bool isStep = last - first > m_edge;
      if (isStep || x / m_edge % kPeriod < kDash) m_body[static_cast<std::size_t>(x)] = m_palette.counterSecond;
    }
    copyLine(y, m_body.data(), 0, m_columns);
  }
}

}  // namespace attnscope::ui
