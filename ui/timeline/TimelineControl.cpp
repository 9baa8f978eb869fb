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
constexpr std::int64_t kMostAdded = 100'000;  // slices whose times are summed while the pointer moves
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
  connect(&m_session, &Session::runsChanged, this, [this] {
    if (isLocked()) return;
    const auto isGone = [this](const Run* run) { return m_session.positionOf(run) < 0; };
    for (auto at = m_windows.begin(); at != m_windows.end();) at = isGone(at->first) ? m_windows.erase(at) : ++at;
    if (m_active && isGone(m_active)) m_active = nullptr;
    if (m_active == nullptr && m_session.baseline() >= 0) m_active = m_session.run(m_session.baseline());
    if (m_session.readyRuns().size() < 2) setLocked(true);
  });
}

void TimelineControl::setAxes(Axes axes) {
  if (axes == m_axes) return;
  const std::vector<int> ready = m_session.readyRuns();
  if (axes != Axes::kLocked && ready.size() < 2) return;
  std::unordered_map<const Run*, Window> windows;
  for (const int run : ready) {
    if (axes == Axes::kFree) windows[m_session.run(run)] = windowOf(run);
  }
  if (axes == Axes::kLocked) m_active = nullptr;
  if (axes == Axes::kFree && m_active == nullptr) m_active = m_session.run(ready.front());
  if (axes == Axes::kStretched && m_active == nullptr) m_active = m_session.run(m_session.baseline());
  m_windows = std::move(windows);
  m_axes = axes;
  Q_EMIT lockChanged();
}

// From what lies at zero to the end of what is compared, at rest: a move by hand changes no scale.
double TimelineControl::comparedSpanNs(int run) const {
  if (!m_session.run(run)->trace()) return 1;
  const std::int64_t zero = m_session.anchorNs(run) + m_session.movedByNs(run);
  const TimeRange range = m_session.boundedScope(run);
  if (m_session.scope().kind == ScopeKind::kRange)
    return static_cast<double>(std::max<std::int64_t>(1, range.durationNs()));
  const std::int64_t end = range.endNs - zero;
  return static_cast<double>(std::max<std::int64_t>(1, end > 0 ? end : range.durationNs()));
}

double TimelineControl::stretchOf(int run) const {
  const int base = m_session.baseline();
  if (m_axes != Axes::kStretched || base < 0) return 1;
  return comparedSpanNs(base) / comparedSpanNs(run);
}

TimelineControl::Window TimelineControl::windowOf(int run) const {
  const Window shared{m_view.startNs(), m_view.spanNs()};
  if (isLocked() || run < 0 || run >= m_session.runCount() || m_session.run(run) == m_active) return shared;
  if (m_axes == Axes::kStretched) {
    const int active = m_session.positionOf(m_active);
    if (active < 0) return shared;
    const double factor = stretchOf(active) / stretchOf(run);
    return {shared.startNs * factor, shared.spanNs * factor};
  }
  const auto own = m_windows.find(m_session.run(run));
  return own == m_windows.end() ? shared : own->second;
}

void TimelineControl::activate(int run) {
  if (isLocked() || run < 0 || run >= m_session.runCount() || m_session.run(run) == m_active) return;
  const Window wanted = windowOf(run);
  if (m_active && m_axes == Axes::kFree) m_windows[m_active] = {m_view.startNs(), m_view.spanNs()};
  m_active = m_session.run(run);
  m_motion.releaseAll();
  m_view.setView(wanted.startNs, wanted.spanNs);
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

void TimelineControl::pressToExtend(double x) {
  const std::optional<Measure> measured = m_state.measure();
  press(x, Drag::kMeasure, measured.value_or(Measure{}));
  if (!measured) return;
  const bool isNearStart = std::abs(m_pressNs - measured->fromNs) < std::abs(m_pressNs - measured->toNs);
  m_pressNs = isNearStart ? measured->toNs : measured->fromNs;
}

void TimelineControl::setMeasuredRows(std::vector<std::pair<int, int>> rows) {
  if (m_drag == Drag::kMeasure) m_where.rows = std::move(rows);
}

void TimelineControl::measureGap(int run, int track, const IdleGap& gap) {
  const auto anchor = static_cast<double>(m_session.anchorNs(run));
  Measure measure;
  measure.run = run;
  measure.track = track;
  measure.fromNs = static_cast<double>(gap.range.startNs) - anchor;
  measure.toNs = static_cast<double>(gap.range.endNs) - anchor;
  m_session.clearSelection();
  m_state.setMeasure(measure);
}

void TimelineControl::putCursor(double x) {
  m_putCursorNs = timeAt(x);
  m_view.setCursor(*m_putCursorNs);
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
  if (m_putCursorNs) {
    m_view.setCursor(*m_putCursorNs);
  } else {
    m_view.clearCursor();
  }
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

void TimelineControl::pinch(double x, double growth) {
  if (growth > -1) m_view.zoomAbout(timeAt(x), 1 / (1 + growth));
}

int TimelineControl::runOf(const Measure& where) const {
  const std::vector<int> ready = m_session.readyRuns();
  if (ready.empty()) return -1;
  return std::find(ready.begin(), ready.end(), where.run) != ready.end() ? where.run : ready.front();
}

std::vector<const DisplayRow*> TimelineControl::rowsOf(const Measure& where, const RunModel*& model) const {
  const DisplayRow* first = rowOf(where, model);
  if (!first) return {};
  if (where.rows.empty()) return {first};
  std::vector<const DisplayRow*> rows;
  const std::vector<DisplayTrack>& tracks = model->tracks().tracks;
  for (const auto& [track, row] : where.rows) {
    if (track >= static_cast<int>(tracks.size())) continue;
    const std::vector<DisplayRow>& own = tracks[static_cast<std::size_t>(track)].rows;
    if (row < static_cast<int>(own.size())) rows.push_back(&own[static_cast<std::size_t>(row)]);
  }
  return rows;
}

const DisplayRow* TimelineControl::rowOf(const Measure& where, const RunModel*& model) const {
  const int run = runOf(where);
  model = run < 0 ? nullptr : m_modelOf(run);
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
  const double anchor = static_cast<double>(m_session.anchorNs(runOf(where)));
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
  const std::vector<const DisplayRow*> rows = rowsOf(measure, model);
  if (rows.empty() || measure.toNs <= measure.fromNs) return words;
  const double anchor = static_cast<double>(m_session.anchorNs(runOf(measure)));
  struct Part {
    RowColumns columns;
    std::uint32_t first;
    std::uint32_t last;
  };
  std::vector<Part> parts;
  std::int64_t count = 0;
  for (const DisplayRow* row : rows) {
    const RowColumns columns = row->columns(model->facts());
    const std::uint32_t first = columns.firstEndingAfter(measure.fromNs + anchor);
    const auto end = std::lower_bound(columns.startNs.begin(), columns.startNs.end(),
                                      static_cast<std::int64_t>(std::ceil(measure.toNs + anchor)));
    const auto last = static_cast<std::uint32_t>(end - columns.startNs.begin());
    parts.push_back({columns, first, std::max(first, last)});
    count += parts.back().last - first;
  }
  words += QStringLiteral(", ") + (count == 1 ? tr("1 slice") : tr("%1 slices").arg(format::count(count)));
  if (rows.size() > 1) return words + QStringLiteral(", ") + tr("%1 rows").arg(rows.size());
  if (count > kMostAdded) return words;
  double busy = 0;
  const Part& part = parts.front();
  for (std::uint32_t at = part.first; at < part.last; ++at) {
    const double start = static_cast<double>(part.columns.startNs[at]) - anchor;
    const double end = static_cast<double>(part.columns.endNs(at)) - anchor;
    busy += std::max(0.0, std::min(end, measure.toNs) - std::max(start, measure.fromNs));
  }
  return words + QStringLiteral(", ") + tr("busy %1").arg(format::percent(busy / (measure.toNs - measure.fromNs), 0));
}

void TimelineControl::select(int run, SliceId slice) { m_session.selectSlice(run, slice, SelectionOrigin::kTimeline); }

void TimelineControl::addToSelection(int run, SliceId slice) {
  if (!m_session.run(run)->trace()) return;  // its beginning is looked at: these rows are not those of the whole
  Selection selection = m_session.selection();
  auto part = std::find_if(selection.parts.begin(), selection.parts.end(),
                           [run](const SelectedSlices& each) { return each.run == run; });
  if (part == selection.parts.end()) part = selection.parts.insert(part, SelectedSlices{run, {}});
  const auto at = std::lower_bound(part->slices.begin(), part->slices.end(), slice);
  const bool isNew = at == part->slices.end() || *at != slice;
  if (isNew) {
    part->slices.insert(at, slice);
    selection.leadRun = run;
    selection.leadSlice = slice;
  } else {
    part->slices.erase(at);
    if (part->slices.empty()) selection.parts.erase(part);
    if (selection.parts.empty()) {
      m_session.clearSelection();
      return;
    }
    if (selection.leadRun == run && selection.leadSlice == slice) {
      selection.leadRun = selection.parts.front().run;
      selection.leadSlice = selection.parts.front().slices.front();
    }
  }
  std::size_t count = 0;
  for (const SelectedSlices& each : selection.parts) count += each.slices.size();
  selection.words =
      count == 1 ? QString::fromStdString(std::string(m_modelOf(selection.leadRun)->trace().name(selection.leadSlice)))
                 : tr("%1 slices").arg(format::count(static_cast<std::int64_t>(count)));
  selection.origin = SelectionOrigin::kTimeline;
  m_session.select(std::move(selection));
}

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
  if (!model->names()) return;  // still being made, in a worker
  selectLead(nextOfName(model->trace(), *model->names(), selection.leadSlice, direction, onSameTrack));
}

void TimelineControl::walkRow(Direction direction, const std::vector<int>& trackOrder) {
  const RunModel* model = leadModel();
  if (!model) return;
  selectLead(inNextRow(model->tracks(), trackOrder, m_session.selection().leadSlice, direction));
}

void TimelineControl::toLaunch() {
  if (const RunModel* model = leadModel()) selectLead(model->launchOf(m_session.selection().leadSlice));
}

void TimelineControl::toKernel() {
  const RunModel* model = leadModel();
  if (!model) return;
  // Of an operator: the first kernel launched inside it.
  const SliceId lead = m_session.selection().leadSlice;
  const std::vector<SliceId> launched = model->launchedBy(lead);
  selectLead(launched.empty() ? model->firstKernelUnder(lead) : launched.front());
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

void TimelineControl::alongArrow(Direction direction) {
  const RunModel* model = leadModel();
  if (!model) return;
  const FlowTable& flows = model->trace().flows;
  const SliceId lead = m_session.selection().leadSlice;
  if (direction == Direction::kForward) {
    const auto [first, last] = flows.leaving(lead);
    if (first < last) selectLead(flows.to[first]);
  } else {
    const auto [first, last] = flows.arriving(lead);
    if (first < last) selectLead(flows.from[flows.byTarget[first]]);
  }
}

void TimelineControl::selectChain() {
  const RunModel* model = leadModel();
  if (!model) return;
  const int run = m_session.selection().leadRun;
  const SliceId lead = m_session.selection().leadSlice;
  Selection selection;
  selection.parts.push_back({run, model->chainOf(lead)});
  if (selection.parts.front().slices.size() < 2) return;
  selection.leadRun = run;
  selection.leadSlice = lead;
  selection.words = tr("Chain of %1").arg(QString::fromStdString(std::string(model->label(model->chainTop(lead)))));
  selection.origin = SelectionOrigin::kTimeline;
  m_session.select(std::move(selection));
}

std::optional<MeasuredArea> TimelineControl::measuredArea() const {
  if (!m_state.measure()) return std::nullopt;
  const Measure& measure = *m_state.measure();
  const RunModel* model = nullptr;
  if (!rowOf(measure, model)) return std::nullopt;
  MeasuredArea area;
  area.run = runOf(measure);
  area.tracks = model->sharedTracks();
  const auto rowsOfTrack = [&](int track) {
    return static_cast<int>(model->tracks().tracks[static_cast<std::size_t>(track)].rows.size());
  };
  for (const auto& [track, row] : measure.rows) {
    if (track < static_cast<int>(model->tracks().tracks.size()) && row < rowsOfTrack(track)) {
      area.rows.emplace_back(track, row);
    }
  }
  if (measure.rows.empty()) {
    area.rows.emplace_back(measure.track >= 0 ? measure.track : model->tracks().compared,
                           measure.track >= 0 ? measure.row : 0);
  }
  const auto anchor = static_cast<double>(m_session.anchorNs(area.run));
  area.own = {static_cast<std::int64_t>(std::floor(measure.fromNs + anchor)),
              static_cast<std::int64_t>(std::ceil(measure.toNs + anchor))};
  return area;
}

void TimelineControl::selectMeasured() {
  const std::optional<MeasuredArea> area = measuredArea();
  if (!area) return;
  std::vector<SliceId> slices = slicesOf(*area, kMostSelected);
  if (slices.empty()) return;
  const QString count = format::count(static_cast<std::int64_t>(slices.size()));
  Selection selection;
  selection.leadRun = area->run;
  selection.leadSlice = slices.front();
  if (slices.size() == 1) {
    selection.words = QString::fromStdString(std::string(area->tracks->facts->trace->name(slices.front())));
  } else {
    selection.words =
        slices.size() == kMostSelected ? tr("The first %1 slices").arg(count) : tr("%1 slices").arg(count);
  }
  selection.origin = SelectionOrigin::kTimeline;
  selection.parts.push_back({area->run, std::move(slices)});
  m_session.select(std::move(selection));
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
  if (m_putCursorNs) {
    m_putCursorNs.reset();
    m_view.clearCursor();
  }
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
