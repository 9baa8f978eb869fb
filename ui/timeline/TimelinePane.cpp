// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/TimelinePane.h"

#include <algorithm>
#include <cmath>

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPaintEvent>
#include <QPainter>
#include <QWheelEvent>

namespace attnscope::ui {

namespace {
constexpr int kRowsANotch = 3;
constexpr int kStateHeight = 150;
}  // namespace

TimelinePane::TimelinePane(int run, TimelineControl& control, const Theme& theme, PaneInk& ink, QWidget* parent)
    : QWidget(parent),
      m_run(run),
      m_control(control),
      m_theme(theme),
      m_ink(ink),
      m_scroll(Qt::Vertical, this),
      m_state(theme, this) {
  setAttribute(Qt::WA_OpaquePaintEvent);
  setAttribute(Qt::WA_NoSystemBackground);
  setMouseTracking(true);
  setFocusPolicy(Qt::NoFocus);  // the timeline as a whole is one stop
  m_scroll.setFocusPolicy(Qt::NoFocus);
  m_scroll.setCursor(Qt::ArrowCursor);
  connect(&m_scroll, &QScrollBar::valueChanged, this, [this] { update(); });
  // Later: they take this pane away, and with it the button that is being pressed.
  connect(
      &m_state, &PaneState::cancelWanted, this, [this] { m_control.session().cancel(m_run); }, Qt::QueuedConnection);
  connect(
      &m_state, &PaneState::closeWanted, this, [this] { m_control.session().closeRun(m_run); }, Qt::QueuedConnection);
  connect(&m_state, &PaneState::retryWanted, this, [this] { m_control.session().reload(m_run); });
  connect(&m_control.view(), &ViewState::viewChanged, this, &TimelinePane::refreshView);
  connect(&m_control.view(), &ViewState::cursorChanged, this, &TimelinePane::refreshTracks);
  connect(&m_control.state(), &TimelineState::hoverChanged, this, &TimelinePane::refreshTracks);
  connect(&m_control.state(), &TimelineState::measureChanged, this, &TimelinePane::refreshTracks);
  connect(&m_control.state(), &TimelineState::partnersChanged, this, &TimelinePane::refreshTracks);
  connect(&m_control.state(), &TimelineState::layoutChanged, this, [this] { relayout(); });
}

void TimelinePane::refreshTracks() {
  const int header = m_control.state().headerWidth();
  update(header, 0, width() - header, height());
}

// The header column tells the range of counters in view; without counters it stays as it is.
void TimelinePane::refreshView() {
  bool hasCounters = false;
  for (const LayoutItem& item : m_layout.items) {
    if (item.kind != LayoutItem::Kind::kTrack || !m_model) continue;
    hasCounters = hasCounters || m_model->tracks().tracks[static_cast<std::size_t>(item.at)].counter != nullptr;
  }
  if (hasCounters) {
    update();
  } else {
    refreshTracks();
  }
}

void TimelinePane::setRun(int run) {
  m_run = run;
  refreshState();
  update();
}

void TimelinePane::setRole(PaneRole role) {
  if (role == m_role) return;
  m_role = role;
  m_hasScrolled = false;
  relayout();
}

void TimelinePane::setModel(const RunModel* model) {
  if (model == m_model) return;
  m_model = model;
  m_hasScrolled = false;
  m_folds = model ? FoldState::of(model->tracks()) : FoldState{};
  refreshSelection();
  relayout();
  refreshState();
}

void TimelinePane::setSizes(const LayoutSizes& sizes) {
  m_sizes = sizes;
  relayout();
}

int TimelinePane::wantedHeight() const {
  if (!m_model || m_model->tracks().tracks.empty()) return m_theme.scaled(kStateHeight);
  return m_layout.wantedHeight();
}

void TimelinePane::relayout() {
  if (m_model) m_layout = layoutPane(m_model->tracks(), m_role, m_folds, m_sizes);
  placeScrollBar();
  Q_EMIT wishChanged();
  update();
}

void TimelinePane::placeScrollBar() {
  if (!m_model) {
    m_scroll.hide();
    return;
  }
  const QRect area = scene().scrolled();
  const int most = std::max(0, m_layout.contentHeight - area.height());
  const bool wasAtEnd = m_scroll.value() == m_scroll.maximum();
  m_scroll.setRange(0, most);
  m_scroll.setPageStep(area.height());
  m_scroll.setSingleStep(m_sizes.row);
  // What is nearest to the seam shows first, and stays while the pane grows or shrinks.
  if (m_role == PaneRole::kUpper && (!m_hasScrolled || wasAtEnd)) m_scroll.setValue(most);
  const int width = m_theme.size(QStringLiteral("scrollbar"));
  m_scroll.setGeometry(size().width() - width, area.top(), width, area.height());
  m_scroll.setVisible(most > 0);
}

PaneScene TimelinePane::scene() const {
  PaneScene scene;
  TimelineControl& control = m_control;
  scene.session = &control.session();
  scene.theme = &m_theme;
  scene.state = &control.state();
  scene.model = m_model;
  scene.layout = &m_layout;
  scene.selected = &m_selected;
  scene.run = m_run;
  scene.scrollY = m_scroll.value();
  scene.size = size();
  scene.ratio = devicePixelRatioF();
  scene.headerWidth = control.state().headerWidth();
  scene.scale =
      TimeScale::of(control.view().startNs(), control.view().spanNs(), std::max(1, scene.trackWidth()), scene.ratio);
  scene.anchorNs = control.session().anchorNs(m_run);
  scene.scope = control.session().scopeRange(m_run);
  return scene;
}

void TimelinePane::paintEvent(QPaintEvent* event) {
  QPainter painter(this);
  if (!m_model || m_state.isVisible()) {
    painter.fillRect(event->rect(), m_theme.colour(QStringLiteral("timeline.pane")));
    return;
  }
  const PaneScene now = scene();
  m_ink.prepare(m_theme, now.ratio);
  paintTracks(painter, event->region(), now, m_ink, m_buffer);
  paintMarks(painter, now, m_control.view());
  if (event->rect().left() < now.headerWidth) paintHeaderColumn(painter, now, m_hoveredY);
}

void TimelinePane::resizeEvent(QResizeEvent*) {
  m_state.setGeometry(rect());
  placeScrollBar();
}

void TimelinePane::refreshState() {
  Session& session = m_control.session();
  if (m_run >= session.runCount()) return;
  const Run* run = session.run(m_run);
  switch (run->state()) {
    case RunState::kLoading:
      m_state.showLoading(*run);
      break;
    case RunState::kFailed:
      m_state.showFailed(*run);
      break;
    case RunState::kReady:
      if (!m_model) {
        m_state.showPreparing(run->title());
      } else if (m_model->tracks().tracks.empty()) {
        m_state.showNothing(*run);
      } else {
        m_state.conceal();
      }
      break;
  }
  m_state.setGeometry(rect());
  Q_EMIT wishChanged();
}

void TimelinePane::refreshSelection() {
  m_selected.clear();
  if (m_model) {
    if (const std::vector<SliceId>* slices = m_control.session().selection().slicesOf(m_run)) {
      for (const SliceId slice : *slices) {
        for (const SlicePlace& place : m_model->tracks().findAll(slice)) {
          m_selected[{place.track, place.row}].push_back(place.position);
        }
      }
      for (auto& [where, positions] : m_selected) std::sort(positions.begin(), positions.end());
    }
  }
  update();
}

SliceId TimelinePane::sliceAt(QPoint position) const {
  if (!m_model) return kNoSlice;
  const auto hit = scene().hit(position);
  return hit ? hit->slice : kNoSlice;
}

QRect TimelinePane::sliceRect(SliceId slice) const {
  return m_model ? scene().sliceRect(slice).toAlignedRect() : QRect();
}

bool TimelinePane::isRevealed(SliceId slice) const {
  if (!m_model) return true;
  const PaneScene now = scene();
  for (const SlicePlace& place : m_model->tracks().findAll(slice)) {
    const auto band = now.bandOf(place.track, place.row);
    if (!band) continue;
    const QRectF rect = now.sliceRect(place);
    if (rect.intersects(QRectF(band->visible))) return true;
  }
  return false;
}

bool TimelinePane::scrollRows(int rows) {
  const int before = m_scroll.value();
  m_scroll.setValue(before + rows * m_sizes.row);
  if (m_scroll.value() == before) return false;
  m_hasScrolled = true;
  return true;
}

void TimelinePane::reveal(SliceId slice) {
  if (!m_model || isRevealed(slice)) return;
  const auto places = m_model->tracks().findAll(slice);
  if (places.empty() || places.front().track == m_layout.pinned) return;
  const SlicePlace place = places.front();
  // A folded track opens for what is to be seen.
  if (place.row > 0 && m_folds.tracks[static_cast<std::size_t>(place.track)]) {
    m_folds.tracks[static_cast<std::size_t>(place.track)] = false;
    relayout();
  }
  const int group = m_model->tracks().tracks[static_cast<std::size_t>(place.track)].group;
  if (m_role == PaneRole::kAlone && m_folds.groups[static_cast<std::size_t>(group)]) {
    m_folds.groups[static_cast<std::size_t>(group)] = false;
    relayout();
  }
  const PaneScene now = scene();
  const auto band = now.bandOf(place.track, place.row);
  if (!band) return;
  const QRect area = now.scrolled();
  const int top = band->box.y - area.top() + now.scrollY;
  if (top < now.scrollY) {
    m_scroll.setValue(top - m_sizes.row);
  } else if (top + band->box.height > now.scrollY + area.height()) {
    m_scroll.setValue(top + band->box.height + m_sizes.row - area.height());
  }
}

double TimelinePane::trackX(QPointF position) const { return position.x() - m_control.state().headerWidth(); }

Measure TimelinePane::measurePlace(QPointF position) const {
  Measure where;
  where.run = m_run;
  if (!m_model) return where;
  const PaneScene now = scene();
  const int y = static_cast<int>(position.y());
  const int track = now.trackAt(y);
  if (track < 0 || m_model->tracks().tracks[static_cast<std::size_t>(track)].rows.empty()) return where;
  where.track = track;
  for (int row = 0; row < static_cast<int>(m_model->tracks().tracks[static_cast<std::size_t>(track)].rows.size());
       ++row) {
    const auto band = now.bandOf(track, row);
    if (band && y >= band->box.y && y < band->box.y + band->box.height) where.row = row;
  }
  return where;
}

void TimelinePane::mousePressEvent(QMouseEvent* event) {
  if (!m_model) return;
  if (event->position().x() < m_control.state().headerWidth()) {
    if (event->button() == Qt::LeftButton) toggleAt(static_cast<int>(event->position().y()));
    return;
  }
  if (event->button() == Qt::RightButton) return;
  const bool measures = event->button() == Qt::LeftButton &&
                        ((event->modifiers() & Qt::ShiftModifier) != 0 || m_control.state().isMeasuring());
  m_control.press(trackX(event->position()), measures ? TimelineControl::Drag::kMeasure : TimelineControl::Drag::kPan,
                  measurePlace(event->position()));
  m_isDraggingRows = !measures;
  m_pressY = event->position().y();
  m_pressScroll = m_scroll.value();
  Q_EMIT tooltipWanted(m_run, kNoSlice, {});
}

void TimelinePane::mouseMoveEvent(QMouseEvent* event) {
  if (!m_model) return;
  const QPointF position = event->position();
  if (m_control.drag() != TimelineControl::Drag::kNone && event->buttons() != Qt::NoButton) {
    m_control.moveTo(trackX(position));
    if (m_isDraggingRows && std::abs(position.y() - m_pressY) > 3) {
      m_scroll.setValue(m_pressScroll - static_cast<int>(position.y() - m_pressY));
      m_hasScrolled = true;
    }
    return;
  }
  const int hoveredY = position.x() < m_control.state().headerWidth() ? static_cast<int>(position.y()) : -1;
  if (hoveredY != m_hoveredY) {
    m_hoveredY = hoveredY;
    update(0, 0, m_control.state().headerWidth(), height());
  }
  if (hoveredY >= 0) {
    m_control.leave();
    Q_EMIT tooltipWanted(m_run, kNoSlice, {});
    return;
  }
  m_control.pointAt(trackX(position));
  const auto hit = scene().hit(position);
  m_control.state().setHovered(hit ? HoveredSlice{m_run, hit->slice} : HoveredSlice{});
  Q_EMIT tooltipWanted(m_run, hit ? hit->slice : kNoSlice, event->globalPosition().toPoint());
}

void TimelinePane::mouseReleaseEvent(QMouseEvent* event) {
  if (!m_model || m_control.drag() == TimelineControl::Drag::kNone) return;
  const bool isClick = m_control.release(trackX(event->position())) && std::abs(event->position().y() - m_pressY) <= 3;
  m_isDraggingRows = false;
  if (!isClick || event->button() != Qt::LeftButton) return;
  const auto hit = scene().hit(event->position());
  if (hit) {
    m_control.select(m_run, hit->slice);
  } else {
    m_control.session().clearSelection();
  }
}

void TimelinePane::mouseDoubleClickEvent(QMouseEvent* event) {
  if (!m_model || event->button() != Qt::LeftButton) return;
  if (event->position().x() < m_control.state().headerWidth()) return;
  const auto hit = scene().hit(event->position());
  if (!hit) return;
  m_control.select(m_run, hit->slice);
  m_control.fitSelection();
  Q_EMIT sliceActivated(m_run, hit->slice);
}

void TimelinePane::contextMenuEvent(QContextMenuEvent* event) {
  if (!m_model) return;
  Q_EMIT tooltipWanted(m_run, kNoSlice, {});
  const auto hit = scene().hit(event->pos());
  Q_EMIT menuWanted(m_run, hit ? hit->slice : kNoSlice, event->globalPos());
}

void TimelinePane::toggleAt(int y) {
  const PaneScene now = scene();
  if (m_role == PaneRole::kCompact && y >= now.pinnedTop() && y < now.pinnedTop() + m_layout.pinnedHeight) {
    m_folds.isOpen = !m_folds.isOpen;
    relayout();
    return;
  }
  const LayoutItem* item = now.itemAt(y);
  if (!item) return;
  const auto at = static_cast<std::size_t>(item->at);
  if (item->kind == LayoutItem::Kind::kGroup) {
    m_folds.groups[at] = !m_folds.groups[at];
  } else if (m_model->tracks().tracks[at].rows.size() > 1) {
    m_folds.tracks[at] = !m_folds.tracks[at];
  } else {
    return;
  }
  relayout();
}

void TimelinePane::wheelEvent(QWheelEvent* event) {
  const double x =
      std::clamp(trackX(event->position()), 0.0, static_cast<double>(std::max(1, m_control.state().trackWidth())));
  event->accept();
  if (m_control.wheel(*event, x, false)) return;
  const double notches = event->angleDelta().y() / 120.0;
  m_hasScrolled = true;
  m_scroll.setValue(m_scroll.value() - static_cast<int>(std::lround(notches * kRowsANotch * m_sizes.row)));
}

void TimelinePane::leaveEvent(QEvent*) {
  if (m_hoveredY >= 0) {
    m_hoveredY = -1;
    update();
  }
  m_control.leave();
  Q_EMIT tooltipWanted(m_run, kNoSlice, {});
}

bool TimelinePane::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) return true;  // a tip of our own is shown
  return QWidget::event(event);
}

}  // namespace attnscope::ui
