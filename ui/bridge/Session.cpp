// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/Session.h"

#include <algorithm>
#include <utility>

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QPointer>

#include "ui/bridge/FileWatch.h"
#include "ui/bridge/Jobs.h"
#include "ui/bridge/RunFacts.h"

namespace attnscope::ui {

namespace {

QString tablesKey(const Run* run) { return QStringLiteral("tables:%1").arg(reinterpret_cast<quintptr>(run)); }

QString summaryOf(const Trace& trace) {
  if (!trace.devices.empty() && trace.hasDeviceWork()) {
    return QCoreApplication::translate("attnscope::ui::Session", "trace, %1")
        .arg(QString::fromStdString(trace.devices.front().name));
  }
  return trace.hasDeviceWork() ? QCoreApplication::translate("attnscope::ui::Session", "trace, device")
                               : QCoreApplication::translate("attnscope::ui::Session", "trace, CPU");
}

// Of `FILE#member` the file.
QString fileOf(const QString& path) { return QFile::exists(path) ? path : path.section(u'#', 0, 0); }

}  // namespace

const std::vector<SliceId>* Selection::slicesOf(int run) const {
  for (const SelectedSlices& part : parts) {
    if (part.run == run) return &part.slices;
  }
  return nullptr;
}

bool Selection::contains(int run, SliceId slice) const {
  const std::vector<SliceId>* slices = slicesOf(run);
  return slices && std::binary_search(slices->begin(), slices->end(), slice);
}

Session::Session(QObject* parent)
    : QObject(parent), m_jobs(std::make_unique<Jobs>()), m_watch(std::make_unique<FileWatch>()) {
  connect(m_jobs.get(), &Jobs::changed, this, &Session::busyChanged);
  connect(m_watch.get(), &FileWatch::fileChanged, this, [this](const QString& path) {
    for (Run* each : m_runs) {
      if (fileOf(each->path()) == path) follow(each);
    }
  });
  connect(m_jobs.get(), &Jobs::changed, this, &Session::restoreNumbers);
}

Session::~Session() = default;

QString Session::loadKey(const Run* run) { return QStringLiteral("load:%1").arg(reinterpret_cast<quintptr>(run)); }

int Session::positionOf(const Run* run) const {
  const auto found = std::find(m_runs.begin(), m_runs.end(), run);
  return found == m_runs.end() ? -1 : static_cast<int>(found - m_runs.begin());
}

std::vector<int> Session::readyRuns() const {
  std::vector<int> ready;
  for (int i = 0; i < runCount(); ++i) {
    if (run(i)->state() == RunState::kReady && !run(i)->isHidden()) ready.push_back(i);
  }
  return ready;
}

int Session::freeNumber() const {
  std::vector<int> taken = m_restingNumbers;
  for (const Run* each : m_runs) taken.push_back(each->number());
  for (const WithoutTrace& each : withoutTrace()) taken.push_back(each.number);
  int number = 0;
  while (std::find(taken.begin(), taken.end(), number) != taken.end()) ++number;
  return number;
}

// Views name runs by number, also in results that workers are still making: a number is free again when all is done.
void Session::restoreNumbers() {
  if (!isBusy()) m_restingNumbers.clear();
}

int Session::numberAfterAll() const {
  int after = 0;
  for (const Run* each : m_runs) after = std::max(after, each->number() + 1);
  for (const WithoutTrace& each : withoutTrace()) after = std::max(after, each.number + 1);
  return after;
}

std::vector<WithoutTrace> Session::withoutTrace() const {
  std::vector<WithoutTrace> missing;
  std::vector<const RunResult*> seen;
  for (const Run* each : m_runs) {
    const RunResult* result = each->m_measurement.get();
    if (result == nullptr || std::find(seen.begin(), seen.end(), result) != seen.end()) continue;
    seen.push_back(result);
    const int first = each->number() - static_cast<int>(each->measuredAs());
    for (std::size_t i = 0; i < result->implementations.size(); ++i) {
      if (!result->implementations[i].traceFile.empty()) continue;
      missing.push_back({first + static_cast<int>(i), each->m_measurement, i});
    }
  }
  return missing;
}

void Session::load(Run* run) {
  run->m_state = RunState::kLoading;
  run->m_progress = std::make_shared<Progress>();
  forget(run);
  run->m_facts = nullptr;
  run->m_beginning = nullptr;
  LoadOptions options;
  options.limits = m_unpackLimits;
  const std::string path = run->path().toStdString();
  m_jobs->start(
      loadKey(run),
      [this, path, options, progress = run->m_progress, guarded = QPointer<Run>(run)](std::stop_token stop) {
        return readRun(path, options, *progress, stop, [&](std::shared_ptr<const RunFacts> facts) {
          QMetaObject::invokeMethod(
              this, [this, guarded, progress, facts] { showBeginning(guarded, progress, facts); },
              Qt::QueuedConnection);
        });
      },
      [this, run](Result<std::shared_ptr<const RunFacts>> result) { finishLoading(run, std::move(result)); });
  Q_EMIT run->changed();
}

// What is known of an earlier reading must not be paired with the new one.
void Session::forget(Run* run) {
  m_jobs->cancel(tablesKey(run));
  run->m_tables = nullptr;
  m_jobs->cancel(comparisonKey());
  m_comparison = nullptr;
  m_comparedRuns.clear();
}

void Session::follow(Run* run) {
  if (!m_isFollowing || run->m_measurement) return;
  // One reading after the other, each to its end: a writer that never rests would else keep all from being there.
  if (m_jobs->isRunning(loadKey(run)) || m_jobs->isRunning(tablesKey(run))) {
    m_grown.insert(run);
    return;
  }
  if (run->state() == RunState::kFailed) {
    reload(positionOf(run));
    return;
  }
  LoadOptions options;
  options.limits = m_unpackLimits;
  const std::string path = run->path().toStdString();
  const auto progress = std::make_shared<Progress>();
  m_jobs->start(
      loadKey(run), [path, options, progress](std::stop_token stop) { return readRun(path, options, *progress, stop); },
      [this, run](Result<std::shared_ptr<const RunFacts>> result) {
        // Caught between two states: what was read stays, and the next change is tried again.
        if (!result) {
          followIfGrown(run);
          return;
        }
        carrySelection(run);
        forget(run);
        Q_EMIT comparisonChanged();
        finishLoading(run, std::move(result));
      });
}

void Session::followIfGrown(Run* run) {
  if (m_grown.erase(run) != 0) follow(run);
}

void Session::setFollowing(bool isFollowing) {
  m_isFollowing = isFollowing;
  watchFiles();
}

void Session::watchFiles() {
  QStringList paths;
  for (const Run* each : m_runs) {
    if (m_isFollowing && !each->m_measurement) paths << fileOf(each->path());
  }
  m_watch->setFiles(paths);
}

// Rows of the old trace mean nothing in the new one.
void Session::carrySelection(const Run* run) {
  const int position = positionOf(run);
  if (m_selection.isEmpty()) return;
  if (m_selection.leadRun != position) {
    std::erase_if(m_selection.parts, [position](const SelectedSlices& part) { return part.run == position; });
    Q_EMIT selectionChanged();
    return;
  }
  m_carried.reset();
  m_carriedRun = run;
  if (run->trace() && m_selection.leadSlice != kNoSlice) m_carried = identityOf(*run->trace(), m_selection.leadSlice);
  m_selection = Selection{};
  Q_EMIT selectionChanged();
}

void Session::restoreSelection(const Run* run) {
  if (m_carriedRun != run || !m_carried) return;
  const SliceIdentity identity = *m_carried;
  m_carried.reset();
  if (!m_selection.isEmpty()) return;  // another was made in the meantime
  selectSlice(positionOf(run), findSlice(*run->trace(), identity), SelectionOrigin::kNone);
}

void Session::showBeginning(Run* run, const std::shared_ptr<Progress>& progress,
                            std::shared_ptr<const RunFacts> facts) {
  // Of another reading, or late: closed, cancelled or whole meanwhile.
  if (run == nullptr || positionOf(run) < 0 || run->m_progress != progress || run->m_state != RunState::kLoading)
    return;
  run->m_beginning = std::move(facts);
  Q_EMIT run->changed();
  Q_EMIT runChanged(positionOf(run));
}

void Session::finishLoading(Run* run, Result<std::shared_ptr<const RunFacts>> result) {
  const std::shared_ptr<const RunFacts> beginning = std::exchange(run->m_beginning, nullptr);
  if (result) {
    run->m_state = RunState::kReady;
    run->m_facts = std::move(*result);
    const Trace& trace = *run->m_facts->trace;
    // Traces inside sessions are no files of the person's own: the session is what was opened.
    if (!run->m_measurement) {
      Q_EMIT fileOpened(fileOf(run->path()), summaryOf(trace), static_cast<qint64>(trace.fileBytes));
    }
  } else {
    run->m_state = RunState::kFailed;
    run->m_error = result.error();
    run->m_facts = nullptr;
    run->m_tables = nullptr;
  }
  afterRunsChanged();
  if (run->m_state == RunState::kReady && beginning && runCount() == 1) {
    const Trace& trace = *run->m_facts->trace;
    const Trace& before = *beginning->trace;
    Q_EMIT clockMoved(zeroDistanceNs(before, trace) + static_cast<double>(anchorNs(0) - before.dense.startNs));
  }
  if (run->m_state == RunState::kReady) refreshTables(run);
  Q_EMIT run->changed();
  Q_EMIT runChanged(positionOf(run));
  if (run->m_state == RunState::kReady) restoreSelection(run);
  if (run->m_state == RunState::kFailed) followIfGrown(run);
}

// Called when the set, the order or the readiness of runs changed: what depends on all of them is made anew. Views are
// told of the runs first: what they know of scope and alignment is of runs that they know.
void Session::afterRunsChanged() {
  const bool scopeIsGone = m_scope.kind == ScopeKind::kStep && m_scope.step >= stepCount() && !readyRuns().empty();
  if (scopeIsGone) m_scope = Scope{};
  m_anchors.clear();
  const Alignment before = m_alignment;
  chooseAlignment();
  watchFiles();
  const Scope scopeBefore = m_scope;
  const bool arrived = hasArrived();
  m_change = 0;
  Q_EMIT runsChanged();
  const bool scopeMoved = scopeIsGone || !(m_scope == scopeBefore);
  if (scopeMoved) Q_EMIT scopeChanged();
  if (m_alignment != before || scopeMoved) Q_EMIT alignmentChanged();
  if (scopeMoved) refreshTables();
  refreshComparison();
  if (arrived) Q_EMIT measurementReady();
}

void Session::chooseAlignment() {
  if (m_alignmentChosen) return;
  const std::vector<int> ready = readyRuns();
  const bool steps = !ready.empty() &&
                     std::all_of(ready.begin(), ready.end(), [this](int i) { return !run(i)->trace()->steps.empty(); });
  m_alignment = steps ? Alignment::kStep : Alignment::kStart;
}

void Session::removeRun(int position) {
  Run* removed = run(position);
  m_jobs->cancel(loadKey(removed));
  m_jobs->cancel(tablesKey(removed));
  m_jobs->cancel(comparisonKey());
  m_comparison = nullptr;  // it names runs by position
  m_comparedRuns.clear();
  m_selection = Selection{};
  if (m_baseline == removed) m_baseline = nullptr;
  if (m_carriedRun == removed) m_carried.reset();
  m_grown.erase(removed);
  m_moves.erase(removed);
  m_alignedSlices.erase(removed);
  m_restingNumbers.push_back(removed->number());
  QMetaObject::invokeMethod(this, &Session::restoreNumbers, Qt::QueuedConnection);
  m_runs.erase(m_runs.begin() + position);
  removed->deleteLater();
}

void Session::closeRun(int position) {
  removeRun(position);
  afterRunsChanged();
  Q_EMIT selectionChanged();
  Q_EMIT comparisonChanged();
}

void Session::closeAll() {
  while (!m_runs.empty()) removeRun(runCount() - 1);
  m_scope = Scope{};
  m_alignmentChosen = false;
  afterRunsChanged();
  Q_EMIT scopeChanged();
  Q_EMIT selectionChanged();
  Q_EMIT comparisonChanged();
}

void Session::moveRun(int from, int to) {
  if (from == to || from < 0 || to < 0 || from >= runCount() || to >= runCount()) return;
  Run* moved = run(from);
  m_comparison = nullptr;
  m_comparedRuns.clear();
  m_selection = Selection{};
  m_runs.erase(m_runs.begin() + from);
  m_runs.insert(m_runs.begin() + to, moved);
  afterRunsChanged();
  Q_EMIT selectionChanged();
  Q_EMIT comparisonChanged();
}

void Session::setHidden(int position, bool hidden) {
  if (run(position)->m_hidden == hidden) return;
  run(position)->m_hidden = hidden;
  Q_EMIT run(position)->changed();
  afterRunsChanged();
}

void Session::reload(int position) {
  Run* again = run(position);
  if (again->m_state == RunState::kLoading) return;
  carrySelection(again);
  load(again);
  afterRunsChanged();
  Q_EMIT comparisonChanged();
}

void Session::cancel(int position) { closeRun(position); }

bool Session::isBusy() const { return m_jobs->isBusy(); }

int Session::baseline() const {
  const std::vector<int> ready = readyRuns();
  const int chosen = m_baseline ? positionOf(m_baseline) : -1;
  if (std::find(ready.begin(), ready.end(), chosen) != ready.end()) return chosen;
  return ready.empty() ? -1 : ready.front();
}

void Session::setBaseline(int position) {
  if (position < 0 || position >= runCount() || baseline() == position) return;
  m_baseline = run(position);
  m_change = 0;
  m_anchors.clear();
  Q_EMIT runsChanged();
  refreshComparison();
}

void Session::swapBaseline() {
  const std::vector<int> ready = readyRuns();
  if (ready.size() < 2) return;
  const auto current = std::find(ready.begin(), ready.end(), baseline());
  const auto next = current + 1 == ready.end() ? ready.begin() : current + 1;
  setBaseline(*next);
}

void Session::select(Selection selection) {
  m_selection = std::move(selection);
  Q_EMIT selectionChanged();
}

void Session::selectSlice(int position, SliceId slice, SelectionOrigin origin) {
  const Trace* trace = run(position)->trace();
  if (!trace || slice == kNoSlice) return;
  Selection selection;
  selection.parts.push_back({position, {slice}});
  selection.leadRun = position;
  selection.leadSlice = slice;
  selection.words = QString::fromStdString(std::string(trace->name(slice)));
  selection.origin = origin;
  select(std::move(selection));
}

void Session::clearSelection() {
  if (m_selection.isEmpty()) return;
  select(Selection{});
}

void Session::setKindFilter(std::uint32_t bits) {
  if (bits == m_kindFilter) return;
  m_kindFilter = bits;
  Q_EMIT kindFilterChanged();
}

void Session::refreshTables() {
  for (Run* each : m_runs) {
    if (each->state() == RunState::kReady) refreshTables(each);
  }
}

void Session::refreshTables(Run* run) {
  m_jobs->start(
      tablesKey(run),
      [facts = run->m_facts, scope = scopeRange(positionOf(run))](std::stop_token) { return tablesOf(*facts, scope); },
      [this, run](std::shared_ptr<const RunTables> tables) {
        run->m_tables = std::move(tables);
        Q_EMIT run->changed();
        Q_EMIT runChanged(positionOf(run));
        followIfGrown(run);
      });
}

}  // namespace attnscope::ui
