// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The lab's run as the window sees it: what can run here, a run that is on, and its result. Wraps RunController and
// posts what its thread says to the GUI thread. GUI thread only.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <QObject>
#include <QString>
#include <QTemporaryDir>

#include "core/problem/Cards.h"
#include "core/session/RunController.h"
#include "core/session/RunPlan.h"
#include "core/session/RunResult.h"
#include "core/session/RunState.h"
#include "ui/bridge/Jobs.h"

namespace attnscope::ui {

// What the runner on this machine says of itself; `reason` says why there is none.
struct RunnerDescription {
  bool found = false;
  QString reason;
  QString version;
  QString libtorch;
  QString cpuCapability;
  int threads = 0;
  std::unordered_map<std::string, std::string> refusals;  // by implementation: why it cannot run on this machine
};

// What LibTorch itself would choose for a problem, and why not its other backends.
struct BackendChoice {
  QString chosen;                                        // "flash"; empty: not known
  std::unordered_map<std::string, std::string> reasons;  // by implementation ("sdpa.flash"): LibTorch's own words
};

class LabRunner : public QObject {
  Q_OBJECT

 public:
  // `runnerPath`: attnscope-runner; empty: beside this program.
  explicit LabRunner(QString runnerPath = {}, QObject* parent = nullptr);
  ~LabRunner() override;

  void describe();                         // asks the runner; describedChanged() follows
  void askChoice(const Problem& problem);  // of LibTorch, for a valid problem; choiceChanged() follows
  [[nodiscard]] const RunnerDescription& description() const { return m_description; }
  [[nodiscard]] bool isDescribed() const { return m_described; }
  [[nodiscard]] const BackendChoice& choice() const { return m_choice; }
  // Why `card` cannot run `problem` here: card's own reason first, then the machine's.
  [[nodiscard]] std::optional<QString> refusal(const Card& card, const Problem& problem) const;

  // Starts a run; its traces lie in a temporary folder while this object lives. False with a reason in lastError()
  // where a run is on or the runner is missing.
  bool start(RunPlan plan);
  void cancel();
  // Shows a run that is over, from a saved session, as if it had just ended here; no signal but stateChanged() and
  // finished(). Not while a run is on.
  void show(std::shared_ptr<const RunResult> ended);
  // For tests of what a crash leaves: the runner does this to itself in every run that follows.
  void setTestHooks(std::vector<TestHook> hooks) { m_testHooks = std::move(hooks); }
  [[nodiscard]] bool isRunning() const { return m_running; }
  [[nodiscard]] bool isCancelling() const { return m_cancelling; }
  [[nodiscard]] QString lastError() const { return m_lastError; }
  [[nodiscard]] double elapsedSeconds() const;  // negative: the run was not timed here, but read from a file
  // As last posted; the stage is kIdle before the first run. Not the RunState of a run of the session.
  [[nodiscard]] const attnscope::RunState& state() const { return m_state; }
  [[nodiscard]] std::shared_ptr<const RunResult> result() const { return m_result; }  // of the last finished run
  [[nodiscard]] const QStringList& log() const { return m_log; }                      // the runner's standard error

 Q_SIGNALS:
  void describedChanged();
  void choiceChanged();
  void runningChanged();
  void stateChanged();                                   // phases and results
  void sampled(const attnscope::SampleMessage& sample);  // each, at once
  void finished();                                       // result() is whole

 private:
  void post(std::uint64_t generation,
            std::function<void()> call);  // from the controller's thread
  void onFinished(RunResult result);

  QString m_runnerPath;
  std::vector<TestHook> m_testHooks;
  RunnerDescription m_description;
  bool m_described = false;
  BackendChoice m_choice;
  bool m_running = false;
  bool m_cancelling = false;
  qint64 m_startedMs = 0;
  qint64 m_endedMs = 0;
  QString m_lastError;
  attnscope::RunState m_state;
  std::shared_ptr<const RunResult> m_result;
  QStringList m_log;
  std::vector<std::unique_ptr<QTemporaryDir>> m_traces;  // one a run: views may still read them
  std::uint64_t m_generation = 0;                        // of the run; older posts are dropped
  Jobs m_jobs;
  std::unique_ptr<RunController> m_controller;  // last: its thread posts to this until it is gone
};

}  // namespace attnscope::ui
