// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The lab: choose implementations, type a problem, see what it will need, run it, watch every sample come. Three
// columns between 1 px lines. The page knows the runner by LabRunner alone; what becomes of a finished run is the
// window's. GUI thread only; runner and theme outlive it.

#include <array>
#include <memory>
#include <optional>

#include <QElapsedTimer>
#include <QList>
#include <QTimer>
#include <QWidget>

#include "core/session/RunPlan.h"
#include "core/session/RunResult.h"
#include "core/session/RunState.h"
#include "ui/theme/Theme.h"

class QAction;
class QComboBox;
class QLineEdit;
class QSplitter;

namespace attnscope::ui {

class ImplementationList;
class ImplementationModel;
class TextLabel;
class LabRunner;
class ProblemForm;
class RunColumn;
struct ShownRun;

class LabPage : public QWidget {
  Q_OBJECT

 public:
  LabPage(LabRunner& runner, const Theme& theme, QWidget* parent = nullptr);

  // Fills the form; `from` says where the shape was recorded, empty: nowhere in particular.
  void setProblem(const Problem& problem, const QString& from = {});
  void choose(const QStringList& ids);  // in order of letters
  // Problem, choice, rounds, threads and cache as they were; own code that it brings needs another yes.
  void fillIn(const RunPlan& plan);
  // Shows a run from a saved session that is over, as at its end, and fills the form in as it was. Not while a run is
  // on; an unsaved result would be lost.
  void showEnded(const std::shared_ptr<const RunResult>& result);
  [[nodiscard]] RunPlan plan() const;
  // Run, Stop, Make baseline..., for the window's menus; they belong to the page. Named "labRun", "labStop"...
  [[nodiscard]] QList<QAction*> labActions() const;
  // Nothing typed waits for its check, the runner has answered, and no run is on.
  [[nodiscard]] bool isSettled() const;
  [[nodiscard]] std::shared_ptr<const RunResult> result() const;  // of the last run; none before
  // The last run, where it was measured, is over and was not saved; else null.
  [[nodiscard]] std::shared_ptr<const RunResult> unsaved() const;
  void setSaved(const std::shared_ptr<const RunResult>& result);

  [[nodiscard]] ImplementationModel& implementations() { return *m_model; }
  [[nodiscard]] ProblemForm& form() { return *m_form; }
  [[nodiscard]] RunColumn& column() { return *m_column; }

 Q_SIGNALS:
  void resultReady(std::shared_ptr<const attnscope::RunResult> result);  // a run ended with traces to compare
  void openComparisonRequested();
  void saveRequested();

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* makeImplementations();
  void makeActions();
  void setFocusOrder();  // from column to column, downwards
  void layOut();         // widths of the columns, until the user moves a splitter
  void askForCode();
  void onSettled();
  void onChoice();
  void onDescribed();
  void onRunning();
  void onState();
  void onSampled(const SampleMessage& sample);
  void onFinished();
  void run();
  void refreshEstimate();
  void refreshFoot();
  void refreshChosen();
  void refreshRun();
  void refreshClock();
  void showReady();
  [[nodiscard]] QString blockedBy() const;  // why Run cannot be pressed; empty: it can
  [[nodiscard]] ShownRun shownRun() const;
  [[nodiscard]] double leftSeconds() const;

  LabRunner& m_runner;
  const Theme& m_theme;
  ImplementationModel* m_model;
  ImplementationList* m_list = nullptr;
  TextLabel* m_chosen = nullptr;
  QLineEdit* m_filter = nullptr;
  QComboBox* m_which = nullptr;
  ProblemForm* m_form;
  RunColumn* m_column;
  QSplitter* m_splitter;
  QSplitter* m_left;  // picker and form, side by side or one above the other
  bool m_userSized = false;

  QAction* m_runAction = nullptr;
  QAction* m_stopAction = nullptr;
  QAction* m_baselineAction = nullptr;
  QAction* m_codeAction = nullptr;
  QAction* m_copyAction = nullptr;
  QAction* m_saveAction = nullptr;
  QAction* m_openAction = nullptr;

  bool m_described = false;      // the runner was asked
  bool m_choicePending = false;  // LibTorch was asked what it would choose
  bool m_packsBFloat16 = false;
  bool m_warnedOfMemory = false;  // that what is chosen may not fit
  bool m_hasState = false;        // of the run that is on
  bool m_isSaved = false;         // the last run
  QString m_startError;
  RunResult m_live;  // the state's, with samples that came since
  std::array<double, kRunPhaseCount> m_phaseSeconds = {};
  std::optional<RunPhase> m_phase;
  double m_phaseStart = 0;
  double m_timingStart = 0;
  QTimer m_clock;
  QTimer m_rows;  // gathers samples: the matrix is written ten times a second at most
};

}  // namespace attnscope::ui
