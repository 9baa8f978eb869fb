// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The run's column: before a run what it will do; while it runs and after it the head, the matrix and the dots; at
// the foot the same run as a command line, and the buttons. It shows values and knows no runner. GUI thread only.

#include <array>

#include <QWidget>

#include "core/session/RunResult.h"
#include "core/session/RunState.h"
#include "ui/theme/Theme.h"

class QPushButton;
class QScrollArea;
class QStackedWidget;
class QToolButton;

namespace attnscope::ui {

class DotPlot;
class TextLabel;
class LabNotice;
class ResultsMatrix;
class RunHead;

// All that is shown of a run: `result` may hold samples that came after `state`.
struct ShownRun {
  const attnscope::RunState& state;
  const RunResult& result;
  std::array<double, kRunPhaseCount> phaseSeconds = {};
  double elapsedSeconds = 0;  // negative: not known, it was read from a file
  double leftSeconds = -1;    // negative: not known
  bool isRunning = false;
  bool isCancelling = false;
  QStringList log;
};

class RunColumn : public QWidget {
  Q_OBJECT

 public:
  explicit RunColumn(const Theme& theme, QWidget* parent = nullptr);

  void showNotice(const QString& icon, const QString& colour, const QString& title, const QString& body,
                  const QStringList& log = {});
  void showRun(const ShownRun& run);
  void showTimes(const ShownRun& run);                 // the clock alone
  void append(std::size_t row, int round, double ns);  // a dot
  void setCommand(const QString& command);             // empty: none to show
  void setFoot(const QString& words, bool isBlocking, bool canRun);
  void setFinished(bool hasResult, bool hasTraces);  // which buttons there are

  [[nodiscard]] QPushButton* runButton() const { return m_run; }
  [[nodiscard]] QPushButton* stopButton() const;
  [[nodiscard]] QPushButton* saveButton() const { return m_save; }
  [[nodiscard]] QPushButton* openButton() const { return m_open; }
  [[nodiscard]] const ResultsMatrix& matrix() const { return *m_matrix; }
  [[nodiscard]] const DotPlot& plot() const { return *m_plot; }
  [[nodiscard]] const RunHead& head() const { return *m_head; }
  [[nodiscard]] const LabNotice& notice() const { return *m_notice; }
  [[nodiscard]] bool showsRun() const;
  [[nodiscard]] QString footWords() const;
  [[nodiscard]] QString command() const;
  void copyCommand() const;

 private:
  QWidget* makeRunArea();
  QWidget* makeCommand();
  QWidget* makeFoot();
  QWidget* makeBand(TextLabel* title, TextLabel* note, QWidget* button);
  void applyTheme();
  void showPlotUnit();

  const Theme& m_theme;
  QStackedWidget* m_stack;
  LabNotice* m_notice;
  RunHead* m_head = nullptr;
  TextLabel* m_resultsNote = nullptr;
  QToolButton* m_copyResults = nullptr;
  ResultsMatrix* m_matrix = nullptr;
  TextLabel* m_plotTitle = nullptr;
  TextLabel* m_plotNote = nullptr;
  DotPlot* m_plot = nullptr;
  QWidget* m_plotBand = nullptr;
  LabNotice* m_failure = nullptr;  // in place of the dots
  QWidget* m_commandBar = nullptr;
  TextLabel* m_command = nullptr;
  QToolButton* m_copyCommand = nullptr;
  TextLabel* m_words = nullptr;
  QPushButton* m_save = nullptr;
  QPushButton* m_open = nullptr;
  QPushButton* m_run = nullptr;
};

}  // namespace attnscope::ui
