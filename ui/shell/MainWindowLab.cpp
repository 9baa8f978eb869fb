// SPDX-License-Identifier: GPL-3.0-or-later
// The lab in the main window: its page, what becomes of its result, and the shape of a recorded call that goes there.
#include <algorithm>

#include <QAction>
#include <QMessageBox>
#include <QPushButton>
#include <QStackedWidget>

#include "core/session/AttnFile.h"
#include "ui/bridge/ErrorWords.h"
#include "ui/compare/VerdictStrip.h"
#include "ui/lab/ImplementationList.h"
#include "ui/lab/LabFigures.h"
#include "ui/lab/LabPage.h"
#include "ui/lab/ProblemForm.h"
#include "ui/lab/RecordedShape.h"
#include "ui/shell/Details.h"
#include "ui/shell/MainWindow.h"
#include "ui/shell/SliceFacts.h"
#include "ui/shell/StartPage.h"
#include "ui/shell/StatusLine.h"
#include "ui/timeline/TimelineView.h"

namespace attnscope::ui {

namespace {

const QString kShapeKey = QStringLiteral("shape");
const QString kSaveKey = QStringLiteral("save");
constexpr double kMarginShare = 0.02;  // beside the scope, when it is fitted

QString fileNameFor(const RunResult& result) {
  QStringList ids;
  for (const std::string& id : result.plan.implementations) ids << QString::fromStdString(id);
  return QStringLiteral("%1-%2.attn").arg(ids.join(u'-')).arg(result.plan.problem.queryLength);
}

}  // namespace

QAction* MainWindow::labAction(const char* name) const {
  return m_lab->findChild<QAction*>(QString::fromLatin1(name), Qt::FindDirectChildrenOnly);
}

void MainWindow::connectLab() {
  m_session.setUnprofiledTaker(
      [this](const std::shared_ptr<const RunResult>& result, const QString& path) { return showInLab(result, path); });
  connect(m_lab, &LabPage::resultReady, this, &MainWindow::showMeasurement);
  connect(m_lab, &LabPage::openComparisonRequested, this, &MainWindow::openComparison);
  connect(m_verdict, &VerdictStrip::morePairsWanted, this, &MainWindow::runMorePairs);
  connect(m_lab, &LabPage::saveRequested, this, &MainWindow::saveSession);
  connect(labAction("labRun"), &QAction::changed, this, &MainWindow::refreshActions);
  connect(&m_runner, &LabRunner::runningChanged, this, &MainWindow::refreshRunState);
  connect(&m_runner, &LabRunner::stateChanged, this, &MainWindow::refreshRunState);
  connect(&m_runner, &LabRunner::describedChanged, this, &MainWindow::refreshRunState);
  connect(&m_runner, &LabRunner::finished, this, &MainWindow::refreshActions);
  connect(&m_session, &Session::measurementReady, this, &MainWindow::fitScope);
  connect(&m_jobs, &Jobs::changed, this, &MainWindow::refreshActions);
}

WindowPage MainWindow::page() const {
  return m_screens->currentWidget() == m_lab ? WindowPage::kLab : WindowPage::kTraces;
}

void MainWindow::showPage(WindowPage page) {
  QWidget* wanted = page == WindowPage::kLab ? static_cast<QWidget*>(m_lab) : m_traces;
  action(page == WindowPage::kLab ? QStringLiteral("pageLab") : QStringLiteral("pageTraces"))->setChecked(true);
  if (m_screens->currentWidget() == wanted) return;
  m_screens->setCurrentWidget(wanted);
  if (page == WindowPage::kLab) {
    m_lab->findChild<ImplementationList*>()->setFocus();
  } else {
    (m_session.runCount() > 0 ? static_cast<QWidget*>(m_timeline) : m_start)->setFocus();
  }
  refreshRunState();
  arrange();
}

void MainWindow::refreshRunState() {
  const RunnerDescription& runner = m_runner.description();
  QString machine;
  if (m_runner.isDescribed()) {
    machine = runner.found ? tr("LibTorch %1, %2").arg(runner.libtorch, runner.cpuCapability) : tr("No runner here");
  }
  m_status->setLab(page() == WindowPage::kLab, machine);
  if (m_runner.isRunning()) {
    const attnscope::RunState& state = m_runner.state();
    const QString words = m_runner.isCancelling() ? tr("Stopping the run") : headlineOf(state).title;
    m_status->setRun(words, timedShare(state));
  } else {
    m_status->setRun({}, 0);
  }
  refreshActions();
}

void MainWindow::showMeasurement(const std::shared_ptr<const RunResult>& result) {
  m_session.clearSelection();
  // The runs of the lab's last measurement make room; traces that were opened stay, out of this comparison.
  m_session.closeMeasurement(m_measured);
  bool anyHidden = false;
  for (int i = 0; i < m_session.runCount(); ++i) {
    m_session.setHidden(i, true);
    anyHidden = true;
  }
  m_measured = result;
  QStringList files;
  for (const ImplementationResult& each : result->implementations) files << QString::fromStdString(each.traceFile);
  showPage(WindowPage::kTraces);
  m_session.addMeasurement(result, {}, files);
  if (anyHidden) m_status->say(tr("What was open before is hidden: its eye shows it again"));
}

// The lab is filled in as the measurement was, with more pairs, and runs; its result takes the measurement's place.
void MainWindow::runMorePairs(const std::shared_ptr<const RunResult>& result, int pairs) {
  if (m_runner.isRunning()) {
    m_status->say(tr("A run is on already: stop it, or wait for its end"));
    return;
  }
  showPage(WindowPage::kLab);
  RunPlan plan = result->plan;
  plan.rounds = pairs;
  m_lab->fillIn(plan);
  labAction("labRun")->trigger();
}

// A session that has times and no traces opens where it was measured. A run that is on there, or one that nobody saved
// yet, is not pushed aside: then the session stands among the runs, with what became of it.
bool MainWindow::showInLab(const std::shared_ptr<const RunResult>& result, const QString& path) {
  if (m_runner.isRunning() || m_lab->unsaved() != nullptr) return false;
  m_lab->showEnded(result);
  showPage(WindowPage::kLab);
  m_status->say(tr("%1 holds times and no traces: it opens in the lab").arg(QFileInfo(path).fileName()));
  return true;
}

void MainWindow::openComparison() {
  const auto result = m_lab->result();
  if (result == nullptr) return;
  bool isOpen = false;
  for (int i = 0; i < m_session.runCount(); ++i) isOpen = isOpen || m_session.run(i)->measurement() == result;
  if (isOpen) {
    showPage(WindowPage::kTraces);
  } else {
    showMeasurement(result);
  }
}

// A comparison of measured calls begins with the one that all are aligned at, in full width.
void MainWindow::fitScope() {
  if (m_session.scope().kind == ScopeKind::kWhole) return;
  bool any = false;
  TimeRange range;
  for (const int position : m_session.readyRuns()) {
    const TimeRange own = m_session.boundedScope(position);
    const std::int64_t anchor = m_session.anchorNs(position);
    const TimeRange aligned{own.startNs - anchor, own.endNs - anchor};
    range = any ? TimeRange{std::min(range.startNs, aligned.startNs), std::max(range.endNs, aligned.endNs)} : aligned;
    any = true;
  }
  if (!any || range.durationNs() <= 0) return;
  const auto margin = static_cast<std::int64_t>(static_cast<double>(range.durationNs()) * kMarginShare);
  m_view.fit({range.startNs - margin, range.endNs + margin});
}

// --- saving

std::shared_ptr<const RunResult> MainWindow::measurementToSave() const {
  const auto last = m_runner.isRunning() ? nullptr : m_lab->result();
  const bool isWorthIt = last != nullptr && last->completeRounds > 0;
  if (page() == WindowPage::kTraces) {
    const int lead = std::max(0, m_session.selection().leadRun);
    for (int i = 0; i < m_session.runCount(); ++i) {
      const Run* run = m_session.run((lead + i) % m_session.runCount());
      if (run->measurement() != nullptr) return run->measurement();
    }
  }
  return isWorthIt ? last : nullptr;
}

void MainWindow::saveSession() { saveMeasurement(measurementToSave(), {}); }

void MainWindow::saveMeasurement(const std::shared_ptr<const RunResult>& result, std::function<void()> whenSaved) {
  if (result == nullptr || m_jobs.isRunning(kSaveKey)) return;
  const QString path = m_chooseSave(this, tr("Save the run as a session"), fileNameFor(*result));
  if (path.isEmpty()) return;
  m_jobs.start(
      kSaveKey, [result, file = path.toStdString()](std::stop_token) { return writeAttn(file, *result); },
      [this, result, path, whenSaved = std::move(whenSaved)](const Result<void>& written) {
        if (written) {
          m_session.setSaved(result, path);
          m_lab->setSaved(result);
          m_status->say(tr("Saved as %1").arg(path));
          if (whenSaved) whenSaved();
          return;
        }
        auto* box = new QMessageBox(QMessageBox::Warning, tr("The session was not saved"),
                                    whatHappened(written.error()), QMessageBox::Ok, this);
        box->setAttribute(Qt::WA_DeleteOnClose);
        box->setInformativeText(whatToDo(written.error()));
        box->open();
      });
}

// --- closing

bool MainWindow::mayClose() {
  if (m_isClosing) return true;
  if (m_runner.isRunning()) {
    askBeforeClosing(tr("A run is on"), tr("Closing the window stops it, and what it measured is lost."),
                     tr("Stop and close"), {});
    return false;
  }
  const auto unsaved = m_lab->unsaved();
  if (unsaved == nullptr) return true;
  askBeforeClosing(tr("The last run is not saved"),
                   tr("Measured in %1 rounds: %2.")
                       .arg(unsaved->completeRounds)
                       .arg(QString::fromStdString(describe(unsaved->plan.problem))),
                   tr("Close without saving"), unsaved);
  return false;
}

// `toSave`: what may be saved first; null: nothing.
void MainWindow::askBeforeClosing(const QString& title, const QString& words, const QString& close,
                                  const std::shared_ptr<const RunResult>& toSave) {
  if (findChild<QMessageBox*>(QStringLiteral("beforeClosing")) != nullptr) return;
  auto* box = new QMessageBox(QMessageBox::NoIcon, QStringLiteral("Attnscope"), title, QMessageBox::NoButton, this);
  box->setObjectName(QStringLiteral("beforeClosing"));
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setInformativeText(words);
  const auto closeNow = [this] {
    m_isClosing = true;
    this->close();
  };
  if (toSave != nullptr) {
    QPushButton* save = box->addButton(tr("Save as session…"), QMessageBox::AcceptRole);
    box->setDefaultButton(save);
    connect(save, &QPushButton::clicked, this, [this, toSave, closeNow] { saveMeasurement(toSave, closeNow); });
  }
  connect(box->addButton(close, QMessageBox::DestructiveRole), &QPushButton::clicked, this, closeNow);
  QPushButton* stay = box->addButton(tr("Keep the window open"), QMessageBox::RejectRole);
  box->setEscapeButton(stay);
  if (toSave == nullptr) box->setDefaultButton(stay);
  box->open();
}

// --- from a recorded call

SliceId MainWindow::selectedCall() const {
  const Selection& selection = m_session.selection();
  if (selection.isEmpty() || selection.leadRun >= m_session.runCount()) return kNoSlice;
  const Trace* trace = m_session.run(selection.leadRun)->trace();
  return trace == nullptr || selection.leadSlice == kNoSlice ? kNoSlice : attentionCallOf(*trace, selection.leadSlice);
}

void MainWindow::runShape(int run, SliceId slice) {
  if (run < 0 || run >= m_session.runCount() || slice == kNoSlice || !m_session.run(run)->facts()) return;
  const std::string name(m_session.run(run)->trace()->name(slice));
  const QString from = tr("%1 in %2").arg(QString::fromStdString(name), m_session.run(run)->title());
  m_jobs.start(
      kShapeKey,
      [facts = m_session.run(run)->facts(), slice](std::stop_token) { return problemOf(*facts->trace, slice); },
      [this, from](const std::optional<Problem>& problem) {
        if (!problem) {
          m_status->say(tr(
              "The inputs of this call are not in the trace, or the lab cannot run them: record with record_shapes"));
          return;
        }
        m_lab->setProblem(*problem, from);
        showPage(WindowPage::kLab);
      });
}

}  // namespace attnscope::ui
