// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <QCoreApplication>
#include <QPainterPath>
#include <QPen>

#include "ui/bridge/Format.h"
#include "ui/bridge/Notes.h"
#include "ui/timeline/PanePainter.h"

namespace attnscope::ui {

namespace {

constexpr int kMostOutlines = 200;
constexpr int kMostArrows = 64;
constexpr double kFar = 4000;  // px beyond the pane at which lines are cut: QPainter is slow with huge numbers

class MarkPainter {
 public:
  MarkPainter(QPainter& painter, const PaneScene& scene, const ViewState& view)
      : m_painter(painter), m_scene(scene), m_view(view), m_pixel(1.0 / scene.ratio) {}

  void paint() {
    m_painter.save();
    m_painter.setClipRect(QRect(m_scene.headerWidth, 0, m_scene.trackWidth(), m_scene.size.height()));
    notes();
    partners(m_scene.state->partners());
    partners(m_scene.state->ribbonEnds());
    selection();
    hover();
    arrows();
    measure();
    cursor();
    m_painter.restore();
  }

 private:
  [[nodiscard]] QColor colour(const char* token) const { return m_scene.theme->colour(QString::fromLatin1(token)); }

  // Kept near the pane, so that an edge that lies off screen is never drawn on it.
  [[nodiscard]] QRectF cut(const QRectF& rect) const {
    const double left = std::max(rect.left(), m_scene.headerWidth - kFar);
    const double right = std::min(rect.right(), m_scene.size.width() + kFar);
    return {left, rect.top(), std::max(0.0, right - left), rect.height()};
  }

  [[nodiscard]] bool shows(const QRectF& rect) const {
    return !rect.isNull() && rect.right() >= m_scene.headerWidth && rect.left() <= m_scene.size.width();
  }

  // `width` px of `ink` just outside `rect` (or inside, where `isInside`).
  void frame(const QRectF& rect, double width, const QColor& ink, bool isInside = false) {
    const QRectF outer = isInside ? rect : rect.adjusted(-width, -width, width, width);
    if (outer.width() <= 2 * width) {
      m_painter.fillRect(outer, ink);
      return;
    }
    m_painter.fillRect(QRectF(outer.left(), outer.top(), outer.width(), width), ink);
    m_painter.fillRect(QRectF(outer.left(), outer.bottom() - width, outer.width(), width), ink);
    m_painter.fillRect(QRectF(outer.left(), outer.top() + width, width, outer.height() - 2 * width), ink);
    m_painter.fillRect(QRectF(outer.right() - width, outer.top() + width, width, outer.height() - 2 * width), ink);
  }

  void clipTo(int track) {
    const auto band = m_scene.bandOf(track, 0);
    if (band) m_painter.setClipRect(band->visible.adjusted(0, -2, 0, 2));
  }
  void clipToTracks() {
    m_painter.setClipRect(QRect(m_scene.headerWidth, 0, m_scene.trackWidth(), m_scene.size.height()));
  }

  void selectedFrame(const QRectF& rect) {
    const QRectF box = cut(rect);
    if (box.width() > 4) frame(box, 1, colour("timeline.selection_inner"), true);
    frame(box, 2, colour("timeline.selection"));
  }

  void selection() {
    const Selection& selection = m_scene.session->selection();
    if (selection.isEmpty() || !m_scene.selected) return;
    const bool isLead = selection.leadRun == m_scene.run;
    int drawn = 0;
    for (const auto& [where, positions] : *m_scene.selected) {
      const auto band = m_scene.bandOf(where.first, where.second);
      if (!band) continue;
      const DisplayTrack& track = m_scene.model->tracks().tracks[static_cast<std::size_t>(where.first)];
      const DisplayRow& row = track.rows[static_cast<std::size_t>(where.second)];
      const RowColumns columns = row.columns(m_scene.model->facts());
      const std::uint32_t first = columns.firstEndingAfter(m_scene.ownStartNs());
      clipTo(where.first);
      for (auto it = std::lower_bound(positions.begin(), positions.end(), first); it != positions.end(); ++it) {
        if (static_cast<double>(columns.startNs[*it]) > m_scene.ownEndNs()) break;
        const bool leads = isLead && row.slice(*it) == selection.leadSlice;
        // In a table's selection the others stand out by being full; the leading one alone is framed.
        if (!leads && (selection.origin == SelectionOrigin::kTable || ++drawn > kMostOutlines)) continue;
        selectedFrame(m_scene.sliceRect(SlicePlace{where.first, where.second, *it}));
      }
    }
    clipToTracks();
  }

  void dashed(const QRectF& rect) {
    if (!shows(rect)) return;
    QPen pen(colour("timeline.partner"), m_pixel * std::max(1.0, std::round(m_scene.ratio)));
    pen.setDashPattern({3, 2});
    pen.setCapStyle(Qt::FlatCap);
    m_painter.setPen(pen);
    m_painter.setBrush(Qt::NoBrush);
    m_painter.drawRect(cut(rect).adjusted(-1.5, -1.5, 1.5, 1.5));
  }

  void partners(const std::vector<Partner>& outlined) {
    for (const Partner& partner : outlined) {
      if (partner.run != m_scene.run) continue;
      const int track = m_scene.model->tracks().compared;
      const auto band = track >= 0 ? m_scene.bandOf(track, 0) : std::nullopt;
      if (!band) continue;
      clipTo(track);
      const double left = m_scene.xOf(partner.range.startNs);
      const double right = std::max(left + m_pixel, m_scene.xOf(partner.range.endNs));
      dashed(QRectF(left, band->box.sliceY, right - left, band->box.sliceHeight));
    }
    clipToTracks();
  }

  void hover() {
    const HoveredSlice& hovered = m_scene.state->hovered();
    if (hovered.run != m_scene.run || hovered.slice == kNoSlice) return;
    for (const SlicePlace& place : m_scene.model->tracks().findAll(hovered.slice)) {
      const QRectF rect = m_scene.sliceRect(place);
      if (!shows(rect)) continue;
      clipTo(place.track);
      frame(cut(rect), 1, colour("timeline.hover"), true);
    }
    clipToTracks();
  }

  // The middle of a slice's box, kept inside its area when its row is scrolled out of it.
  [[nodiscard]] std::optional<QRectF> anchor(SliceId slice) const {
    for (const SlicePlace& place : m_scene.model->tracks().findAll(slice)) {
      QRectF rect = m_scene.sliceRect(place);
      if (rect.isNull()) continue;
      const auto band = m_scene.bandOf(place.track, place.row);
      const double top =
          std::clamp<double>(rect.top(), band->visible.top(), band->visible.top() + band->visible.height());
      const double bottom =
          std::clamp<double>(rect.bottom(), band->visible.top(), band->visible.top() + band->visible.height());
      rect.setTop(top);
      rect.setBottom(bottom);
      return rect;
    }
    return std::nullopt;
  }

  void arrows() {
    const Selection& selection = m_scene.session->selection();
    if (selection.leadRun != m_scene.run) return;
    const Trace& trace = m_scene.model->trace();
    const SliceId lead = selection.leadSlice;
    const SliceId launch = m_scene.model->launchOf(lead);
    if (launch != kNoSlice) arrow(launch, lead, true, false);
    const std::vector<SliceId> kernels = m_scene.model->launchedBy(lead);
    for (std::size_t at = 0; at < std::min<std::size_t>(kernels.size(), kMostArrows); ++at) {
      arrow(lead, kernels[at], kernels.size() == 1, false);
    }
    const auto isBackward = [&](std::size_t row) {
      return trace.strings.view(trace.flows.category[row]).find("fwdbwd") != std::string_view::npos;
    };
    const auto [first, last] = trace.flows.leaving(lead);
    for (std::size_t row = first; row < std::min(last, first + kMostArrows); ++row) {
      if (isBackward(row)) arrow(lead, trace.flows.to[row], false, true);
    }
    const auto [from, to] = trace.flows.arriving(lead);
    for (std::size_t at = from; at < std::min(to, from + kMostArrows); ++at) {
      const std::size_t row = trace.flows.byTarget[at];
      if (isBackward(row)) arrow(trace.flows.from[row], lead, false, true);
    }
  }

  void arrow(SliceId from, SliceId to, bool isNamed, bool isFlow) {
    const auto origin = anchor(from);
    const auto target = anchor(to);
    if (!origin || !target) return;
    const bool isDown = target->center().y() >= origin->center().y();
    const auto near = [&](double x) { return std::clamp(x, m_scene.headerWidth - kFar, m_scene.size.width() + kFar); };
    const QPointF start(near(origin->left() + std::min(origin->width() / 2, 20.0)),
                        isDown ? origin->bottom() : origin->top());
    const QPointF end(near(target->left() + std::min(target->width() / 2, 3.0)),
                      (isDown ? target->top() - 2 : target->bottom() + 2));
    // A curve all of which lies beside the tracks costs as much as one that shows.
    const auto [least, most] = std::minmax({start.x(), end.x()});
    if (most < m_scene.headerWidth || least > m_scene.size.width()) return;
    const QColor ink = colour(isFlow ? "timeline.flow" : "timeline.arrow");
    m_painter.setRenderHint(QPainter::Antialiasing);
    QPen pen(ink, 1.25);
    if (isFlow) pen.setDashPattern({3, 3});
    m_painter.setPen(pen);
    m_painter.setBrush(Qt::NoBrush);
    const double middle = (start.y() + end.y()) / 2;
    QPainterPath path(start);
    path.cubicTo(QPointF(start.x(), middle), QPointF(end.x(), middle), end);
    m_painter.drawPath(path);
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(ink);
    m_painter.drawEllipse(start, 2.5, 2.5);
    const double back = isDown ? -6 : 6;
    const QPointF head[3] = {end, end + QPointF(-3, back), end + QPointF(3, back)};
    m_painter.drawPolygon(head, 3);
    m_painter.setRenderHint(QPainter::Antialiasing, false);
    if (isNamed) arrowWords(from, to, path);
  }

  void arrowWords(SliceId from, SliceId to, const QPainterPath& path) {
    const Trace& trace = m_scene.model->trace();
    const std::int64_t delay = trace.slices.startNs[index(to)] - trace.slices.startNs[index(from)];
    const QString words = QCoreApplication::translate("attnscope::ui::TimelinePane", "%1 from launch to start")
                              .arg(format::time(static_cast<double>(delay)));
    const QFont font = m_scene.theme->font(FontRole::kCaption, QFont::Medium);
    m_painter.setFont(font);
    const QFontMetricsF metrics(font);
    const QPointF middle = path.pointAtPercent(0.5);
    const double width = metrics.horizontalAdvance(words) + 8;
    double left = middle.x() - width / 2;
    left = std::clamp(left, m_scene.headerWidth + 2.0,
                      std::max(m_scene.headerWidth + 2.0, m_scene.size.width() - width - 12));
    const QRectF box(std::round(left), std::round(middle.y() - metrics.height() / 2), std::ceil(width),
                     std::ceil(metrics.height()));
    const QRectF bounds = path.controlPointRect().adjusted(-width, -20, width, 20);
    if (!bounds.intersects(box) || path.controlPointRect().right() < m_scene.headerWidth ||
        path.controlPointRect().left() > m_scene.size.width()) {
      return;
    }
    m_painter.fillRect(box, colour("timeline.pane"));
    m_painter.setPen(colour("text.primary"));
    m_painter.drawText(box, Qt::AlignCenter, words);
  }

  // A dotted line at each end, a veil between them.
  void notes() {
    if (!m_scene.state->notes()) return;
    const Run* run = m_scene.session->run(m_scene.run);
    QPen pen(colour("text.secondary"), m_pixel);
    pen.setDashPattern({1, 3});
    for (const Note& note : m_scene.state->notes()->all()) {
      if (note.run != run) continue;
      const double left = std::clamp(m_scene.xOf(note.range.startNs), -kFar, kFar * 4);
      const double right = std::clamp(m_scene.xOf(note.range.endNs), -kFar, kFar * 4);
      if (right < m_scene.headerWidth || left > m_scene.size.width()) continue;
      m_painter.setPen(pen);
      m_painter.drawLine(QPointF(left, 0), QPointF(left, m_scene.size.height()));
      if (note.isPlace()) continue;
      m_painter.fillRect(QRectF(left, 0, right - left, m_scene.size.height()), veil());
      m_painter.drawLine(QPointF(right, 0), QPointF(right, m_scene.size.height()));
    }
  }

  [[nodiscard]] QColor veil() const {
    QColor ink = colour("timeline.range_fill");
    ink.setAlphaF(static_cast<float>(m_scene.theme->number(QStringLiteral("timeline.range_alpha"))));
    return ink;
  }

  void measure() {
    const std::optional<Measure>& measure = m_scene.state->measure();
    if (!measure) return;
    const auto x = [&](double ns) {
      return m_scene.headerWidth + std::floor(m_scene.scale.deviceXOf(ns)) / m_scene.ratio;
    };
    const double left = std::clamp(x(measure->fromNs), -kFar, kFar * 4);
    const double right = std::clamp(x(measure->toNs), -kFar, kFar * 4);
    // An area over some rows is veiled there alone.
    const bool isArea = measure->rows.size() > 1;
    if (!isArea) m_painter.fillRect(QRectF(left, 0, right - left, m_scene.size.height()), veil());
    if (isArea && measure->run == m_scene.run) {
      for (const auto& [track, row] : measure->rows) {
        const auto band = m_scene.bandOf(track, row);
        if (!band) continue;
        const QRectF box(left, band->box.y, right - left, band->box.height);
        m_painter.fillRect(box.intersected(QRectF(band->visible)), veil());
      }
    }
    m_painter.fillRect(QRectF(left, 0, 1, m_scene.size.height()), colour("timeline.cursor"));
    m_painter.fillRect(QRectF(right, 0, 1, m_scene.size.height()), colour("timeline.cursor"));
  }

  void cursor() {
    if (!m_view.hasCursor()) return;
    const double x = std::floor(m_scene.scale.deviceXOf(m_view.cursorNs())) / m_scene.ratio;
    if (x < 0 || x > m_scene.trackWidth()) return;
    m_painter.fillRect(QRectF(m_scene.headerWidth + x, 0, 1, m_scene.size.height()), colour("timeline.cursor"));
    counterDots(x);
  }

  [[nodiscard]] static QString counterText(CounterUnit unit, double value) {
    switch (unit) {
      case CounterUnit::kBytes:
        return format::bytes(value);
      case CounterUnit::kShare:
        return format::percent(value, 0);
      case CounterUnit::kNumber:
        break;
    }
    return QString::number(value, 'g', 6);
  }

  // Dot and value of each counter at the cursor.
  void counterDots(double x) {
    const auto own = static_cast<std::int64_t>(std::floor(m_view.cursorNs())) + m_scene.anchorNs;
    const QFont font = m_scene.theme->font(FontRole::kCaption, QFont::DemiBold);
    m_painter.setFont(font);
    const QFontMetricsF metrics(font);
    m_painter.save();
    std::vector<LayoutItem> shown = m_scene.layout->items;
    shown.insert(shown.end(), m_scene.layout->pinned.begin(), m_scene.layout->pinned.end());
    for (const LayoutItem& item : shown) {
      const QRect area = m_scene.areaOf(item);
      m_painter.setClipRect(QRect(m_scene.headerWidth, area.top(), m_scene.trackWidth(), area.height()));
      if (item.kind != LayoutItem::Kind::kTrack || item.isFolded) continue;
      const DisplayTrack& track = m_scene.model->tracks().tracks[static_cast<std::size_t>(item.at)];
      if (!track.counter || track.counter->atNs.empty()) continue;
      const DisplayCounter& counter = *track.counter;
      const auto after = std::upper_bound(counter.atNs.begin(), counter.atNs.end(), own);
      if (after == counter.atNs.begin()) continue;
      const double value = counter.value[static_cast<std::size_t>(after - counter.atNs.begin() - 1)];
      if (std::isnan(value)) continue;
      const QString text = counterText(counter.unit, value);
      const double top = m_scene.topOf(item);
      const double width = metrics.horizontalAdvance(text) + 6;
      double left = m_scene.headerWidth + x + 4;
      if (left + width > m_scene.size.width() - 12) left -= width + 8;
      const QRectF box(left, top + 4, width, metrics.height());
      QColor ground = colour("timeline.pane");
      ground.setAlphaF(0.8f);
      m_painter.fillRect(box, ground);
      m_painter.setPen(colour("text.primary"));
      m_painter.drawText(box, Qt::AlignCenter, text);
    }
    m_painter.restore();
  }

  QPainter& m_painter;
  const PaneScene& m_scene;
  const ViewState& m_view;
  double m_pixel;
};

}  // namespace

void paintMarks(QPainter& painter, const PaneScene& scene, const ViewState& view) {
  MarkPainter(painter, scene, view).paint();
}

}  // namespace attnscope::ui
