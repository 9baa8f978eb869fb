// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/TimelinePane.h"

#include <algorithm>
#include <cmath>

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QNativeGestureEvent>
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
      m_state(theme, this),
      m_beginning(theme, this) {
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
  connect(
      &m_beginning, &BeginningMark::cancelWanted, this, [this] { m_control.session().cancel(m_run); },
      Qt::QueuedConnection);
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
  m_arrangement = model ? TrackArrangement::of(model->tracks()) : TrackArrangement{};
  m_trackUnderPointer = -1;
  m_movedTrack = -1;
  m_selected.clear();
  m_found.clear();
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
  if (m_model) m_layout = layoutPane(m_model->tracks(), m_role, m_arrangement, m_sizes);
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
  scene.found = &m_found;
  scene.run = m_run;
  scene.scrollY = m_scroll.value();
  scene.size = size();
  scene.ratio = devicePixelRatioF();
  scene.headerWidth = control.state().headerWidth();
  const TimelineControl::Window window = control.windowOf(m_run);
  scene.scale = TimeScale::of(window.startNs, window.spanNs, std::max(1, scene.trackWidth()), scene.ratio);
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
  m_beginning.place();
  placeScrollBar();
}

void TimelinePane::refreshState() {
  Session& session = m_control.session();
  if (m_run >= session.runCount()) return;
  const Run* run = session.run(m_run);
  switch (run->state()) {
    case RunState::kLoading:
      if (m_model && !m_model->tracks().tracks.empty()) {
        m_state.conceal();
      } else {
        m_state.showLoading(*run);
      }
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
  m_beginning.follow(run->state() == RunState::kLoading && m_model ? run : nullptr);
  Q_EMIT wishChanged();
}

void TimelinePane::setSelected(SelectedRows rows) {
  m_selected = std::move(rows);
  update();
}

void TimelinePane::setFound(FoundRows rows) {
  if (rows.empty() && m_found.empty()) return;
  m_found = std::move(rows);
  refreshTracks();
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
  if (places.empty() || places.front().track == m_layout.seam) return;
  const SlicePlace place = places.front();
  // A track that is folded, hidden or filtered away opens for what is to be seen.
  TrackArrangement opened = m_arrangement;
  if (place.row > 0) opened.foldedTracks[static_cast<std::size_t>(place.track)] = false;
  if (!opened.shows(m_model->tracks(), place.track)) {
    opened.hidden[static_cast<std::size_t>(place.track)] = false;
    opened.filter.clear();
  }
  const int group = m_model->tracks().tracks[static_cast<std::size_t>(place.track)].group;
  opened.foldedGroups[static_cast<std::size_t>(group)] = false;
  arrange(std::move(opened));
  const PaneScene now = scene();
  const auto band = now.bandOf(place.track, place.row);
  if (!band) return;
  if (const LayoutItem* item = m_layout.itemOf(place.track); item && item->isPinned) return;
  const QRect area = now.scrolled();
  const int top = band->box.y - area.top() + now.scrollY;
  if (top < now.scrollY) {
    m_scroll.setValue(top - m_sizes.row);
  } else if (top + band->box.height > now.scrollY + area.height()) {
    m_scroll.setValue(top + band->box.height + m_sizes.row - area.height());
  }
}

void TimelinePane::arrange(TrackArrangement arrangement) {
  if (!m_model || arrangement == m_arrangement) return;
  m_arrangement = std::move(arrangement);
  relayout();
  Q_EMIT arrangementChanged();
}

void TimelinePane::togglePin(int track) {
  if (!m_model || track < 0) return;
  TrackArrangement arrangement = m_arrangement;
  if (arrangement.isPinned(track)) {
    arrangement.pinned.erase(std::find(arrangement.pinned.begin(), arrangement.pinned.end(), track));
  } else {
    arrangement.pinned.push_back(track);
  }
  arrange(std::move(arrangement));
}

void TimelinePane::setTrackHidden(int track, bool isHidden) {
  if (!m_model || track < 0 || track == m_layout.seam) return;
  TrackArrangement arrangement = m_arrangement;
  arrangement.hidden[static_cast<std::size_t>(track)] = isHidden;
  m_trackUnderPointer = -1;
  arrange(std::move(arrangement));
}

std::vector<int> TimelinePane::trackOrder() const {
  std::vector<int> order;
  const auto addSeam = [&] {
    if (m_layout.seam >= 0) order.push_back(m_layout.seam);
  };
  if (m_role != PaneRole::kUpper) addSeam();
  for (const std::vector<LayoutItem>* zone : {&m_layout.pinned, &m_layout.items}) {
    for (const LayoutItem& item : *zone) {
      if (item.kind == LayoutItem::Kind::kTrack) order.push_back(item.at);
    }
  }
  if (m_role == PaneRole::kUpper) addSeam();
  return order;
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

std::vector<std::pair<int, int>> TimelinePane::rowsBetween(double fromY, double toY) const {
  const PaneScene now = scene();
  const double top = std::min(fromY, toY);
  const double bottom = std::max(fromY, toY);
  std::vector<std::pair<int, int>> rows;
  for (const int track : trackOrder()) {
    const auto count = static_cast<int>(m_model->tracks().tracks[static_cast<std::size_t>(track)].rows.size());
    for (int row = 0; row < count; ++row) {
      const auto band = now.bandOf(track, row);
      if (band && band->box.y <= bottom && band->box.y + band->box.height > top) rows.emplace_back(track, row);
    }
  }
  return rows;
}

void TimelinePane::mousePressEvent(QMouseEvent* event) {
  if (!m_model) return;
  m_control.activate(m_run);
  if (event->position().x() < m_control.state().headerWidth()) {
    if (event->button() == Qt::LeftButton) pressHeader(event->position());
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
  if (measures) m_control.setMeasuredRows(rowsBetween(m_pressY, m_pressY));
  Q_EMIT tooltipWanted(m_run, kNoSlice, {});
}

void TimelinePane::mouseMoveEvent(QMouseEvent* event) {
  if (!m_model) return;
  const QPointF position = event->position();
  if (m_movedTrack >= 0 && (event->buttons() & Qt::LeftButton) != 0) {
    moveInHeader(position);
    return;
  }
  if (m_control.drag() != TimelineControl::Drag::kNone && event->buttons() != Qt::NoButton) {
    if (m_control.drag() == TimelineControl::Drag::kMeasure)
      m_control.setMeasuredRows(rowsBetween(m_pressY, position.y()));
    m_control.moveTo(trackX(position));
    if (m_isDraggingRows && std::abs(position.y() - m_pressY) > 3) {
      m_scroll.setValue(m_pressScroll - static_cast<int>(position.y() - m_pressY));
      m_hasScrolled = true;
    }
    return;
  }
  m_trackUnderPointer = scene().trackAt(static_cast<int>(position.y()));
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
  m_movedTrack = -1;
  if (!m_model || m_control.drag() == TimelineControl::Drag::kNone) return;
  const bool isClick = m_control.release(trackX(event->position())) && std::abs(event->position().y() - m_pressY) <= 3;
  m_isDraggingRows = false;
  if (!isClick || event->button() != Qt::LeftButton) return;
  const auto hit = scene().hit(event->position());
  const bool adds = (event->modifiers() & Qt::ControlModifier) != 0;
  if (hit && adds) {
    m_control.addToSelection(m_run, hit->slice);
  } else if (hit) {
    m_control.select(m_run, hit->slice);
  } else if (const IdleGap* gap = scene().gapAt(event->position())) {
    m_control.measureGap(m_run, scene().trackAt(static_cast<int>(event->position().y())), *gap);
  } else if (!adds) {
    m_control.session().clearSelection();
  }
}

void TimelinePane::mouseDoubleClickEvent(QMouseEvent* event) {
  if (!m_model || event->button() != Qt::LeftButton) return;
  if (event->position().x() < m_control.state().headerWidth()) {
    pressHeader(event->position());
    // Nothing but its name was hit.
    const LayoutItem* named = m_movedTrack >= 0 ? m_layout.itemOf(m_movedTrack) : nullptr;
    m_movedTrack = -1;
    if (named) fold(*named);
    return;
  }
  const auto hit = scene().hit(event->position());
  if (!hit) return;
  m_control.select(m_run, hit->slice);
  m_control.fitSelection();
  Q_EMIT sliceActivated(m_run, hit->slice);
}

void TimelinePane::contextMenuEvent(QContextMenuEvent* event) {
  if (!m_model) return;
  Q_EMIT tooltipWanted(m_run, kNoSlice, {});
  if (event->pos().x() < m_control.state().headerWidth()) {
    Q_EMIT trackMenuWanted(m_run, scene().trackAt(event->pos().y()), event->globalPos());
    return;
  }
  const auto hit = scene().hit(event->pos());
  Q_EMIT menuWanted(m_run, hit ? hit->slice : kNoSlice, event->globalPos());
}

const LayoutItem* TimelinePane::trackItemAt(int y) const {
  const LayoutItem* item = scene().itemAt(y);
  return item && item->kind == LayoutItem::Kind::kTrack ? item : nullptr;
}

// A click on a caret folds, on one of the three small buttons does what it shows; elsewhere a drag of the name begins.
void TimelinePane::pressHeader(QPointF position) {
  const PaneScene now = scene();
  const int y = static_cast<int>(position.y());
  if (m_role == PaneRole::kCompact && y >= now.seamTop() && y < now.seamTop() + m_layout.seamHeight) {
    TrackArrangement arrangement = m_arrangement;
    arrangement.isOpen = !arrangement.isOpen;
    arrange(std::move(arrangement));
    return;
  }
  const LayoutItem* item = now.itemAt(y);
  if (!item) return;
  if (item->kind == LayoutItem::Kind::kGroup) {
    fold(*item);
    return;
  }
  const QRect box(0, now.topOf(*item), now.headerWidth, item->height);
  const int track = item->at;
  for (const HeaderButton& button : headerButtons(m_theme, now.headerWidth, box)) {
    if (!button.box.contains(position.toPoint())) continue;
    switch (button.act) {
      case HeaderAct::kPin:
        togglePin(track);
        break;
      case HeaderAct::kHide:
        setTrackHidden(track, true);
        break;
      case HeaderAct::kMore:
        Q_EMIT trackMenuWanted(m_run, track, mapToGlobal(button.box.bottomLeft()));
        break;
    }
    return;
  }
  const int caret = m_theme.scaled(30);
  if (position.x() < caret) {
    fold(*item);
  } else {
    m_movedTrack = track;
  }
}

void TimelinePane::moveInHeader(QPointF position) {
  const LayoutItem* over = trackItemAt(static_cast<int>(position.y()));
  if (over && over->at != m_movedTrack) moveTo(m_movedTrack, *over);
}

void TimelinePane::moveTrack(int track, Direction direction) {
  const std::vector<int> order = trackOrder();
  const auto at = std::find(order.begin(), order.end(), track);
  if (at == order.end() || (direction == Direction::kBack ? at == order.begin() : at + 1 == order.end())) return;
  if (const LayoutItem* target = m_layout.itemOf(direction == Direction::kBack ? at[-1] : at[1]))
    moveTo(track, *target);
}

void TimelinePane::moveTo(int track, const LayoutItem& target) {
  const LayoutItem* moved = m_layout.itemOf(track);
  const std::vector<DisplayTrack>& tracks = m_model->tracks().tracks;
  const bool isOneGroup =
      tracks[static_cast<std::size_t>(target.at)].group == tracks[static_cast<std::size_t>(track)].group;
  if (!moved || moved->isPinned != target.isPinned || (m_role == PaneRole::kAlone && !isOneGroup)) return;
  TrackArrangement arrangement = m_arrangement;
  if (m_role != PaneRole::kAlone) {
    // The rows stood in an order of their own: that is the one to be changed.
    std::vector<int> order = trackOrder();
    for (const int other : arrangement.order) {
      if (std::find(order.begin(), order.end(), other) == order.end()) order.push_back(other);
    }
    arrangement.order = std::move(order);
  }
  arrangement.move(track, target.at);
  arrange(std::move(arrangement));
}

void TimelinePane::fold(const LayoutItem& item) {
  TrackArrangement arrangement = m_arrangement;
  const auto at = static_cast<std::size_t>(item.at);
  if (item.kind == LayoutItem::Kind::kGroup) {
    arrangement.foldedGroups[at] = !arrangement.foldedGroups[at];
  } else if (m_model->tracks().tracks[at].rows.size() > 1) {
    arrangement.foldedTracks[at] = !arrangement.foldedTracks[at];
  }
  arrange(std::move(arrangement));
}

void TimelinePane::wheelEvent(QWheelEvent* event) {
  const double x =
      std::clamp(trackX(event->position()), 0.0, static_cast<double>(std::max(1, m_control.state().trackWidth())));
  event->accept();
  m_control.activate(m_run);
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
  m_trackUnderPointer = -1;
  m_control.leave();
  Q_EMIT tooltipWanted(m_run, kNoSlice, {});
}

bool TimelinePane::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) return true;  // a tip of our own is shown
  if (event->type() == QEvent::NativeGesture) {
    const auto* gesture = static_cast<QNativeGestureEvent*>(event);
    if (gesture->gestureType() == Qt::ZoomNativeGesture && m_model) {
      m_control.activate(m_run);
      m_control.pinch(trackX(gesture->position()), gesture->value());
      return true;
    }
  }
  return QWidget::event(event);
}

}  // namespace attnscope::ui
