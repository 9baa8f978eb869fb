// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/OverviewStrip.h"

#include <algorithm>
#include <cmath>

#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include "ui/timeline/GlyphAtlas.h"

namespace attnscope::ui {

namespace {
constexpr double kVeil = 0.62;
constexpr double kEnd = 5;          // px at an end of the window that drag it
constexpr double kLeastWindow = 6;  // px: a deep view can still be seen and grabbed
constexpr int kMargin = 7;          // px above and below the lines, together
constexpr int kLeastPitch = 4;      // px from one run's line to the next
constexpr int kMostPitch = 12;
}  // namespace

OverviewStrip::OverviewStrip(TimelineControl& control, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_control(control), m_theme(theme) {
  setMouseTracking(true);
  setAttribute(Qt::WA_OpaquePaintEvent);
  connect(&control.view(), &ViewState::viewChanged, this, [this] { update(); });
  connect(&control.state(), &TimelineState::layoutChanged, this, &OverviewStrip::refresh);
  setAccessibleName(tr("Overview"));
}

void OverviewStrip::refresh() {
  m_isStale = true;
  update();
}

void OverviewStrip::resizeEvent(QResizeEvent*) { refresh(); }

TimeScale OverviewStrip::scale() const {
  const TimeRange extent = m_control.view().extent();
  const double margin = static_cast<double>(extent.durationNs()) * 0.02;
  const int tracks = std::max(1, width() - m_control.state().headerWidth());
  return TimeScale::of(static_cast<double>(extent.startNs) - margin,
                       static_cast<double>(extent.durationNs()) + 2 * margin, tracks, devicePixelRatioF());
}

void OverviewStrip::drawLines() {
  const TimeScale whole = scale();
  const double ratio = devicePixelRatioF();
  const int lines = static_cast<int>(std::lround(height() * ratio));
  m_lines = QImage(whole.columns, lines, QImage::Format_RGB32);
  m_lines.setDevicePixelRatio(ratio);
  const QColor ground = m_theme.colour(QStringLiteral("surface.panel"));
  m_lines.fill(ground);
  const std::vector<int> runs = m_control.session().readyRuns();
  if (runs.empty()) return;
  const int room = height() - kMargin;
  const int pitch = std::clamp(room / static_cast<int>(runs.size()), kLeastPitch, kMostPitch);
  const int thick = std::clamp(pitch - 2, 3, 9);
  int y = (height() - pitch * static_cast<int>(runs.size()) + pitch - thick) / 2;
  std::vector<RowRun> found;
  for (const int run : runs) {
    const RunModel* model = m_control.modelOf(run);
    if (model && model->tracks().compared >= 0) {
      const int track = model->tracks().compared;
      const DisplayRow& row = model->tracks().tracks[static_cast<std::size_t>(track)].rows.front();
      const double anchor = static_cast<double>(m_control.session().anchorNs(run));
      found.clear();
      model->rowIndex(track, 0).query(row.columns(model->facts()), whole.startNs + anchor, whole.nsPerDevicePixel,
                                      whole.columns, found);
      const int top = static_cast<int>(std::lround(y * ratio));
      const int bottom = static_cast<int>(std::lround((y + thick) * ratio));
      for (const RowRun& at : found) {
        QRgb fill = m_theme.kind(static_cast<WorkKind>(at.paintClass)).fill.rgb();
        if (at.coverage < 255) fill = mixed(ground.rgb(), fill, 64 + at.coverage * 191u / 255);
        for (int line = top; line < bottom; ++line) {
          auto* pixels = reinterpret_cast<QRgb*>(m_lines.scanLine(line));
          std::fill(pixels + at.x0, pixels + at.x1, fill);
        }
      }
      drawHits(run, whole, top, bottom);
    }
    y += pitch;
  }
}

int OverviewStrip::wantedHeight() const {
  const int runs = static_cast<int>(m_control.session().readyRuns().size());
  return std::max(m_theme.size(QStringLiteral("overview")), kMargin + runs * kLeastPitch);
}

void OverviewStrip::setHits(int run, std::vector<std::int64_t> startNs) {
  m_hits[run] = std::move(startNs);
  refresh();
}

void OverviewStrip::clearHits() {
  if (m_hits.empty()) return;
  m_hits.clear();
  refresh();
}

// A column with any hit is ink in the lower part of the run's line.
void OverviewStrip::drawHits(int run, const TimeScale& whole, int top, int bottom) {
  const auto found = m_hits.find(run);
  if (found == m_hits.end()) return;
  const double start = whole.startNs + static_cast<double>(m_control.session().anchorNs(run));
  const QRgb ink = m_theme.colour(QStringLiteral("timeline.search_hit")).rgb();
  const auto& starts = found->second;
  auto at = std::lower_bound(starts.begin(), starts.end(), static_cast<std::int64_t>(std::ceil(start)));
  while (at != starts.end()) {
    const int column = static_cast<int>((static_cast<double>(*at) - start) / whole.nsPerDevicePixel);
    if (column >= whole.columns) break;
    for (int line = (top + bottom) / 2; line < bottom; ++line) {
      reinterpret_cast<QRgb*>(m_lines.scanLine(line))[column] = ink;
    }
    at = std::lower_bound(at + 1, starts.end(),
                          static_cast<std::int64_t>(std::ceil(start + (column + 1) * whole.nsPerDevicePixel)));
  }
}

QRectF OverviewStrip::window() const {
  const TimeScale whole = scale();
  const int header = m_control.state().headerWidth();
  double left = whole.xOf(m_control.view().startNs());
  double right = whole.xOf(m_control.view().endNs());
  if (right - left < kLeastWindow) {
    const double middle = (left + right) / 2;
    left = middle - kLeastWindow / 2;
    right = middle + kLeastWindow / 2;
  }
  left = std::max(0.0, std::round(left));
  right = std::min<double>(width() - header, std::round(right));
  return {header + left, 2, std::max(2.0, right - left), height() - 5.0};
}

void OverviewStrip::paintEvent(QPaintEvent*) {
  if (m_isStale || m_lines.isNull() || m_lines.devicePixelRatio() != devicePixelRatioF()) {
    drawLines();
    m_isStale = false;
  }
  QPainter painter(this);
  const int header = m_control.state().headerWidth();
  painter.fillRect(rect(), m_theme.colour(QStringLiteral("surface.panel")));
  painter.drawImage(QPointF(header, 0), m_lines);
  const QRectF shown = window();
  QColor veil = m_theme.colour(QStringLiteral("surface.panel"));
  veil.setAlphaF(static_cast<float>(kVeil));
  painter.fillRect(QRectF(header, 0, shown.left() - header, height()), veil);
  painter.fillRect(QRectF(shown.right(), 0, width() - shown.right(), height()), veil);
  const QColor ink = m_theme.colour(QStringLiteral("timeline.overview_window"));
  painter.fillRect(QRectF(shown.left(), shown.top(), shown.width(), 1), ink);
  painter.fillRect(QRectF(shown.left(), shown.bottom() - 1, shown.width(), 1), ink);
  painter.fillRect(QRectF(shown.left(), shown.top(), 1, shown.height()), ink);
  painter.fillRect(QRectF(shown.right() - 1, shown.top(), 1, shown.height()), ink);
  // Handles, so that the ends look as if they could be dragged.
  painter.fillRect(QRectF(shown.left() - 1, shown.center().y() - 4, 3, 8), ink);
  painter.fillRect(QRectF(shown.right() - 2, shown.center().y() - 4, 3, 8), ink);
  painter.fillRect(QRect(0, height() - 1, width(), 1), m_theme.colour(QStringLiteral("border.hairline")));
  painter.fillRect(QRect(header - 1, 0, 1, height()), m_theme.colour(QStringLiteral("border.hairline")));
  painter.setFont(m_theme.font(FontRole::kData));
  painter.setPen(m_theme.colour(QStringLiteral("text.secondary")));
  const int steps = m_control.session().stepCount();
  const QString words = steps > 1 ? tr("Overview, %1 steps").arg(steps) : tr("Overview");
  painter.drawText(QRect(m_theme.scaled(12), 0, header - m_theme.scaled(16), height() - 1),
                   Qt::AlignLeft | Qt::AlignVCenter, words);
}

OverviewStrip::Grip OverviewStrip::gripAt(double x) const {
  const QRectF shown = window();
  if (std::abs(x - shown.left()) <= kEnd && shown.width() > 3 * kEnd) return Grip::kLeft;
  if (std::abs(x - shown.right()) <= kEnd && shown.width() > 3 * kEnd) return Grip::kRight;
  return x > shown.left() && x < shown.right() ? Grip::kWindow : Grip::kNone;
}

void OverviewStrip::mousePressEvent(QMouseEvent* event) {
  const double x = event->position().x();
  if (event->button() != Qt::LeftButton || x < m_control.state().headerWidth()) return;
  m_grip = gripAt(x);
  if (m_grip == Grip::kNone) {
    const double middle = scale().timeAt(x - m_control.state().headerWidth());
    m_control.view().setView(middle - m_control.view().spanNs() / 2, m_control.view().spanNs());
    m_grip = Grip::kWindow;
  }
  m_lastX = x;
}

void OverviewStrip::mouseMoveEvent(QMouseEvent* event) {
  const double x = event->position().x();
  ViewState& view = m_control.view();
  const double ns = scale().timeAt(x - m_control.state().headerWidth());
  switch (m_grip) {
    case Grip::kNone: {
      const Grip over = gripAt(x);
      setCursor(over == Grip::kLeft || over == Grip::kRight ? Qt::SizeHorCursor
                : over == Grip::kWindow                     ? Qt::OpenHandCursor
                                                            : Qt::ArrowCursor);
      break;
    }
    case Grip::kWindow:
      view.panBy((x - m_lastX) * scale().nsPerPixel());
      break;
    case Grip::kLeft:
      if (ns < view.endNs()) view.setView(ns, view.endNs() - ns);
      break;
    case Grip::kRight:
      if (ns > view.startNs()) view.setView(view.startNs(), ns - view.startNs());
      break;
  }
  m_lastX = x;
}

void OverviewStrip::mouseReleaseEvent(QMouseEvent*) { m_grip = Grip::kNone; }

void OverviewStrip::mouseDoubleClickEvent(QMouseEvent*) { m_control.view().showAll(); }

void OverviewStrip::wheelEvent(QWheelEvent* event) {
  // About the place that is pointed at, which the panes may not show at all.
  const double ns = scale().timeAt(event->position().x() - m_control.state().headerWidth());
  if ((event->modifiers() & Qt::ShiftModifier) != 0) {
    m_control.wheel(*event, 0, false);
  } else {
    ViewState& view = m_control.view();
    const double about = std::clamp(ns, view.startNs(), view.endNs());
    view.zoomAbout(about, std::pow(0.8, event->angleDelta().y() / 120.0));
  }
  event->accept();
}

}  // namespace attnscope::ui
