// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/Session.h"

#include <algorithm>
#include <utility>

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QPointer>

#include "core/compare/Alignment.h"
#include "core/compare/ChangeClasses.h"
#include "core/problem/Cards.h"
#include "core/session/AttnFile.h"
#include "ui/bridge/FileWatch.h"
#include "ui/bridge/Format.h"
#include "ui/bridge/FreedAside.h"
#include "ui/bridge/Jobs.h"
#include "ui/bridge/RunFacts.h"

namespace attnscope::ui {

namespace {

QString loadKey(const Run* run) { return QStringLiteral("load:%1").arg(reinterpret_cast<quintptr>(run)); }
QString tablesKey(const Run* run) { return QStringLiteral("tables:%1").arg(reinterpret_cast<quintptr>(run)); }
const QString kComparisonKey = QStringLiteral("comparison");

QString summaryOf(const Trace& trace) {
  if (!trace.devices.empty() && trace.hasDeviceWork()) {
    return QCoreApplication::translate("attnscope::ui::Session", "trace, %1")
        .arg(QString::fromStdString(trace.devices.front().name));
  }
  return trace.hasDeviceWork() ? QCoreApplication::translate("attnscope::ui::Session", "trace, device")
                               : QCoreApplication::translate("attnscope::ui::Session", "trace, CPU");
}

bool isArchive(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) && file.read(4) == QByteArrayView("PK\x03\x04");
}

// Of `FILE#member` the file.
QString fileOf(const QString& path) { return QFile::exists(path) ? path : path.section(u'#', 0, 0); }

// Of a session of which nothing can be drawn: what became of its implementations.
Error noTraces(const RunResult& result) {
  std::string what = "this session has no trace to show";
  for (std::size_t i = 0; i < result.implementations.size(); ++i) {
    const ImplementationResult& each = result.implementations[i];
    std::string fate = each.available ? "not profiled" : each.reason;
    if (each.failure) fate = std::string(toString(each.failure->phase)) + ": " + each.failure->reason;
    what += (i == 0 ? ": " : "; ") + letterOf(i) + " " + each.id + ", " + fate;
  }
  return {.kind = ErrorKind::kInput,
          .what = what,
          .remedy = "attnscope-cli info shows its times; run it again in the lab to see its timelines",
          .byte = {},
          .event = {}};
}

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

void Session::openFiles(const QStringList& paths) {
  for (const QString& path : paths) {
    if (looksLikeAttn(path.toStdString())) {
      openSessionFile(QFileInfo(path).absoluteFilePath());
      continue;
    }
    if (isArchive(path)) {
      openArchive(QFileInfo(path).absoluteFilePath());
      continue;
    }
    addRun(path == QLatin1String("-") ? path : QFileInfo(path).absoluteFilePath());
  }
  if (!paths.isEmpty()) afterRunsChanged();
}

void Session::addRun(const QString& path) {
  auto* added = new Run(path, freeNumber(), this);
  m_runs.push_back(added);
  load(added);
}

// Looking into it is a job of its own: until it ends, the archive stands as one run that is being read.
void Session::openArchive(const QString& path) {
  auto* placeholder = new Run(path, freeNumber(), this);
  m_runs.push_back(placeholder);
  m_jobs->start(
      loadKey(placeholder), [file = path.toStdString()](std::stop_token) { return tracesInside(file); },
      [this, placeholder](Result<std::vector<std::string>> traces) {
        if (!traces) {
          finishLoading(placeholder, fail(traces.error()));
        } else if (traces->size() < 2) {
          load(placeholder);
        } else {
          const int number = placeholder->number();
          removeRun(positionOf(placeholder));
          std::erase(m_restingNumbers, number);  // nothing was ever computed for it
          for (const std::string& trace : *traces) addRun(QString::fromStdString(trace));
          afterRunsChanged();
        }
      });
}

// Unpacking is a job of its own: until it ends, the file stands as one run that is being read.
void Session::openSessionFile(const QString& path) {
  if (!m_unpacked) m_unpacked = std::make_unique<QTemporaryDir>();
  const QString folder = m_unpacked->filePath(QString::number(m_unpackedCount++));
  auto* placeholder = new Run(path, freeNumber(), this);
  m_runs.push_back(placeholder);
  struct Unpacked {
    RunResult result;
    QStringList traceFiles;
    std::vector<PairRule> pairs;
  };
  m_jobs->start(
      loadKey(placeholder),
      [path, folder, progress = placeholder->m_progress](std::stop_token stop) -> Result<Unpacked> {
        const std::string file = path.toStdString();
        auto session = readAttn(file);
        if (!session) return fail(session.error());
        if (!QDir().mkpath(folder)) {
          return fail({.kind = ErrorKind::kInternal,
                       .what = "no temporary folder for the traces of the session could be made",
                       .remedy = "free some space in the folder for temporary files",
                       .byte = {},
                       .event = {}});
        }
        Unpacked unpacked{std::move(session->result), {}, std::move(session->pairs)};
        progress->enter("Unpack", session->traces.size());
        for (const SessionTrace& trace : session->traces) {
          if (stop.stop_requested()) return cancelled();
          const QString target = QDir(folder).filePath(QFileInfo(QString::fromStdString(trace.entry)).fileName());
          if (auto done = extractTrace(file, trace.entry, target.toStdString()); !done) {
            unpacked.result.implementations[trace.position].traceFile.clear();
            unpacked.result.warnings.push_back(done.error().message());
            continue;
          }
          unpacked.result.implementations[trace.position].traceFile = target.toStdString();
          progress->advance(1);
        }
        for (const std::string& remark : session->remarks) unpacked.result.warnings.push_back(remark);
        for (const ImplementationResult& each : unpacked.result.implementations) {
          unpacked.traceFiles << QString::fromStdString(each.traceFile);
        }
        return unpacked;
      },
      [this, placeholder, path](Result<Unpacked> unpacked) {
        if (!unpacked) {
          finishLoading(placeholder, fail(unpacked.error()));
          return;
        }
        const bool hasTraces = !unpacked->traceFiles.join(QString()).isEmpty();
        const qint64 bytes = QFileInfo(path).size();
        if (!hasTraces && m_takeUnprofiled &&
            m_takeUnprofiled(std::make_shared<const RunResult>(unpacked->result), path)) {
          removeRun(positionOf(placeholder));
          afterRunsChanged();
          Q_EMIT fileOpened(path, tr("session"), bytes);
          return;
        }
        if (!hasTraces) {
          finishLoading(placeholder, fail(noTraces(unpacked->result)));
          return;
        }
        removeRun(positionOf(placeholder));
        const auto result = std::make_shared<const RunResult>(std::move(unpacked->result));
        for (const PairRule& rule : unpacked->pairs) {
          const bool isKnown = std::find(m_pairRules.begin(), m_pairRules.end(), rule) != m_pairRules.end();
          if (!isKnown) m_pairRules.push_back(rule);
        }
        if (!unpacked->pairs.empty()) Q_EMIT pairsRead(result, path, unpacked->pairs);
        addMeasurement(result, path, unpacked->traceFiles);
        Q_EMIT fileOpened(path, tr("session"), bytes);
      });
}

void Session::addMeasurement(std::shared_ptr<const RunResult> result, const QString& origin,
                             const QStringList& traceFiles) {
  const int first = numberAfterAll();
  m_arriving = result;
  for (std::size_t i = 0; i < result->implementations.size(); ++i) {
    const QString file = traceFiles.value(static_cast<qsizetype>(i));
    if (file.isEmpty()) continue;  // refused, failed or not profiled
    auto* added = new Run(file, first + static_cast<int>(i), this);
    added->m_measurement = result;
    added->m_measuredAs = i;
    added->m_origin = origin;
    const Card* card = findCard(result->implementations[i].id);
    added->m_givenTitle = QString::fromStdString(card ? std::string(card->title) : result->implementations[i].id);
    m_runs.push_back(added);
    load(added);
  }
  afterRunsChanged();
}

void Session::closeMeasurement(const std::shared_ptr<const RunResult>& result) {
  bool any = false;
  for (int i = runCount() - 1; i >= 0; --i) {
    if (result == nullptr || run(i)->m_measurement != result) continue;
    removeRun(i);
    any = true;
  }
  if (!any) return;
  afterRunsChanged();
  Q_EMIT selectionChanged();
  Q_EMIT comparisonChanged();
}

void Session::setSaved(const std::shared_ptr<const RunResult>& result, const QString& path) {
  for (Run* each : m_runs) {
    if (each->m_measurement != result) continue;
    each->m_origin = path;
    Q_EMIT each->changed();
  }
  Q_EMIT fileOpened(path, tr("session"), QFileInfo(path).size());
  Q_EMIT runsChanged();
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
  m_jobs->cancel(kComparisonKey);
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

// A measurement has some calls profiled one after the other: one of them is what is compared, aligned at its start.
// Which: the one that took all runs together the least, the first left out, for it carries what the profiler does once.
bool Session::hasArrived() {
  if (m_arriving == nullptr) return false;
  std::vector<std::int64_t> totalNs;
  bool isFirst = true;
  for (const Run* each : m_runs) {
    if (each->m_measurement != m_arriving) continue;
    if (each->state() == RunState::kLoading) return false;
    if (each->trace() == nullptr) continue;
    const std::vector<Step>& steps = each->trace()->steps;
    totalNs.resize(isFirst ? steps.size() : std::min(totalNs.size(), steps.size()));
    isFirst = false;
    for (std::size_t i = 0; i < totalNs.size(); ++i) totalNs[i] += steps[i].durationNs;
  }
  m_arriving = nullptr;
  m_alignmentChosen = false;
  chooseAlignment();
  if (totalNs.size() > 1) {
    const auto least = std::min_element(totalNs.begin() + 1, totalNs.end());
    m_scope = {ScopeKind::kStep, static_cast<int>(least - totalNs.begin()), {}};
    m_anchors.clear();
  }
  return true;
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
  m_jobs->cancel(kComparisonKey);
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

void Session::setScope(const Scope& scope) {
  if (scope == m_scope) return;
  const std::int64_t oldAnchor = baseline() >= 0 ? anchorNs(baseline()) : 0;
  m_scope = scope;
  m_change = 0;
  m_anchors.clear();
  Q_EMIT scopeChanged();
  if (baseline() >= 0 && anchorNs(baseline()) != oldAnchor) Q_EMIT alignmentChanged();
  refreshTables();
  refreshComparison();
}

QString Session::scopeWords() const {
  switch (m_scope.kind) {
    case ScopeKind::kWhole:
      return tr("Whole trace");
    case ScopeKind::kStep: {
      // The name the recorder gave: "ProfilerStep#3" is step 3.
      const int base = baseline();
      if (base >= 0 && m_scope.step < static_cast<int>(run(base)->trace()->steps.size())) {
        const Trace& trace = *run(base)->trace();
        const auto name = trace.strings.view(trace.steps[static_cast<std::size_t>(m_scope.step)].name);
        const auto hash = name.rfind('#');
        if (hash != std::string_view::npos) {
          const auto number = name.substr(hash + 1);
          return tr("Step %1").arg(QString::fromUtf8(number.data(), static_cast<qsizetype>(number.size())));
        }
      }
      return tr("Step %1").arg(m_scope.step + 1);
    }
    case ScopeKind::kRange:
      return tr("Range of %1").arg(format::time(static_cast<double>(m_scope.range.durationNs())));
  }
  return {};
}

TimeRange Session::scopeRange(int position) const {
  const Trace* trace = run(position)->trace();
  if (!trace || m_scope.kind == ScopeKind::kWhole) return TimeRange::all();
  if (m_scope.kind == ScopeKind::kStep) {
    if (trace->steps.empty()) return TimeRange::all();
    if (m_scope.step >= static_cast<int>(trace->steps.size())) return {0, 0};
    const Step& step = trace->steps[static_cast<std::size_t>(m_scope.step)];
    return {step.startNs, step.startNs + step.durationNs};
  }
  const std::int64_t anchor = anchorNs(position);
  return {m_scope.range.startNs + anchor, m_scope.range.endNs + anchor};
}

void Session::setAlignment(Alignment alignment) {
  m_alignmentChosen = true;
  if (alignment == m_alignment) return;
  m_alignment = alignment;
  m_anchors.clear();
  Q_EMIT alignmentChanged();
}

void Session::alignByAnnotation(const QString& name) {
  m_alignmentChosen = true;
  if (m_alignment == Alignment::kAnnotation && m_alignedAnnotation == name) return;
  m_alignment = Alignment::kAnnotation;
  m_alignedAnnotation = name;
  m_anchors.clear();
  Q_EMIT alignmentChanged();
}

bool Session::alignBySelection() {
  std::unordered_map<const Run*, SliceId> picked;
  for (const SelectedSlices& part : m_selection.parts) {
    if (part.slices.empty() || !run(part.run)->trace()) continue;
    picked[run(part.run)] = part.run == m_selection.leadRun ? m_selection.leadSlice : part.slices.front();
  }
  // One slice at a time can be picked as well: those of earlier times stay.
  for (const auto& [of, slice] : picked) m_alignedSlices[of] = slice;
  if (m_alignedSlices.size() < 2) return false;
  m_alignmentChosen = true;
  m_alignment = Alignment::kSlices;
  m_anchors.clear();
  Q_EMIT alignmentChanged();
  return true;
}

QStringList Session::sharedAnnotations() const {
  QStringList shared;
  bool isFirst = true;
  for (const int position : readyRuns()) {
    const Trace& trace = *run(position)->trace();
    std::vector<bool> used(trace.strings.size(), false);
    for (std::size_t i = 0; i < trace.slices.size(); ++i) {
      const bool annotates = trace.slices.categoryClass[i] == CategoryClass::kUserAnnotation;
      if (annotates && trace.slices.name[i] != kNoString) used[index(trace.slices.name[i])] = true;
    }
    QStringList own;
    for (std::size_t i = 0; i < used.size(); ++i) {
      const std::string_view name = trace.strings.view(StringId{static_cast<std::uint32_t>(i)});
      if (!used[i] || name.starts_with("ProfilerStep#")) continue;
      const QString text = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
      if (isFirst || shared.contains(text)) own << text;
    }
    shared = own;
    isFirst = false;
  }
  return shared;
}

std::optional<std::int64_t> Session::firstInScope(int position, CategoryClass category, StringId name) const {
  const SliceTable& slices = run(position)->trace()->slices;
  // A range is laid by the anchor that is looked for: then the whole trace is searched.
  const TimeRange scope = m_scope.kind == ScopeKind::kStep ? scopeRange(position) : TimeRange::all();
  std::optional<std::int64_t> first;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    if (slices.categoryClass[i] != category || (name != kNoString && slices.name[i] != name)) continue;
    if (scope.contains(slices.startNs[i]) && (!first || slices.startNs[i] < *first)) first = slices.startNs[i];
  }
  return first;
}

std::int64_t Session::alignedStartNs(int position) const {
  const Trace& trace = *run(position)->trace();
  const std::int64_t start = trace.dense.startNs;
  switch (m_alignment) {
    case Alignment::kStart:
      return start;
    case Alignment::kStep: {
      if (trace.steps.empty()) return start;
      const std::size_t wanted = m_scope.kind == ScopeKind::kStep ? static_cast<std::size_t>(m_scope.step) : 0;
      return trace.steps[std::min(wanted, trace.steps.size() - 1)].startNs;
    }
    case Alignment::kFirstKernel:
      return firstInScope(position, CategoryClass::kKernel, kNoString).value_or(start);
    case Alignment::kAnnotation: {
      const StringId name = trace.strings.find(m_alignedAnnotation.toStdString());
      if (name == kNoString) return start;
      return firstInScope(position, CategoryClass::kUserAnnotation, name).value_or(start);
    }
    case Alignment::kWallClock: {
      const int base = baseline();
      if (base < 0) return start;
      const attnscope::Alignment clock{AlignmentKind::kWallClock, {}, {}};
      const auto zero = alignedScope(trace, clock, *run(base)->trace());
      return zero ? zero->zeroNs + run(base)->trace()->dense.startNs : start;
    }
    case Alignment::kSlices: {
      const auto picked = m_alignedSlices.find(run(position));
      return picked == m_alignedSlices.end() ? start : trace.slices.startNs[index(picked->second)];
    }
  }
  return start;
}

const Trace* Session::shownTrace(int position) const {
  const auto facts = run(position)->shownFacts();
  return facts ? facts->trace.get() : nullptr;
}

bool Session::anyShown() const {
  for (int i = 0; i < runCount(); ++i) {
    if (!run(i)->isHidden() && shownTrace(i) != nullptr) return true;
  }
  return false;
}

std::int64_t Session::anchorNs(int position) const {
  // What is aligned by is looked for in whole traces alone.
  if (!run(position)->trace()) return shownTrace(position) ? shownTrace(position)->dense.startNs : 0;
  auto known = m_anchors.find(run(position));
  if (known == m_anchors.end()) known = m_anchors.emplace(run(position), alignedStartNs(position)).first;
  return known->second - movedByNs(position);
}

void Session::moveRunBy(int position, std::int64_t ns) {
  if (ns == 0 || !run(position)->trace()) return;
  m_moves[run(position)] += ns;
  Q_EMIT alignmentChanged();
}

std::int64_t Session::movedByNs(int position) const {
  const auto moved = m_moves.find(run(position));
  return moved == m_moves.end() ? 0 : moved->second;
}

void Session::resetMoves() {
  if (m_moves.empty()) return;
  m_moves.clear();
  Q_EMIT alignmentChanged();
}

QString Session::zeroWords() const {
  switch (m_alignment) {
    case Alignment::kStart:
      return tr("start of trace");
    case Alignment::kStep: {
      const int base = baseline();
      if (base < 0 || run(base)->trace()->steps.empty()) return tr("start of trace");
      return m_scope.kind == ScopeKind::kStep ? tr("start of %1").arg(scopeWords().toLower())
                                              : tr("start of first step");
    }
    case Alignment::kFirstKernel:
      return tr("first kernel");
    case Alignment::kAnnotation:
      return tr("start of %1").arg(m_alignedAnnotation);
    case Alignment::kWallClock:
      return tr("start of %1 by the clock").arg(baseline() < 0 ? QString() : run(baseline())->letter());
    case Alignment::kSlices:
      return tr("the slices that were picked");
  }
  return {};
}

TimeRange Session::alignedExtent() const {
  bool any = false;
  TimeRange extent;
  for (int position = 0; position < runCount(); ++position) {
    if (run(position)->isHidden() || shownTrace(position) == nullptr) continue;
    const Trace& trace = *shownTrace(position);
    const std::int64_t anchor = anchorNs(position);
    const TimeRange own{trace.dense.startNs - anchor, trace.dense.endNs - anchor};
    extent = any ? TimeRange{std::min(extent.startNs, own.startNs), std::max(extent.endNs, own.endNs)} : own;
    any = true;
  }
  return extent;
}

int Session::stepCount() const {
  std::size_t most = 0;
  for (const int position : readyRuns()) most = std::max(most, run(position)->trace()->steps.size());
  return static_cast<int>(most);
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

void Session::refreshComparison() {
  const std::vector<int> ready = readyRuns();
  if (ready.size() < 2) {
    m_jobs->cancel(kComparisonKey);
    if (m_comparison) {
      m_comparison = nullptr;
      m_comparedRuns.clear();
      Q_EMIT comparisonChanged();
    }
    return;
  }
  struct Input {
    std::shared_ptr<const RunFacts> facts;
    std::string title;
    TimeRange scope;
    std::shared_ptr<const RunResult> measurement;
    std::size_t measuredAs;
  };
  struct Compared {
    std::shared_ptr<const Comparison> comparison;
    std::vector<std::vector<std::uint8_t>> changes;
  };
  std::vector<int> positions{baseline()};
  for (const int position : ready) {
    if (position != positions.front()) positions.push_back(position);
  }
  std::vector<Input> inputs;
  for (const int position : positions) {
    const Run* of = run(position);
    inputs.push_back(
        {of->m_facts, of->title().toStdString(), scopeRange(position), of->measurement(), of->measuredAs()});
  }
  m_jobs->start(
      kComparisonKey,
      [inputs = std::move(inputs), rules = m_pairRules](std::stop_token stop) {
        std::vector<ComparedRun> runs;
        for (const Input& input : inputs) {
          runs.push_back({input.facts->trace.get(), &input.facts->tree, input.title, input.scope,
                          input.measurement.get(), input.measuredAs});
        }
        Compared compared;
        auto comparison = makeFreedAside<Comparison>(compareRuns(runs, stop));
        if (stop.stop_requested()) return compared;
        applyPairRules(*comparison, rules);
        for (std::size_t run = 0; run < runs.size(); ++run) {
          compared.changes.push_back(changeClasses(*comparison, run, *runs[run].trace, *runs[run].tree));
        }
        compared.comparison = std::move(comparison);
        return compared;
      },
      [this, positions](Compared compared) {
        m_comparison = std::move(compared.comparison);
        m_changes = std::move(compared.changes);
        m_comparedRuns = positions;
        Q_EMIT comparisonChanged();
      });
}

void Session::setSliceColour(SliceColour colour) {
  if (colour == m_sliceColour) return;
  m_sliceColour = colour;
  Q_EMIT sliceColourChanged();
}

void Session::setChangesOnly(bool isOn) {
  if (isOn == m_changesOnly) return;
  m_changesOnly = isOn;
  Q_EMIT sliceColourChanged();
}

std::span<const std::uint8_t> Session::changesOf(int position) const {
  const auto at = std::find(m_comparedRuns.begin(), m_comparedRuns.end(), position);
  if (!m_comparison || at == m_comparedRuns.end()) return {};
  return m_changes[static_cast<std::size_t>(at - m_comparedRuns.begin())];
}

void Session::setPairRules(std::vector<PairRule> rules) {
  if (rules == m_pairRules) return;
  restorePairRules(std::move(rules));
  Q_EMIT pairRulesChanged();
}

void Session::restorePairRules(std::vector<PairRule> rules) {
  if (rules == m_pairRules) return;
  m_pairRules = std::move(rules);
  refreshComparison();
}

std::vector<SliceId> Session::slicesOfGroup(std::size_t group, std::size_t compared) const {
  std::vector<SliceId> slices;
  if (!m_comparison || compared >= m_comparedRuns.size() || compared >= m_comparison->groupOfNode.size()) return slices;
  const RunFacts& facts = *run(m_comparedRuns[compared])->facts();
  const std::vector<std::uint32_t>& groupOfNode = m_comparison->groupOfNode[compared];
  const TimeRange scope = scopeRange(m_comparedRuns[compared]);
  for (std::size_t node = 0; node < groupOfNode.size() && node < facts.tree.nodes.size(); ++node) {
    const SliceId slice = facts.tree.nodes[node].slice;
    if (groupOfNode[node] == group && scope.contains(facts.trace->slices.startNs[index(slice)]))
      slices.push_back(slice);
  }
  const DeviceWorkTable& work = facts.trace->deviceWork;
  for (std::size_t i = 0; i < work.size(); ++i) {
    if (!scope.contains(facts.trace->slices.startNs[index(work.slice[i])])) continue;
    const SliceId launcher = work.launchOperator[i];
    const std::uint32_t node = launcher == kNoSlice ? OperatorNode::kNone : facts.tree.nodeOfSlice[index(launcher)];
    const bool unlinked = node == OperatorNode::kNone || groupOfNode[node] == Comparison::kNoGroup;
    if (unlinked ? m_comparison->groups[group].isUnlinked : groupOfNode[node] == group) slices.push_back(work.slice[i]);
  }
  std::sort(slices.begin(), slices.end());
  return slices;
}

// Groups stand by amount of their difference already.
bool Session::selectChange(int step) {
  if (!m_comparison) return false;
  const auto& groups = m_comparison->groups;
  const auto differs = [&](const ComparisonGroup& group) {
    for (std::size_t i = 1; i < group.runs.size(); ++i) {
      if (m_comparison->deltaNs(group, i) != 0) return true;
    }
    return false;
  };
  const auto count = static_cast<int>(groups.size());
  int at = static_cast<int>(m_change) - 1 + step;
  if (m_change == 0) at = step > 0 ? 0 : -1;
  while (at >= 0 && at < count && !differs(groups[static_cast<std::size_t>(at)])) at += step > 0 ? 1 : -1;
  if (at < 0 || at >= count) return false;
  m_change = static_cast<std::size_t>(at) + 1;
  Selection selection;
  for (std::size_t i = 0; i < m_comparedRuns.size(); ++i) {
    std::vector<SliceId> slices = slicesOfGroup(static_cast<std::size_t>(at), i);
    if (slices.empty()) continue;
    const SliceTable& table = run(m_comparedRuns[i])->trace()->slices;
    if (selection.isEmpty()) {
      selection.leadRun = m_comparedRuns[i];
      selection.leadSlice = *std::max_element(slices.begin(), slices.end(), [&](SliceId a, SliceId b) {
        return table.durationNs[index(a)] < table.durationNs[index(b)];
      });
    }
    selection.parts.push_back({m_comparedRuns[i], std::move(slices)});
  }
  if (selection.isEmpty()) return false;
  selection.words = QString::fromStdString(groups[static_cast<std::size_t>(at)].operatorName);
  selection.origin = SelectionOrigin::kTable;
  select(std::move(selection));
  return true;
}

}  // namespace attnscope::ui
