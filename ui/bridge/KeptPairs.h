// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Keeps what a person pairs and cuts by hand (Session::pairRules): between runs of one measurement in its session file,
// else in the file beside the baseline's trace (SideFile.h) together with the names of the runs it was made against.
// With these files opened again it is there again; with others it is not. A measurement that is not saved gets its
// pairs when it is. Session files are rewritten in a worker. GUI thread only; the session outlives it.

#include <memory>
#include <unordered_map>
#include <vector>

#include <QObject>
#include <QPointer>
#include <QStringList>

#include "core/session/PairRule.h"
#include "ui/bridge/Session.h"
#include "ui/bridge/SideFile.h"

namespace attnscope::ui {

class Jobs;

class KeptPairs : public QObject {
  Q_OBJECT

 public:
  explicit KeptPairs(Session& session, QObject* parent = nullptr);
  ~KeptPairs() override;  // what is not written yet is

  // Until then nothing is read or written.
  void keepInFiles();
  [[nodiscard]] bool isSettled() const;  // nothing is being written

 Q_SIGNALS:
  void failed(const QString& message);  // a file could not be read or written

 private:
  using Measurement = std::shared_ptr<const RunResult>;
  struct Kept {
    PairRule rule;
    Measurement measurement;  // whose session file has it; null: the file beside `base`
    QPointer<Run> base;
    QStringList with;  // file names of the runs it was made against; one of them is open, or it is not applied
    bool isApplied = false;
  };
  void whenPairsChange();
  void whenRunsChange();
  void forgetClosed();
  void readNew();
  void read(Run* run);
  void apply();
  [[nodiscard]] Kept kept(const PairRule& rule) const;
  [[nodiscard]] bool isOpen(const Measurement& measurement) const;
  [[nodiscard]] QString fileOf(const Measurement& measurement) const;  // empty: not saved
  [[nodiscard]] std::vector<PairRule> rulesOf(const Measurement& measurement) const;
  [[nodiscard]] bool isWanted(const Kept& each) const;
  void write(const Kept& changed);
  void writeSession(const Measurement& measurement);
  void startWriting(const QString& file, std::vector<PairRule> rules);
  void writeBeside(const Run& base);

  Session& m_session;
  bool m_isKept = false;
  std::vector<Kept> m_kept;
  SideFileRuns m_sideFiles;
  std::unordered_map<Measurement, QString> m_sessionFiles;       // that have the pairs of a measurement
  std::unordered_map<QString, std::vector<PairRule>> m_waiting;  // for the writing of their file to end
  std::unique_ptr<Jobs> m_jobs;
};

}  // namespace attnscope::ui
