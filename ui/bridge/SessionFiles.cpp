// SPDX-License-Identifier: GPL-3.0-or-later
// How files become runs of the session: traces, archives of several, session files, and what the lab measured.
#include <algorithm>

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include "core/problem/Cards.h"
#include "core/session/AttnFile.h"
#include "ui/bridge/Jobs.h"
#include "ui/bridge/Session.h"

namespace attnscope::ui {

namespace {

bool isArchive(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) && file.read(4) == QByteArrayView("PK\x03\x04");
}

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

// What the first problem is and the second is not, in short; empty where they are the same in what is asked for most.
QString distinction(const Problem& problem, const Problem& other) {
  if (problem.dtype != other.dtype) return QString::fromStdString(std::string(toString(problem.dtype)));
  if (problem.queryLength != other.queryLength) return QStringLiteral("N %1").arg(problem.queryLength);
  if (problem.keyValueLength != other.keyValueLength) return QStringLiteral("M %1").arg(problem.keyValueLength);
  if (problem.heads != other.heads) return QStringLiteral("H %1").arg(problem.heads);
  if (problem.mask != other.mask) return QString::fromStdString(describe(problem.mask));
  return {};
}

}  // namespace

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
        const int number = placeholder->number();
        removeRun(positionOf(placeholder));
        std::erase(m_restingNumbers, number);  // nothing was ever computed for it
        const auto result = std::make_shared<const RunResult>(std::move(unpacked->result));
        for (const PairRule& rule : unpacked->pairs) {
          const bool isKnown = std::find(m_pairRules.begin(), m_pairRules.end(), rule) != m_pairRules.end();
          if (!isKnown) m_pairRules.push_back(rule);
        }
        if (!unpacked->pairs.empty()) Q_EMIT pairsRead(result, path, unpacked->pairs);
        addMeasured(result, path, unpacked->traceFiles, numberFor(number, result->implementations.size()));
        Q_EMIT fileOpened(path, tr("session"), bytes);
      });
}

void Session::addMeasurement(std::shared_ptr<const RunResult> result, const QString& origin,
                             const QStringList& traceFiles) {
  addMeasured(std::move(result), origin, traceFiles, numberAfterAll());
}

// The letters of a plan follow one another: from `wanted` on where that many are free, else after all others.
int Session::numberFor(int wanted, std::size_t count) const {
  const int end = wanted + static_cast<int>(count);
  const auto isWithin = [&](int number) { return number >= wanted && number < end; };
  const std::vector<WithoutTrace> missing = withoutTrace();
  const bool isTaken =
      std::any_of(m_runs.begin(), m_runs.end(), [&](const Run* each) { return isWithin(each->number()); }) ||
      std::any_of(missing.begin(), missing.end(), [&](const WithoutTrace& each) { return isWithin(each.number); }) ||
      std::any_of(m_restingNumbers.begin(), m_restingNumbers.end(), isWithin);
  return isTaken ? numberAfterAll() : wanted;
}

void Session::addMeasured(std::shared_ptr<const RunResult> result, const QString& origin, const QStringList& traceFiles,
                          int first) {
  m_arriving = result;
  for (std::size_t i = 0; i < result->implementations.size(); ++i) {
    const QString file = traceFiles.value(static_cast<qsizetype>(i));
    if (file.isEmpty()) continue;  // refused, failed or not profiled
    auto* added = new Run(file, first + static_cast<int>(i), this);
    added->m_measurement = result;
    added->m_measuredAs = i;
    added->m_origin = origin;
    m_runs.push_back(added);
    load(added);
  }
  nameMeasured();
  afterRunsChanged();
}

// By the card's title. One implementation that was measured twice is told apart by what it was measured on, and where
// that is the same by its file.
void Session::nameMeasured() {
  const auto isTwin = [](const Run* a, const Run* b) {
    return b->m_measurement != nullptr && a->m_measurement != b->m_measurement &&
           a->m_measurement->implementations[a->m_measuredAs].id ==
               b->m_measurement->implementations[b->m_measuredAs].id;
  };
  for (Run* each : m_runs) {
    if (each->m_measurement == nullptr) continue;
    const std::string& id = each->m_measurement->implementations[each->m_measuredAs].id;
    const Card* card = findCard(id);
    each->m_givenTitle = QString::fromStdString(card ? std::string(card->title) : id);
    const auto twin = std::find_if(m_runs.begin(), m_runs.end(), [&](const Run* other) { return isTwin(each, other); });
    if (twin == m_runs.end()) continue;
    QString own = distinction(each->m_measurement->plan.problem, (*twin)->m_measurement->plan.problem);
    if (own.isEmpty()) own = QFileInfo(each->m_origin).completeBaseName();
    if (!own.isEmpty()) each->m_givenTitle = tr("%1, %2").arg(each->m_givenTitle, own);
  }
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

}  // namespace attnscope::ui
