// SPDX-License-Identifier: GPL-3.0-or-later
// Views and selections one came from, tracks pinned, hidden, moved and filtered, and notes.
#include <algorithm>
#include <cmath>

#include <QKeyEvent>

#include "ui/timeline/TimelineView.h"

namespace attnscope::ui {

TimelineView::ViewPlace TimelineView::viewPlace() const {
  ViewPlace place{m_view.startNs(), m_view.spanNs(), m_session.scope(), m_session.kindFilter(), {}};
  for (const TimelinePane* pane : m_panes) {
    if (modelOf(pane->run())) place.tracks.emplace_back(m_session.run(pane->run()), pane->arrangement());
  }
  return place;
}

void TimelineView::rememberView() {
  m_viewRest.stop();
  if (m_hasView) m_views.arriveAt(viewPlace());
}

void TimelineView::restore(const ViewPlace& place) {
  m_session.setScope(place.scope);
  m_session.setKindFilter(place.kinds);
  for (TimelinePane* pane : m_panes) {
    for (const auto& [run, arrangement] : place.tracks) {
      if (m_session.run(pane->run()) == run) pane->arrange(arrangement);
    }
  }
  m_view.setView(place.startNs, place.spanNs);
  m_viewRest.stop();
}

void TimelineView::goBack() {
  if (m_viewRest.isActive()) rememberView();
  if (const ViewPlace* place = m_views.back()) restore(ViewPlace(*place));
}

void TimelineView::goForward() {
  if (const ViewPlace* place = m_views.forward()) restore(ViewPlace(*place));
}

void TimelineView::rememberSelection() {
  constexpr std::size_t kMostKept = 100'000;  // slices; a larger one is not come back to
  const Selection& selection = m_session.selection();
  if (selection.isEmpty()) return;
  SelectionPlace place;
  std::size_t count = 0;
  for (const SelectedSlices& part : selection.parts) {
    count += part.slices.size();
    if (count > kMostKept) return;
    place.parts.emplace_back(m_session.run(part.run), part.slices);
  }
  place.run = m_session.run(selection.leadRun);
  place.slice = selection.leadSlice;
  place.words = selection.words;
  m_selections.arriveAt(std::move(place));
}

void TimelineView::restore(const SelectionPlace& place) {
  Selection selection;
  for (const auto& [run, slices] : place.parts) selection.parts.push_back({m_session.positionOf(run), slices});
  selection.leadRun = m_session.positionOf(place.run);
  selection.leadSlice = place.slice;
  selection.words = place.words;
  selection.origin = SelectionOrigin::kTimeline;
  m_session.select(selection);
  revealSlice(selection.leadRun, selection.leadSlice);
}

void TimelineView::selectBack() {
  // After it was let go of, the last one comes back first.
  const SelectionPlace* place = m_selections.back();
  if (place) restore(SelectionPlace(*place));
}

void TimelineView::selectForward() {
  if (const SelectionPlace* place = m_selections.forward()) restore(SelectionPlace(*place));
}

TimelineView::TrackInHand TimelineView::trackInHand() const {
  for (TimelinePane* pane : m_panes) {
    if (pane->trackUnderPointer() >= 0) return {pane, pane->trackUnderPointer()};
  }
  const Selection& selection = m_session.selection();
  const RunModel* model = selection.isEmpty() ? nullptr : modelOf(selection.leadRun);
  for (TimelinePane* pane : m_panes) {
    if (!model || pane->run() != selection.leadRun || selection.leadSlice == kNoSlice) continue;
    if (const auto place = model->tracks().find(selection.leadSlice)) return {pane, place->track};
  }
  return {};
}

void TimelineView::pinTrack() {
  if (const TrackInHand held = trackInHand(); held.pane) held.pane->togglePin(held.track);
}

void TimelineView::hideTrack() {
  if (const TrackInHand held = trackInHand(); held.pane) held.pane->setTrackHidden(held.track, true);
}

void TimelineView::togglePin(int run, int track) {
  if (TimelinePane* at = paneOf(run)) at->togglePin(track);
}

void TimelineView::setTrackHidden(int run, int track, bool isHidden) {
  if (TimelinePane* at = paneOf(run)) at->setTrackHidden(track, isHidden);
}

void TimelineView::showAllTracks() {
  for (TimelinePane* pane : m_panes) {
    TrackArrangement arrangement = pane->arrangement();
    arrangement.hidden.assign(arrangement.hidden.size(), false);
    arrangement.filter.clear();
    pane->arrange(std::move(arrangement));
  }
  m_trackFilter.clear();
  m_trackFilter.hide();
}

void TimelineView::moveTrack(Direction direction) {
  const TrackInHand held = trackInHand();
  if (held.pane) held.pane->moveTrack(held.track, direction);
}

void TimelineView::focusTrackFilter() {
  m_trackFilter.show();
  m_trackFilter.selectAll();
  m_trackFilter.setFocus(Qt::ShortcutFocusReason);
}

// Enter goes back to the timelines and keeps the filter, Escape lets go of it; empty and left, the field goes.
bool TimelineView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == &m_trackFilter && event->type() == QEvent::ShortcutOverride) {
    event->accept();  // every key is for the text
    return true;
  }
  if (watched == &m_trackFilter && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Escape) m_trackFilter.clear();
    if (key == Qt::Key_Escape || key == Qt::Key_Return || key == Qt::Key_Enter) {
      setFocus();
      return true;
    }
  }
  if (watched == &m_trackFilter && event->type() == QEvent::FocusOut && m_trackFilter.text().isEmpty()) {
    m_trackFilter.hide();
  }
  return QWidget::eventFilter(watched, event);
}

void TimelineView::filterTracks(const QString& words) {
  for (TimelinePane* pane : m_panes) {
    TrackArrangement arrangement = pane->arrangement();
    arrangement.filter = words.trimmed().toStdString();
    pane->arrange(std::move(arrangement));
  }
}

namespace {

// What the lab measured and nobody saved has no file that could be opened again.
QString memoryKey(const Run& run) { return run.measurement() && run.origin().isEmpty() ? QString() : run.location(); }

}  // namespace

void TimelineView::rememberTracks(const TimelinePane& pane) {
  const RunModel* model = modelOf(pane.run());
  const QString file = memoryKey(*m_session.run(pane.run()));
  if (model && !file.isEmpty()) m_memory.remember(file, writtenArrangement(model->tracks(), pane.arrangement()));
}

void TimelineView::recallTracks(TimelinePane& pane) {
  const QJsonObject known = m_memory.recall(memoryKey(*m_session.run(pane.run())));
  if (!known.isEmpty()) pane.arrange(readArrangement(modelOf(pane.run())->tracks(), known));
}

QPoint TimelineView::notePoint(int run, std::int64_t ownNs) const {
  const TimelineControl::Window window = m_control.windowOf(run);
  const double share = (static_cast<double>(ownNs - m_session.anchorNs(run)) - window.startNs) / window.spanNs;
  const int x = m_state.headerWidth() + static_cast<int>(std::clamp(share, 0.0, 1.0) * m_state.trackWidth());
  return {x, m_stack.y()};
}

void TimelineView::writeNote(bool onRange) {
  const std::vector<int> ready = m_session.readyRuns();
  if (ready.empty()) return;
  const Selection& selection = m_session.selection();
  int run = m_session.baseline();
  for (const TimelinePane* pane : m_panes) {
    if (pane->underMouse()) run = pane->run();
  }
  std::optional<TimeRange> aligned;
  if (m_state.measure() && onRange) {
    const Measure& measure = *m_state.measure();
    if (std::find(ready.begin(), ready.end(), measure.run) != ready.end()) run = measure.run;
    aligned = TimeRange{std::llround(measure.fromNs), std::llround(measure.toNs)};
  } else if (!onRange && m_view.hasCursor()) {
    aligned = TimeRange{std::llround(m_view.cursorNs()), std::llround(m_view.cursorNs())};
  } else if (const auto selected = m_control.selectionRange()) {
    run = selection.leadRun;
    aligned = onRange ? *selected : TimeRange{selected->startNs, selected->startNs};
  } else if (!onRange) {
    const auto middle = std::llround((m_view.startNs() + m_view.endNs()) / 2);
    aligned = TimeRange{middle, middle};
  }
  if (!aligned || !m_session.run(run)->trace()) return;
  const std::int64_t anchor = m_session.anchorNs(run);
  const TimeRange own{aligned->startNs + anchor, aligned->endNs + anchor};
  m_noteEditor->write(m_session.run(run), own, notePoint(run, own.startNs));
}

void TimelineView::changeNote(int note) {
  const Note& at = m_notes.all()[static_cast<std::size_t>(note)];
  m_noteEditor->change(note, notePoint(m_session.positionOf(at.run), at.range.startNs));
}

void TimelineView::showNote(int note) {
  const Note& at = m_notes.all()[static_cast<std::size_t>(note)];
  const int run = m_session.positionOf(at.run);
  m_control.activate(run);
  const std::int64_t anchor = m_session.anchorNs(run);
  const auto start = static_cast<double>(at.range.startNs - anchor);
  if (!at.isPlace()) {
    m_view.fit({at.range.startNs - anchor, at.range.endNs - anchor});
  } else if (start < m_view.startNs() || start > m_view.endNs()) {
    m_view.setView(start - m_view.spanNs() / 2, m_view.spanNs());
  }
}

}  // namespace attnscope::ui
