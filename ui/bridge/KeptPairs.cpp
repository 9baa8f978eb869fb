// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/KeptPairs.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonObject>

#include "core/session/AttnFile.h"
#include "ui/bridge/ErrorWords.h"
#include "ui/bridge/Jobs.h"

namespace attnscope::ui {

namespace {

constexpr QLatin1String kKey("pairs");

// Which run of a session file; a trace is alone in its file.
int placeIn(const Run& run) { return run.origin().isEmpty() ? 0 : static_cast<int>(run.measuredAs()); }

QString nameOf(const Run& run) { return QFileInfo(run.location()).fileName(); }

QJsonObject toJson(const PairRule& rule, int place, const QStringList& with) {
  const bool isPair = rule.kind == PairRuleKind::kPair;
  QJsonObject json{{QLatin1String("kind"), isPair ? QLatin1String("pair") : QLatin1String("cut")},
                   {QLatin1String("base"), QString::fromStdString(rule.base)},
                   {QLatin1String("run"), place},
                   {QLatin1String("with"), QJsonArray::fromStringList(with)}};
  if (isPair) json.insert(QLatin1String("other"), QString::fromStdString(rule.other));
  return json;
}

// None: of a kind that a newer version knows, or damaged.
std::optional<PairRule> ruleOf(const QJsonObject& json) {
  const QString kind = json.value(QLatin1String("kind")).toString();
  const std::string base = json.value(QLatin1String("base")).toString().toStdString();
  const std::string other = json.value(QLatin1String("other")).toString().toStdString();
  if (base.empty()) return std::nullopt;
  if (kind == QLatin1String("cut")) return PairRule{PairRuleKind::kCut, base, {}};
  if (kind == QLatin1String("pair") && !other.empty()) return PairRule{PairRuleKind::kPair, base, other};
  return std::nullopt;
}

}  // namespace

KeptPairs::KeptPairs(Session& session, QObject* parent)
    : QObject(parent), m_session(session), m_jobs(std::make_unique<Jobs>()) {
  connect(&m_session, &Session::runsChanged, this, &KeptPairs::whenRunsChange);
  connect(&m_session, &Session::runChanged, this, &KeptPairs::whenRunsChange);
  connect(&m_session, &Session::pairRulesChanged, this, &KeptPairs::whenPairsChange);
  connect(&m_session, &Session::pairsRead, this,
          [this](const Measurement& result, const QString& file, const std::vector<PairRule>& pairs) {
            m_sessionFiles[result] = file;
            for (const PairRule& rule : pairs) m_kept.push_back({rule, result, {}, {}, true});
          });
}

KeptPairs::~KeptPairs() {
  m_jobs.reset();  // waits for what is being written
  for (const auto& [file, rules] : m_waiting) {
    if (const Result<void> done = rewritePairs(file.toStdString(), rules); !done) {
      qWarning("%s: %s", qUtf8Printable(file), done.error().message().c_str());
    }
  }
}

void KeptPairs::keepInFiles() {
  m_isKept = true;
  whenRunsChange();
}

bool KeptPairs::isSettled() const { return !m_jobs->isBusy(); }

bool KeptPairs::isOpen(const Measurement& measurement) const {
  for (int at = 0; at < m_session.runCount(); ++at) {
    if (m_session.run(at)->measurement() == measurement) return true;
  }
  return false;
}

QString KeptPairs::fileOf(const Measurement& measurement) const {
  for (int at = 0; at < m_session.runCount(); ++at) {
    if (m_session.run(at)->measurement() == measurement) return m_session.run(at)->origin();
  }
  return {};
}

std::vector<PairRule> KeptPairs::rulesOf(const Measurement& measurement) const {
  std::vector<PairRule> rules;
  for (const Kept& each : m_kept) {
    if (each.measurement == measurement) rules.push_back(each.rule);
  }
  return rules;
}

// --- what a person changed

KeptPairs::Kept KeptPairs::kept(const PairRule& rule) const {
  Kept made{rule, {}, {}, {}, true};
  const std::vector<int>& compared = m_session.comparedRuns();
  const int base = compared.empty() ? m_session.baseline() : compared.front();
  if (base < 0) return made;
  made.base = m_session.run(base);
  const bool isOfOne = std::all_of(compared.begin(), compared.end(), [&](int position) {
    return m_session.run(position)->measurement() == made.base->measurement();
  });
  if (isOfOne && made.base->measurement() != nullptr) {
    made.measurement = made.base->measurement();
    return made;
  }
  for (const int position : compared) {
    if (position != base) made.with << nameOf(*m_session.run(position));
  }
  return made;
}

void KeptPairs::whenPairsChange() {
  if (!m_isKept) return;
  const std::vector<PairRule>& rules = m_session.pairRules();
  std::vector<Kept> changed;
  const auto isGone = [&](const Kept& each) {
    return each.isApplied && std::find(rules.begin(), rules.end(), each.rule) == rules.end();
  };
  std::copy_if(m_kept.begin(), m_kept.end(), std::back_inserter(changed), isGone);
  std::erase_if(m_kept, isGone);
  for (const PairRule& rule : rules) {
    const bool isKnown = std::any_of(m_kept.begin(), m_kept.end(),
                                     [&rule](const Kept& each) { return each.isApplied && each.rule == rule; });
    if (isKnown) continue;
    m_kept.push_back(kept(rule));
    changed.push_back(m_kept.back());
  }
  for (const Kept& each : changed) write(each);
}

// --- what was opened, saved and closed

void KeptPairs::whenRunsChange() {
  if (!m_isKept) return;
  forgetClosed();
  readNew();
  for (const Kept& each : m_kept) {
    if (each.measurement == nullptr) continue;
    const QString file = fileOf(each.measurement);
    const auto known = m_sessionFiles.find(each.measurement);
    const bool isThere = file.isEmpty() || (known != m_sessionFiles.end() && known->second == file);
    if (!isThere) writeSession(each.measurement);
  }
  apply();
}

void KeptPairs::forgetClosed() {
  const auto isClosed = [this](const Kept& each) {
    return each.measurement != nullptr ? !isOpen(each.measurement) : m_session.positionOf(each.base) < 0;
  };
  std::erase_if(m_kept, isClosed);
  std::erase_if(m_sessionFiles, [this](const auto& each) { return !isOpen(each.first); });
}

void KeptPairs::readNew() {
  for (const SideFileRuns::Change& change : m_sideFiles.changes(m_session)) {
    if (change.file.isEmpty()) continue;
    if (change.isNew) {
      read(change.run);
    } else {
      writeBeside(*change.run);
    }
  }
}

void KeptPairs::read(Run* run) {
  const SideFileList kept = readSideFile(sideFileOf(*run), kKey);
  if (!kept.problem.isEmpty()) {
    Q_EMIT failed(kept.problem);
    return;
  }
  for (const QJsonValue& each : kept.list) {
    const QJsonObject json = each.toObject();
    std::optional<PairRule> rule = ruleOf(json);
    if (!rule || json.value(QLatin1String("run")).toInt() != placeIn(*run)) continue;
    QStringList with;
    for (const QJsonValue& name : json.value(QLatin1String("with")).toArray()) with << name.toString();
    m_kept.push_back({std::move(*rule), {}, run, with, false});
  }
}

bool KeptPairs::isWanted(const Kept& each) const {
  if (each.measurement != nullptr) return true;
  for (int at = 0; at < m_session.runCount(); ++at) {
    const Run* run = m_session.run(at);
    if (run != each.base && each.with.contains(nameOf(*run))) return true;
  }
  return false;
}

void KeptPairs::apply() {
  std::vector<PairRule> rules;
  for (Kept& each : m_kept) {
    each.isApplied = isWanted(each);
    if (each.isApplied && std::find(rules.begin(), rules.end(), each.rule) == rules.end()) rules.push_back(each.rule);
  }
  m_session.restorePairRules(std::move(rules));
}

// --- files

void KeptPairs::write(const Kept& changed) {
  if (changed.measurement != nullptr) {
    writeSession(changed.measurement);
  } else if (changed.base != nullptr) {
    writeBeside(*changed.base);
  }
}

// One writer at a time: of two the older might be the last to end.
void KeptPairs::writeSession(const Measurement& measurement) {
  const QString file = fileOf(measurement);
  if (file.isEmpty()) return;  // written when it is saved
  m_sessionFiles[measurement] = file;
  if (m_jobs->isRunning(file)) {
    m_waiting[file] = rulesOf(measurement);
  } else {
    startWriting(file, rulesOf(measurement));
  }
}

void KeptPairs::startWriting(const QString& file, std::vector<PairRule> rules) {
  m_jobs->start(
      file,
      [path = file.toStdString(), rules = std::move(rules)](std::stop_token) { return rewritePairs(path, rules); },
      [this, file](const Result<void>& written) {
        if (!written) {
          Q_EMIT failed(tr("The pairs cannot be kept in %1: %2 They stay until it is closed.")
                            .arg(QFileInfo(file).fileName(), whatHappened(written.error())));
        }
        if (auto waiting = m_waiting.extract(file)) startWriting(file, std::move(waiting.mapped()));
      });
}

void KeptPairs::writeBeside(const Run& base) {
  const QString file = sideFileOf(base);
  if (file.isEmpty()) return;
  QJsonArray list;
  bool isAny = false;
  for (const Kept& each : m_kept) {
    if (each.measurement != nullptr || each.base == nullptr || sideFileOf(*each.base) != file) continue;
    list.append(toJson(each.rule, placeIn(*each.base), each.with));
    isAny = true;
  }
  if (!isAny && !QFileInfo::exists(file)) return;
  if (const QString problem = writeSideFile(file, kKey, list); !problem.isEmpty()) {
    Q_EMIT failed(tr("The pairs cannot be kept in %1: %2. They stay until it is closed.")
                      .arg(QFileInfo(file).fileName(), problem));
  }
}

}  // namespace attnscope::ui
