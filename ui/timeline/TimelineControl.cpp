// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/TimelineControl.h"

#include <algorithm>
#include <cmath>

#include <QWheelEvent>

#include "ui/bridge/Format.h"

namespace attnscope::ui {

namespace {
constexpr double kTravel = 3;  // px from which a press is a drag
constexpr double kSnap = 6;    // px
constexpr double kPanNotch = 80;
}  // namespace

TimelineControl::TimelineControl(Session& session, ViewState& view, TimelineState& state, ViewMotion& motion,
                                 ModelOf modelOf, QObject* parent)
    : QObject(parent),
      m_session(session),
      m_view(view),
      m_state(state),
      m_motion(motion),
      m_modelOf(std::move(modelOf)) {
  connect(&m_session, &Session::selectionChanged, this, [this] { m_fitStage = 0; });
  const auto forget = [this] { m_measureWords.reset(); };
  connect(&m_state, &TimelineState::measureChanged, this, forget);
  connect(&m_session, &Session::alignmentChanged, this, forget);
  connect(&m_session, &Session::runsChanged, this, forget);
  connect(&m_session, &Session::runChanged, this, forget);
}

double TimelineControl::timeAt(double x) const {
  return m_view.startNs() + x / std::max(1, m_state.trackWidth()) * m_view.spanNs();
}

void TimelineControl::press(double x, Drag drag, const Measure& where) {
  m_drag = drag;
  m_where = where;
  m_pressX = m_lastX = x;
  m_pressNs = timeAt(x);
  m_hasTravelled = false;
}

void TimelineControl::moveTo(double x) {
  if (m_drag == Drag::kNone) return;
  if (!m_hasTravelled && std::abs(x - m_pressX) < kTravel) return;
  m_hasTravelled = true;
  if (m_drag == Drag::kPan) {
    m_motion.panPixels(m_lastX - x);
  } else {
    const double from = snapped(m_pressNs, m_where);
    const double to = snapped(timeAt(x), m_where);
    Measure measure = m_where;
    measure.fromNs = std::min(from, to);
    measure.toNs = std::max(from, to);
    m_state.setMeasure(measure);
  }
  m_lastX = x;
}

bool TimelineControl::release(double x) {
  moveTo(x);
  m_drag = Drag::kNone;
  return !m_hasTravelled;
}

void TimelineControl::pointAt(double x) {
  m_state.setPointerX(x);
  m_view.setCursor(timeAt(x));
}

void TimelineControl::leave() {
  m_state.setPointerX(-1);
  m_state.setHovered({});
  m_view.clearCursor();
}

bool TimelineControl::wheel(const QWheelEvent& event, double x, bool plainZooms) {
  const QPoint angle = event.angleDelta();
  const double notches = (angle.y() != 0 ? angle.y() : angle.x()) / 120.0;
  if ((event.modifiers() & Qt::ControlModifier) != 0 || (plainZooms && event.modifiers() == Qt::NoModifier)) {
    m_motion.zoom(x, notches);
    return true;
  }
  if ((event.modifiers() & Qt::ShiftModifier) != 0 || std::abs(angle.x()) > std::abs(angle.y())) {
    m_motion.panPixels(-notches * kPanNotch);
    return true;
  }
  return false;
}

const DisplayRow* TimelineControl::rowOf(const Measure& where, const RunModel*& model) const {
  const std::vector<int> ready = m_session.readyRuns();
  if (ready.empty()) return nullptr;
  const int run = std::find(ready.begin(), ready.end(), where.run) != ready.end() ? where.run : ready.front();
  model = m_modelOf(run);
  if (!model) return nullptr;
  const DisplayTracks& tracks = model->tracks();
  const int track = where.track >= 0 ? where.track : tracks.compared;
  if (track < 0 || track >= static_cast<int>(tracks.tracks.size())) return nullptr;
  const std::vector<DisplayRow>& rows = tracks.tracks[static_cast<std::size_t>(track)].rows;
  const int row = where.track >= 0 ? where.row : 0;
  return row < static_cast<int>(rows.size()) ? &rows[static_cast<std::size_t>(row)] : nullptr;
}

double TimelineControl::snapped(double ns, const Measure& where) const {
  const RunModel* model = nullptr;
  const DisplayRow* row = rowOf(where, model);
  if (!row || row->size() == 0) return ns;
  const std::vector<int> ready = m_session.readyRuns();
  const int run = std::find(ready.begin(), ready.end(), where.run) != ready.end() ? where.run : ready.front();
  const double anchor = static_cast<double>(m_session.anchorNs(run));
  const RowColumns columns = row->columns(model->facts());
  const std::uint32_t middle = columns.firstEndingAfter(ns + anchor);
  double best = ns;
  double bestDistance = kSnap * m_view.spanNs() / std::max(1, m_state.trackWidth());
  const auto offer = [&](std::int64_t own) {
    const double at = static_cast<double>(own) - anchor;
    if (std::abs(at - ns) > bestDistance) return;
    bestDistance = std::abs(at - ns);
    best = at;
  };
  for (std::uint32_t at = middle > 0 ? middle - 1 : 0; at < std::min(row->size(), middle + 2); ++at) {
    offer(columns.startNs[at]);
    offer(columns.endNs(at));
  }
  return best;
}

QString TimelineControl::measureWords() const {
  if (!m_state.measure()) return {};
  if (m_measureWords) return *m_measureWords;
  const RunModel* model = nullptr;
  const QString words = wordsOf(*m_state.measure());
  if (rowOf(*m_state.measure(), model)) m_measureWords = words;  // else the rows are still being made
  return words;
}

QString TimelineControl::wordsOf(const Measure& measure) const {
  QString words = format::time(measure.toNs - measure.fromNs);
  const RunModel* model = nullptr;
  const DisplayRow* row = rowOf(measure, model);
  if (!row || measure.toNs <= measure.fromNs) return words;
  const std::vector<int> ready = m_session.readyRuns();
  const int run = std::find(ready.begin(), ready.end(), measure.run) != ready.end() ? measure.run : ready.front();
  const double anchor = static_cast<double>(m_session.anchorNs(run));
  const RowColumns columns = row->columns(model->facts());
  double busy = 0;
  std::int64_t count = 0;
  for (std::uint32_t at = columns.firstEndingAfter(measure.fromNs + anchor); at < columns.size(); ++at) {
    const double start = static_cast<double>(columns.startNs[at]) - anchor;
    if (start >= measure.toNs) break;
    const double end = static_cast<double>(columns.endNs(at)) - anchor;
    busy += std::max(0.0, std::min(end, measure.toNs) - std::max(start, measure.fromNs));
    ++count;
  }
  words += QStringLiteral(", ") + (count == 1 ? tr("1 slice") : tr("%1 slices").arg(format::count(count)));
  words += QStringLiteral(", ") + tr("busy %1").arg(format::percent(busy / (measure.toNs - measure.fromNs), 0));
  return words;
}

void TimelineControl::select(int run, SliceId slice) { m_session.selectSlice(run, slice, SelectionOrigin::kTimeline); }

const RunModel* TimelineControl::leadModel() const {
  const Selection& selection = m_session.selection();
  return selection.isEmpty() || selection.leadSlice == kNoSlice ? nullptr : m_modelOf(selection.leadRun);
}

// The walk keeps what a table selected, where the slice is among it.
void TimelineControl::selectLead(SliceId slice) {
  if (slice == kNoSlice) return;
  const int run = m_session.selection().leadRun;
  if (m_session.selection().contains(run, slice)) {
    Selection same = m_session.selection();
    same.leadSlice = slice;
    m_session.select(std::move(same));
  } else {
    select(run, slice);
  }
  Q_EMIT revealWanted(run, slice);
}

void TimelineControl::walkByName(Direction direction, bool onSameTrack) {
  const RunModel* model = leadModel();
  if (!model) return;
  const Selection& selection = m_session.selection();
  const std::vector<SliceId>* among = selection.slicesOf(selection.leadRun);
  if (among && among->size() > 1 && !onSameTrack) {
    const SliceTable& table = model->trace().slices;
    SliceId best = kNoSlice;
    for (const SliceId slice : *among) {
      const std::int64_t there = table.startNs[index(slice)];
      const std::int64_t here = table.startNs[index(selection.leadSlice)];
      const bool isBeyond = direction == Direction::kForward ? there > here : there < here;
      if (!isBeyond) continue;
      const bool isNearer = best == kNoSlice || (direction == Direction::kForward ? there < table.startNs[index(best)]
                                                                                  : there > table.startNs[index(best)]);
      if (isNearer) best = slice;
    }
    selectLead(best);
    return;
  }
  selectLead(nextOfName(model->trace(), selection.leadSlice, direction, onSameTrack));
}

void TimelineControl::walkRow(Direction direction) {
  const RunModel* model = leadModel();
  if (!model) return;
  std::vector<int> order;
  for (int track = 0; track < static_cast<int>(model->tracks().tracks.size()); ++track) order.push_back(track);
  selectLead(inNextRow(model->tracks(), order, m_session.selection().leadSlice, direction));
}

void TimelineControl::toLaunch() {
  if (const RunModel* model = leadModel()) selectLead(model->launchOf(m_session.selection().leadSlice));
}

void TimelineControl::toKernel() {
  const RunModel* model = leadModel();
  if (!model) return;
  // Of an operator: the first kernel launched inside it.
  const SliceId lead = m_session.selection().leadSlice;
  std::vector<SliceId> kernels = model->launchedBy(lead);
  if (kernels.empty()) {
    const DeviceWorkTable& work = model->trace().deviceWork;
    const SliceTable& table = model->trace().slices;
    for (std::size_t at = 0; at < work.size(); ++at) {
      for (SliceId above = work.launch[at]; above != kNoSlice; above = table.parent[index(above)]) {
        if (above == lead) kernels.push_back(work.slice[at]);
      }
    }
    std::sort(kernels.begin(), kernels.end(),
              [&](SliceId left, SliceId right) { return table.startNs[index(left)] < table.startNs[index(right)]; });
  }
  if (!kernels.empty()) selectLead(kernels.front());
}

void TimelineControl::toParent() {
  if (const RunModel* model = leadModel()) {
    selectLead(model->trace().slices.parent[index(m_session.selection().leadSlice)]);
  }
}

void TimelineControl::toChild() {
  if (const RunModel* model = leadModel()) selectLead(firstChild(model->trace(), m_session.selection().leadSlice));
}

void TimelineControl::toPartner() {
  if (m_state.partners().empty() || m_state.partners().front().slices.empty()) return;
  const Partner partner = m_state.partners().front();
  const RunModel* model = m_modelOf(partner.run);
  if (!model) return;
  const SliceTable& table = model->trace().slices;
  const SliceId longest = *std::max_element(partner.slices.begin(), partner.slices.end(), [&](SliceId a, SliceId b) {
    return table.durationNs[index(a)] < table.durationNs[index(b)];
  });
  select(partner.run, longest);
  Q_EMIT revealWanted(partner.run, longest);
}

std::optional<TimeRange> TimelineControl::selectionRange() const {
  const RunModel* model = leadModel();
  if (!model) return std::nullopt;
  const SliceId lead = m_session.selection().leadSlice;
  const std::int64_t anchor = m_session.anchorNs(m_session.selection().leadRun);
  return TimeRange{model->trace().slices.startNs[index(lead)] - anchor, model->trace().slices.endNs(lead) - anchor};
}

void TimelineControl::fitSelection() {
  if (const auto range = selectionRange()) m_view.fit(*range);
}

void TimelineControl::fit() {
  for (int tries = 0; tries < 3; ++tries) {
    const int stage = m_fitStage++ % 3;
    if (stage == 0) {
      if (!selectionRange()) continue;
      fitSelection();
      return;
    }
    if (stage == 1) {
      const int base = m_session.baseline();
      if (base < 0) return;
      const TimeRange own = m_session.scopeRange(base);
      if (own == TimeRange::all()) continue;
      const std::int64_t anchor = m_session.anchorNs(base);
      m_view.fit({own.startNs - anchor, own.endNs - anchor});
      return;
    }
    m_view.showAll();
    return;
  }
}

void TimelineControl::scopeFromMeasure() {
  Scope scope;
  scope.kind = ScopeKind::kRange;
  if (const std::optional<Measure>& measure = m_state.measure()) {
    scope.range = {static_cast<std::int64_t>(std::floor(measure->fromNs)),
                   static_cast<std::int64_t>(std::ceil(measure->toNs))};
  } else if (const auto range = selectionRange()) {
    scope.range = *range;
  } else {
    return;
  }
  if (scope.range.endNs > scope.range.startNs) m_session.setScope(scope);
}

bool TimelineControl::letGo() {
  if (m_state.measure()) {
    m_state.setMeasure(std::nullopt);
    return true;
  }
  if (!m_session.selection().isEmpty()) {
    m_session.clearSelection();
    return true;
  }
  if (m_session.kindFilter() != 0) {
    m_session.setKindFilter(0);
    return true;
  }
  if (m_session.scope().kind == ScopeKind::kRange) {
    m_session.setScope(Scope{});
    return true;
  }
  return false;
}

}  // namespace attnscope::ui
