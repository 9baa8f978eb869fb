// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lab/LabPage.h"

#include <algorithm>

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QResizeEvent>
#include <QSplitter>
#include <QVBoxLayout>

#include "core/problem/Cards.h"
#include "ui/bridge/Format.h"
#include "ui/bridge/LabRunner.h"
#include "ui/lab/CodeDialog.h"
#include "ui/lab/ImplementationList.h"
#include "ui/lab/ImplementationModel.h"
#include "ui/lab/LabFigures.h"
#include "ui/lab/ProblemForm.h"
#include "ui/lab/RunColumn.h"
#include "ui/theme/Surface.h"
#include "ui/theme/TextLabel.h"

namespace attnscope::ui {

namespace {

constexpr int kImplementationsWidth = 352;
constexpr int kProblemWidth = 326;
constexpr int kNarrowWidth = 300;
constexpr int kWideWindow = 1380;   // from here on the columns have their full width
constexpr int kThreeColumns = 960;  // under it the form stands below the picker
constexpr int kClockMs = 250;
constexpr int kRowsMs = 100;
// Left free of the machine's memory, so that the window and others live when a run asks for all of it.
constexpr double kBudgetShare = 0.9;
constexpr std::int64_t kLeastBudgetBytes = std::int64_t{1} << 30;

bool hasTraces(const RunResult& result) {
  return std::any_of(result.implementations.begin(), result.implementations.end(),
                     [](const ImplementationResult& implementation) { return !implementation.traceFile.empty(); });
}

// What of the person's code a run needs: a plan, and so a saved session, carries nothing that nobody runs.
UserCode codeFor(const Choice& choice, UserCode code) {
  if (!choice.contains(QStringLiteral("byo.script"))) {
    code.script.clear();
    code.scriptFile.clear();
  }
  if (!choice.contains(QStringLiteral("byo.package"))) code.packageFile.clear();
  code.allowed = code.allowed && (!code.script.empty() || !code.scriptFile.empty() || !code.packageFile.empty());
  return code;
}

}  // namespace

LabPage::LabPage(LabRunner& runner, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      m_runner(runner),
      m_theme(theme),
      m_model(new ImplementationModel(runner, this)),
      m_form(new ProblemForm(theme)),
      m_column(new RunColumn(theme)),
      m_splitter(new QSplitter(Qt::Horizontal, this)),
      m_left(new QSplitter(Qt::Horizontal)),
      m_packsBFloat16(conditionsHere(1).packsBFloat16) {
  setAccessibleName(tr("Lab"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(m_splitter);
  for (QSplitter* splitter : {m_splitter, m_left}) {
    splitter->setHandleWidth(m_theme.size(QStringLiteral("splitter")));
    splitter->setChildrenCollapsible(false);
    connect(splitter, &QSplitter::splitterMoved, this, [this] { m_userSized = true; });
  }
  m_left->addWidget(makeImplementations());
  m_left->addWidget(m_form);
  m_splitter->addWidget(m_left);
  m_splitter->addWidget(m_column);
  m_splitter->setStretchFactor(1, 1);
  makeActions();
  setFocusOrder();

  connect(m_model, &ImplementationModel::choiceChanged, this, &LabPage::onChoice);
  connect(m_form, &ProblemForm::settled, this, &LabPage::onSettled);
  connect(m_form, &ProblemForm::edited, this, &LabPage::refreshFoot);
  connect(&m_runner, &LabRunner::describedChanged, this, &LabPage::onDescribed);
  connect(&m_runner, &LabRunner::choiceChanged, this, [this] {
    m_choicePending = false;
    m_model->refreshRunner();
  });
  connect(&m_runner, &LabRunner::runningChanged, this, &LabPage::onRunning);
  connect(&m_runner, &LabRunner::stateChanged, this, &LabPage::onState);
  connect(&m_runner, &LabRunner::sampled, this, &LabPage::onSampled);
  connect(&m_runner, &LabRunner::finished, this, &LabPage::onFinished);
  connect(m_column->runButton(), &QPushButton::clicked, m_runAction, &QAction::trigger);
  connect(m_column->stopButton(), &QPushButton::clicked, m_stopAction, &QAction::trigger);
  connect(m_column->saveButton(), &QPushButton::clicked, m_saveAction, &QAction::trigger);
  connect(m_column->openButton(), &QPushButton::clicked, m_openAction, &QAction::trigger);
  m_clock.setInterval(kClockMs);
  connect(&m_clock, &QTimer::timeout, this, &LabPage::refreshClock);
  m_rows.setSingleShot(true);
  m_rows.setInterval(kRowsMs);
  connect(&m_rows, &QTimer::timeout, this, &LabPage::refreshRun);
  connect(&m_theme, &Theme::changed, this, &LabPage::layOut);

  choose({QStringLiteral("naive.plain"), QStringLiteral("sdpa.flash")});
  if (m_runner.isDescribed()) onDescribed();
  onSettled();
}

QWidget* LabPage::makeImplementations() {
  auto* side = new Surface(m_theme, QStringLiteral("surface.pane"));
  auto* column = new QVBoxLayout(side);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* head = new Surface(m_theme, QStringLiteral("surface.panel"), Qt::BottomEdge);
  auto* title = new TextLabel(m_theme, tr("Implementations"), {FontRole::kTitle, QFont::DemiBold});
  title->setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Fixed);
  m_chosen = new TextLabel(m_theme, {}, {FontRole::kData, QFont::Normal, "text.tertiary"});
  auto* headRow = new QHBoxLayout(head);
  headRow->setContentsMargins(12, 0, 12, 1);
  headRow->addWidget(title);
  headRow->addStretch(1);
  headRow->addWidget(m_chosen);
  auto* bar = new Surface(m_theme, QStringLiteral("surface.panel"), Qt::BottomEdge);
  auto* barRow = new QHBoxLayout(bar);
  barRow->setContentsMargins(12, 0, 12, 1);
  barRow->setSpacing(m_theme.scaled(8));
  m_filter = new QLineEdit;
  m_filter->setProperty("control", QStringLiteral("small"));
  m_filter->setPlaceholderText(tr("Filter by name or family"));
  m_filter->setAccessibleName(tr("Filter implementations"));
  m_filter->setClearButtonEnabled(true);
  QAction* glass = m_filter->addAction(m_theme.icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
  m_which = new QComboBox;
  m_which->setProperty("control", QStringLiteral("small"));
  m_which->addItems({tr("All"), tr("Can run here")});
  m_which->setAccessibleName(tr("Which implementations are listed"));
  barRow->addWidget(m_filter, 1);
  barRow->addWidget(m_which);
  m_list = new ImplementationList(*m_model, m_theme);
  column->addWidget(head);
  column->addWidget(bar);
  column->addWidget(m_list, 1);
  auto* foot = new Surface(m_theme, QStringLiteral("surface.panel"), Qt::TopEdge);
  auto* footRow = new QHBoxLayout(foot);
  footRow->setContentsMargins(12, 1, 12, 0);
  auto* code = new QPushButton(tr("Your code…"));
  code->setProperty("control", QStringLiteral("small"));
  code->setToolTip(tr("Your own attention, in TorchScript or compiled by AOTInductor, beside the others"));
  footRow->addWidget(code);
  footRow->addStretch(1);
  column->addWidget(foot);
  connect(code, &QPushButton::clicked, this, [this] { m_codeAction->trigger(); });
  connect(m_filter, &QLineEdit::textChanged, m_list, &ImplementationList::setFilter);
  connect(m_which, &QComboBox::activated, m_list, [this](int which) { m_list->setOnlyRunnable(which == 1); });
  const auto scale = [this, head, bar, foot, glass] {
    head->setFixedHeight(m_theme.scaled(44));
    bar->setFixedHeight(m_theme.scaled(41));
    foot->setFixedHeight(m_theme.scaled(41));
    glass->setIcon(m_theme.icon(QStringLiteral("search")));
  };
  connect(&m_theme, &Theme::changed, side, scale);
  scale();
  return side;
}

void LabPage::makeActions() {
  const auto make = [this](const char* name, const QString& words, const QKeySequence& keys) {
    auto* action = new QAction(words, this);
    action->setObjectName(QString::fromLatin1(name));
    action->setShortcut(keys);
    addAction(action);
    return action;
  };
  m_runAction = make("labRun", tr("Run"), QKeySequence(Qt::CTRL | Qt::Key_R));
  m_stopAction = make("labStop", tr("Stop"), QKeySequence(Qt::CTRL | Qt::Key_Period));
  m_baselineAction = make("labBaseline", tr("Make baseline"), {});
  m_codeAction = make("labCode", tr("Your code…"), {});
  m_copyAction = make("labCopy", tr("Copy the command line"), {});
  m_saveAction = make("labSave", tr("Save as session…"), {});
  m_openAction = make("labOpen", tr("Open the comparison"), {});
  connect(m_runAction, &QAction::triggered, this, &LabPage::run);
  connect(m_stopAction, &QAction::triggered, &m_runner, &LabRunner::cancel);
  connect(m_baselineAction, &QAction::triggered, this, [this] { m_model->makeBaseline(m_list->currentIndex()); });
  connect(m_codeAction, &QAction::triggered, this, &LabPage::askForCode);
  connect(m_copyAction, &QAction::triggered, this, [this] { m_column->copyCommand(); });
  connect(m_saveAction, &QAction::triggered, this, &LabPage::saveRequested);
  connect(m_openAction, &QAction::triggered, this, &LabPage::openComparisonRequested);
}

void LabPage::setFocusOrder() {
  // Widgets are made in no order of the screen; within a column, children come as they were laid out.
  QWidget* last = nullptr;
  for (const QWidget* area : {m_left->widget(0), static_cast<QWidget*>(m_form), static_cast<QWidget*>(m_column)}) {
    for (QWidget* widget : area->findChildren<QWidget*>()) {
      if ((widget->focusPolicy() & Qt::TabFocus) == 0 || widget->window() != window()) continue;  // not popups
      if (last != nullptr) setTabOrder(last, widget);
      last = widget;
    }
  }
}

QList<QAction*> LabPage::labActions() const {
  return {m_runAction, m_stopAction, m_baselineAction, m_codeAction, m_copyAction, m_saveAction, m_openAction};
}

// --- Layout --------------------------------------------------------------------------------------------------------

void LabPage::layOut() {
  if (width() == 0) return;
  // At twice the text size a window behaves as one of half the width.
  const bool isStacked = width() < m_theme.scaled(kThreeColumns);
  const Qt::Orientation orientation = isStacked ? Qt::Vertical : Qt::Horizontal;
  if (m_left->orientation() != orientation) {
    m_left->setOrientation(orientation);
    m_userSized = false;  // what was dragged was another line
  }
  if (m_userSized) return;
  const bool isNarrow = width() < m_theme.scaled(kWideWindow);
  const int first = m_theme.scaled(isNarrow ? kNarrowWidth : kImplementationsWidth);
  const int second = m_theme.scaled(isNarrow ? kNarrowWidth : kProblemWidth);
  const int line = m_left->handleWidth();
  const int left = isStacked ? std::min(first, width() / 2) : first + line + second;
  m_splitter->setSizes({left, width() - left - line});
  m_left->setSizes(isStacked ? QList<int>{height() / 2, height() - height() / 2} : QList<int>{first, second});
}

void LabPage::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  layOut();
}

void LabPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  layOut();
  // Asked at the first showing: a start of the runner costs a second that others need not wait for.
  if (m_described || m_runner.isDescribed()) return;
  m_described = true;
  m_runner.describe();
}

// --- Before a run ----------------------------------------------------------------------------------------------------

void LabPage::setProblem(const Problem& problem, const QString& from) { m_form->setProblem(problem, from); }

void LabPage::choose(const QStringList& ids) { m_model->setChoice(Choice(ids)); }

void LabPage::fillIn(const RunPlan& plan) {
  QStringList ids;
  for (const std::string& id : plan.implementations) ids << QString::fromStdString(id);
  // What was typed here stays where the plan brings no code of its own.
  UserCode code = plan.code;
  const bool bringsCode = !code.script.empty() || !code.scriptFile.empty() || !code.packageFile.empty();
  if (bringsCode && code != m_model->code()) {
    code.allowed = false;
    m_model->setCode(code);
  }
  setProblem(plan.problem);
  choose(ids);
  m_form->setSettings({.threads = plan.threads, .rounds = plan.rounds, .cache = plan.cache});
}

void LabPage::askForCode() {
  auto* dialog = new CodeDialog(m_theme, m_model->code(), this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, dialog] {
    m_model->setCode(dialog->code());
    Choice choice = m_model->choice();
    if (!choice.contains(dialog->implementation())) choice.toggle(dialog->implementation());
    m_model->setChoice(choice);
    refreshFoot();
  });
  dialog->open();
}

void LabPage::showEnded(const std::shared_ptr<const RunResult>& result) {
  if (result == nullptr || m_runner.isRunning()) return;
  fillIn(result->plan);
  m_startError.clear();
  m_phase.reset();
  m_phaseSeconds.fill(-1);  // no file says how long its phases took
  m_hasState = true;
  m_runner.show(result);
  m_isSaved = true;
  refreshFoot();
}

RunPlan LabPage::plan() const {
  RunPlan plan;
  plan.problem = m_form->problem();
  for (const QString& id : m_model->choice().ids()) plan.implementations.push_back(id.toStdString());
  plan.code = codeFor(m_model->choice(), m_model->code());
  const RunSettings settings = m_form->settings();
  plan.threads = settings.threads;
  plan.rounds = settings.rounds;
  plan.cache = settings.cache;
  // That it may not fit is said under the form, above the button that is pressed all the same.
  if (m_warnedOfMemory) plan.memoryCheck = MemoryCheck::kGoOn;
  const auto budget = static_cast<std::int64_t>(static_cast<double>(availableMemoryBytes()) * kBudgetShare);
  if (budget >= kLeastBudgetBytes) plan.memoryBudgetBytes = static_cast<std::uint64_t>(budget);
  return plan;
}

bool LabPage::isSettled() const {
  return !m_form->isPending() && m_runner.isDescribed() && !m_choicePending && !m_runner.isRunning();
}

std::shared_ptr<const RunResult> LabPage::result() const { return m_runner.result(); }

std::shared_ptr<const RunResult> LabPage::unsaved() const {
  const auto last = m_runner.isRunning() ? nullptr : m_runner.result();
  return last != nullptr && last->completeRounds > 0 && !m_isSaved ? last : nullptr;
}

void LabPage::setSaved(const std::shared_ptr<const RunResult>& result) {
  if (result == nullptr || result != m_runner.result()) return;
  m_isSaved = true;
  refreshFoot();
}

void LabPage::onSettled() {
  if (m_form->isValid()) {
    m_model->setProblem(m_form->problem());
    if (m_runner.description().found) {
      m_choicePending = true;
      m_runner.askChoice(m_form->problem());
    }
  }
  refreshEstimate();
  refreshChosen();
  refreshFoot();
}

void LabPage::onChoice() {
  refreshEstimate();
  refreshChosen();
  refreshFoot();
}

void LabPage::onDescribed() {
  const RunnerDescription& runner = m_runner.description();
  m_form->setMachine(runner.cpuCapability, runner.threads, tr("this version runs on the CPU only"));
  m_form->validateNow();  // settled() follows: the choice is asked for
  m_model->refreshRunner();
  refreshFoot();
}

void LabPage::refreshEstimate() {
  // What is being typed may be no valid problem, and the formulas need one.
  if (m_form->isPending()) return;
  if (!m_form->isValid()) {
    m_warnedOfMemory = false;
    m_form->setEstimate(tr("The peak is shown once the problem is right."), {});
    return;
  }
  const Estimate estimate = estimateOf(m_model->choice().ids(), m_form->problem(), m_form->settings().threads,
                                       m_packsBFloat16, availableMemoryBytes());
  m_warnedOfMemory = !estimate.warning.isEmpty();
  m_form->setEstimate(estimate.words, estimate.warning);
}

void LabPage::refreshChosen() {
  int all = 0;
  for (int row = 0; row < m_model->rowCount(); ++row) {
    if (!m_model->index(row).data(ImplementationModel::kIsGroup).toBool()) ++all;
  }
  m_chosen->setText(tr("%1 of %2 chosen").arg(m_model->choice().ids().size()).arg(all));
}

QString LabPage::blockedBy() const {
  if (!m_runner.isDescribed()) return tr("Asking the runner what can run here");
  if (!m_runner.description().found) return m_runner.description().reason;
  if (!m_form->isValid()) return m_form->blockedBy();
  const QStringList& ids = m_model->choice().ids();
  if (ids.isEmpty()) return tr("Choose an implementation to run");
  if (const QString reason = m_model->refusalOf(ids.first()); !reason.isEmpty()) {
    return tr("A, %1, cannot run this. Leave it out, or make another the baseline.")
        .arg(ImplementationModel::titleOf(ids.first()));
  }
  return {};
}

void LabPage::refreshFoot() {
  const bool running = m_runner.isRunning();
  const QString blocked = running ? QString() : blockedBy();
  const auto result = m_runner.result();
  const bool hasResult = !running && result != nullptr && result->completeRounds > 0;
  QString words = tr("The comparison opens when the last run ends.");
  if (!blocked.isEmpty()) {
    words = blocked;
  } else if (hasResult) {
    words = m_isSaved ? tr("Run again, or change the problem.")
                      : tr("Not saved yet: the next run takes the place of this one.");
  } else if (!running && m_model->choice().ids().size() == 1) {
    words = tr("One implementation is chosen: nothing is compared.");
  }
  const bool waits = !running && !m_runner.isDescribed();
  const bool canRun = !running && blocked.isEmpty() && !m_form->isPending();
  if (!m_column->showsRun()) showReady();
  m_column->setFoot(words, !blocked.isEmpty() && !waits, canRun);
  m_runAction->setEnabled(canRun);
  m_stopAction->setEnabled(running && !m_runner.isCancelling());
  m_saveAction->setEnabled(hasResult);
  m_openAction->setEnabled(hasResult && hasTraces(*result));
  m_column->setFinished(hasResult, hasResult && hasTraces(*result));
  const bool canSay = m_form->isValid() && !m_model->choice().ids().isEmpty();
  m_column->setCommand(running ? commandLineOf(m_live.plan) : canSay ? commandLineOf(plan()) : QString());
  m_copyAction->setEnabled(canSay || running);
}

void LabPage::showReady() {
  if (!m_startError.isEmpty()) {
    m_column->showNotice(QStringLiteral("problem"), QStringLiteral("severity.problem"), tr("The run did not start"),
                         m_startError, m_runner.log());
    return;
  }
  if (m_runner.isDescribed() && !m_runner.description().found) {
    QString reason = m_runner.description().reason;
    if (!reason.endsWith(u'.')) reason += u'.';
    m_column->showNotice(QStringLiteral("problem"), QStringLiteral("severity.problem"), tr("Nothing can run here"),
                         tr("%1 Refusals and the predicted peak are shown all the same.").arg(reason));
    return;
  }
  if (const QString blocked = blockedBy(); !blocked.isEmpty()) {
    m_column->showNotice(QStringLiteral("lab"), QStringLiteral("text.secondary"), tr("Not ready to run"),
                         blocked.endsWith(u'.') ? blocked : blocked + u'.');
    return;
  }
  m_column->showNotice(
      QStringLiteral("lab"), QStringLiteral("text.secondary"), tr("Ready to run"),
      tr("Each chosen implementation is checked against a float64 reference, then all are timed in turns, round by "
         "round, in a process of its own. Then each is profiled once, and their traces open as a comparison."));
}

// --- A run -----------------------------------------------------------------------------------------------------------

void LabPage::run() {
  if (m_form->isPending()) m_form->validateNow();
  if (m_runner.isRunning() || !blockedBy().isEmpty()) return;
  m_hasState = false;
  m_startError.clear();
  m_phase.reset();
  m_phaseSeconds = {};
  m_timingStart = 0;
  const RunPlan plan = this->plan();
  m_live = startedResult(plan);
  if (!m_runner.start(plan)) {
    m_startError = m_runner.lastError();
    showReady();  // also in place of an earlier run
    refreshFoot();
  }
}

void LabPage::onRunning() {
  if (m_runner.isRunning()) {
    m_clock.start();
    refreshRun();
  } else {
    m_clock.stop();
  }
  refreshFoot();
}

void LabPage::onState() {
  m_hasState = true;
  m_live = m_runner.state().result();
  const double now = m_runner.elapsedSeconds();
  const std::optional<RunPhase> phase = phaseOf(m_runner.state().stage());
  if (phase != m_phase) {
    if (m_phase) m_phaseSeconds[static_cast<std::size_t>(*m_phase)] = now - m_phaseStart;
    m_phase = phase;
    m_phaseStart = now;
    if (phase == RunPhase::kTime) m_timingStart = now;
  }
  refreshRun();
}

void LabPage::onSampled(const SampleMessage& sample) {
  if (!m_hasState) return;
  for (std::size_t i = 0; i < m_live.implementations.size(); ++i) {
    if (m_live.implementations[i].id != sample.implementation) continue;
    m_live.implementations[i].samples.push_back(sample.sample);
    m_column->append(i, sample.sample.round, sample.sample.perCallNs(m_live.plan.metric()));
  }
  if (!m_rows.isActive()) m_rows.start();
}

void LabPage::onFinished() {
  const std::shared_ptr<const RunResult> result = m_runner.result();
  if (result == nullptr) return;
  m_live = *result;
  m_isSaved = false;
  m_rows.stop();
  if (m_hasState) {
    refreshRun();
  } else {
    // It ended before it said anything at all.
    m_startError = QString::fromStdString(result->endingReason);
    showReady();
  }
  if (const auto floor = noiseFloorRatio(*result)) {
    m_form->setSeen(tr("Noise floor last time: %1").arg(format::percent(*floor)));
  }
  refreshFoot();
  if (hasTraces(*result)) Q_EMIT resultReady(result);
}

double LabPage::leftSeconds() const {
  if (m_phase != RunPhase::kTime) return -1;
  const double share = timedShare(m_runner.state());
  if (share < 0.05) return -1;  // too early for a figure
  return (m_runner.elapsedSeconds() - m_timingStart) * (1 - share) / share;
}

ShownRun LabPage::shownRun() const {
  static const RunState kStarting;
  ShownRun shown{m_hasState ? m_runner.state() : kStarting, m_live, {}, 0, -1, false, false, {}};
  shown.elapsedSeconds = m_runner.elapsedSeconds();
  shown.phaseSeconds = m_phaseSeconds;
  if (m_phase) shown.phaseSeconds[static_cast<std::size_t>(*m_phase)] = shown.elapsedSeconds - m_phaseStart;
  shown.leftSeconds = leftSeconds();
  shown.isRunning = m_runner.isRunning();
  shown.isCancelling = m_runner.isCancelling();
  shown.log = m_runner.log();
  return shown;
}

void LabPage::refreshRun() { m_column->showRun(shownRun()); }

void LabPage::refreshClock() { m_column->showTimes(shownRun()); }

}  // namespace attnscope::ui
