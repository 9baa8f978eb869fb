// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lab/RunColumn.h"

#include <algorithm>

#include <QClipboard>
#include <QCoreApplication>
#include <QDateTime>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/bridge/Format.h"
#include "ui/lab/DotPlot.h"
#include "ui/lab/ImplementationModel.h"
#include "ui/lab/LabFigures.h"
#include "ui/lab/LabNotice.h"
#include "ui/lab/ResultsMatrix.h"
#include "ui/lab/RunHead.h"
#include "ui/theme/Surface.h"
#include "ui/theme/TextLabel.h"

namespace attnscope::ui {

namespace {

bool anySample(const RunResult& result) {
  return std::any_of(result.implementations.begin(), result.implementations.end(),
                     [](const ImplementationResult& implementation) { return !implementation.samples.empty(); });
}

std::vector<ImplementationStage> stagesOf(const RunState& state) {
  std::vector<ImplementationStage> stages;
  for (std::size_t i = 0; i < state.implementationCount(); ++i) stages.push_back(state.implementation(i).stage);
  return stages;
}

QStringList emptyWords(const std::vector<MatrixRow>& rows) {
  QStringList words;
  for (const MatrixRow& row : rows) words << row.state;
  return words;
}

// "measured 2026-01-31 13:00", in local time; empty: the file does not say.
QString measuredAt(const RunEnvironment& environment) {
  const QDateTime at = QDateTime::fromString(QString::fromStdString(environment.startedAt), Qt::ISODate);
  if (!at.isValid()) return {};
  const QString local = at.toLocalTime().toString(QStringLiteral("yyyy-MM-dd HH:mm"));
  return QCoreApplication::translate("attnscope::ui::RunColumn", "measured %1").arg(local);
}

}  // namespace

RunColumn::RunColumn(const Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_stack(new QStackedWidget(this)), m_notice(new LabNotice(theme)) {
  setAccessibleName(tr("Run"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  m_stack->addWidget(m_notice);
  m_stack->addWidget(makeRunArea());
  column->addWidget(m_stack, 1);
  column->addWidget(makeCommand());
  column->addWidget(makeFoot());
  connect(&m_theme, &Theme::changed, this, &RunColumn::applyTheme);
  applyTheme();
}

QWidget* RunColumn::makeBand(TextLabel* title, TextLabel* note, QWidget* button) {
  auto* band = new Surface(m_theme, QStringLiteral("surface.pane"));
  auto* row = new QHBoxLayout(band);
  row->setContentsMargins(16, 4, 16, 4);
  row->setSpacing(m_theme.scaled(8));
  title->setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Fixed);
  row->addWidget(title);
  row->addStretch(1);
  row->addWidget(note);
  if (button != nullptr) row->addWidget(button);
  const auto scale = [this, band] { band->setFixedHeight(m_theme.scaled(36)); };
  connect(&m_theme, &Theme::changed, band, scale);
  scale();
  return band;
}

QWidget* RunColumn::makeRunArea() {
  const TextLook heading{FontRole::kUi, QFont::DemiBold, "text.primary"};
  const TextLook quiet{FontRole::kData, QFont::Normal, "text.tertiary"};
  auto* area = new Surface(m_theme, QStringLiteral("surface.pane"));
  auto* column = new QVBoxLayout(area);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  m_head = new RunHead(m_theme);
  column->addWidget(m_head);
  m_resultsNote = new TextLabel(m_theme, {}, quiet);
  m_copyResults = new QToolButton;
  m_copyResults->setToolTip(tr("Copy the results"));
  m_copyResults->setAccessibleName(tr("Copy the results"));
  column->addWidget(makeBand(new TextLabel(m_theme, tr("Results"), heading), m_resultsNote, m_copyResults));
  m_matrix = new ResultsMatrix(m_theme);
  column->addWidget(m_matrix);
  auto* line = new Surface(m_theme, QStringLiteral("border.strong"));
  line->setFixedHeight(1);
  column->addWidget(line);
  m_plotTitle = new TextLabel(m_theme, tr("Timed rounds so far"), heading);
  m_plotNote = new TextLabel(m_theme, {}, quiet);
  m_plotBand = makeBand(m_plotTitle, m_plotNote, nullptr);
  column->addWidget(m_plotBand);
  m_plot = new DotPlot(m_theme);
  column->addWidget(m_plot, 1);
  m_failure = new LabNotice(m_theme);
  column->addWidget(m_failure, 1);
  m_failure->hide();
  connect(m_copyResults, &QToolButton::clicked, m_matrix, &ResultsMatrix::copy);
  connect(m_plot, &DotPlot::unitChanged, this, &RunColumn::showPlotUnit);
  auto* scroll = new QScrollArea;
  scroll->setWidget(area);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setFocusPolicy(Qt::NoFocus);
  return scroll;
}

QWidget* RunColumn::makeCommand() {
  auto* bar = new Surface(m_theme, QStringLiteral("surface.panel"), Qt::TopEdge);
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(16, 1, 16, 0);
  m_command = new TextLabel(m_theme, {}, {FontRole::kData, QFont::Normal, "text.secondary", true});
  m_command->setIcon(QStringLiteral("report"), QStringLiteral("text.secondary"));
  m_command->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  m_copyCommand = new QToolButton;
  m_copyCommand->setToolTip(tr("Copy the command line"));
  m_copyCommand->setAccessibleName(tr("Copy the command line"));
  connect(m_copyCommand, &QToolButton::clicked, this, &RunColumn::copyCommand);
  row->addWidget(m_command, 1);
  row->addWidget(m_copyCommand);
  m_commandBar = bar;
  return bar;
}

QWidget* RunColumn::makeFoot() {
  auto* foot = new Surface(m_theme, QStringLiteral("surface.window"), Qt::TopEdge);
  auto* row = new QHBoxLayout(foot);
  row->setContentsMargins(16, 11, 16, 10);
  row->setSpacing(m_theme.scaled(8));
  m_words = new TextLabel(m_theme, {}, {FontRole::kData, QFont::Normal, "text.secondary"});
  m_words->setWrapped(true);
  m_save = new QPushButton(tr("Save as session…"));
  m_open = new QPushButton(tr("Open the comparison"));
  m_run = new QPushButton(tr("Run"));
  m_run->setProperty("kind", QStringLiteral("primary"));
  m_run->setToolTip(tr("Run (Ctrl+R)"));
  row->addWidget(m_words, 1, Qt::AlignVCenter);
  row->addWidget(m_save);
  row->addWidget(m_open);
  row->addWidget(m_run);
  return foot;
}

void RunColumn::applyTheme() {
  const int side = m_theme.scaled(14);
  const auto pixmap = [&](const char* icon, const char* ink) {
    return m_theme.iconPixmap(QString::fromLatin1(icon), side, m_theme.colour(QString::fromLatin1(ink)),
                              devicePixelRatioF());
  };
  for (QToolButton* button : {m_copyResults, m_copyCommand}) {
    button->setIcon(pixmap("copy", "text.secondary"));
    button->setIconSize(QSize(side, side));
    button->setFixedSize(m_theme.scaled(28), m_theme.scaled(28));
  }
  QIcon run(pixmap("run", "state.primary_text"));
  run.addPixmap(pixmap("run", "text.disabled"), QIcon::Disabled);
  m_run->setIcon(run);
  m_run->setIconSize(QSize(side, side));
  m_commandBar->setFixedHeight(m_theme.scaled(42));
}

bool RunColumn::showsRun() const { return m_stack->currentIndex() == 1; }
QPushButton* RunColumn::stopButton() const { return m_head->stopButton(); }
QString RunColumn::footWords() const { return m_words->text(); }
QString RunColumn::command() const { return m_command->text(); }

void RunColumn::copyCommand() const { QGuiApplication::clipboard()->setText(m_command->text()); }

void RunColumn::showPlotUnit() {
  m_plotNote->setText(tr("each dot one sample, %1 a call").arg(format::unitName(m_plot->unit())));
}

void RunColumn::showNotice(const QString& icon, const QString& colour, const QString& title, const QString& body,
                           const QStringList& log) {
  m_notice->setWords(icon, colour, title, body);
  m_notice->setLog(log);
  m_stack->setCurrentIndex(0);
}

void RunColumn::showTimes(const ShownRun& run) {
  const bool isNarrow = width() < m_theme.scaled(520);
  if (!run.isRunning && run.elapsedSeconds < 0) {
    m_head->setTimes(measuredAt(run.result.environment));
  } else if (!run.isRunning) {
    m_head->setTimes(tr("in %1").arg(clockText(run.elapsedSeconds)));
  } else if (run.leftSeconds >= 0 && isNarrow) {
    m_head->setTimes(tr("about %1 left").arg(clockText(run.leftSeconds)));
  } else if (run.leftSeconds >= 0) {
    m_head->setTimes(tr("%1 so far, about %2 left").arg(clockText(run.elapsedSeconds), clockText(run.leftSeconds)));
  } else {
    m_head->setTimes(tr("%1 so far").arg(clockText(run.elapsedSeconds)));
  }
  m_head->setPhases(phasesOf(run.state, run.phaseSeconds));
}

void RunColumn::append(std::size_t row, int round, double ns) { m_plot->append(row, round, ns); }

void RunColumn::showRun(const ShownRun& run) {
  m_stack->setCurrentIndex(1);
  const RunHeadline headline = headlineOf(run.state);
  int position = -1;
  QString of;
  if (headline.position && run.isRunning) {
    position = static_cast<int>(*headline.position);
    of = ImplementationModel::titleOf(QString::fromStdString(run.result.implementations[*headline.position].id));
  }
  m_head->setHeadline(run.isCancelling ? tr("Stopping") : headline.title, position, of);
  m_head->stopButton()->setVisible(run.isRunning);
  m_head->stopButton()->setEnabled(run.isRunning && !run.isCancelling);
  showTimes(run);

  if (run.isRunning) {
    const qint64 process = run.state.runnerProcessId();
    QString note = process == 0
                       ? tr("It runs in its own process. Stop ends it at once and keeps what is finished.")
                       : tr("Runs in its own process (attnscope-runner %1). Stop ends it at once and keeps what "
                            "is finished.")
                             .arg(process);
    if (run.state.restarts() > 0) note += u' ' + tr("The runner was started again without what failed.");
    m_head->setNote(note);
  } else if (run.result.ending == RunEnding::kFailed) {
    m_head->setNote(spokenRemark(run.result.endingReason), QStringLiteral("problem"),
                    QStringLiteral("severity.problem"));
  } else if (run.result.ending == RunEnding::kCancelled) {
    m_head->setNote(tr("What is finished is kept: complete rounds, checks and peaks."));
  } else if (!run.result.warnings.empty()) {
    QStringList warnings;
    for (const std::string& warning : run.result.warnings) warnings << spokenRemark(warning);
    m_head->setNote(warnings.join(u' '), QStringLiteral("warning"), QStringLiteral("severity.warning"));
  } else {
    m_head->setNote(QString::fromStdString(describe(run.result.plan.problem)));
  }

  Matrix matrix = matrixOf(run.result, stagesOf(run.state), run.isRunning ? run.state.current() : std::nullopt);
  m_resultsNote->setText(matrix.note);
  const bool anySentence =
      std::any_of(matrix.rows.begin(), matrix.rows.end(), [](const MatrixRow& row) { return !row.sentence.isEmpty(); });
  const bool failed = !run.isRunning && run.result.ending == RunEnding::kFailed && !anySample(run.result);
  m_plot->setRows(dotRowsOf(run.result, emptyWords(matrix.rows)));
  m_matrix->setMatrix(std::move(matrix));
  m_plotTitle->setText(run.isRunning ? tr("Timed rounds so far") : tr("Timed rounds"));
  showPlotUnit();
  m_plotBand->setVisible(!failed);
  m_plot->setVisible(!failed);
  m_failure->setVisible(failed);
  if (failed) {
    m_failure->setWords(
        QStringLiteral("problem"), QStringLiteral("severity.problem"), tr("No implementation was timed"),
        anySentence ? tr("The rows above say what happened to each. Change the problem or what is chosen, and "
                         "run again.")
                    : tr("The runner ended before any call was timed. Its log may say more."));
    m_failure->setLog(run.log);
  }
}

void RunColumn::setCommand(const QString& command) {
  m_command->setText(command);
  m_command->setToolTip(command);
  m_command->setAccessibleName(tr("The same run as a command line: %1").arg(command));
  m_commandBar->setVisible(!command.isEmpty());
}

void RunColumn::setFoot(const QString& words, bool isBlocking, bool canRun) {
  m_words->setIcon(isBlocking ? QStringLiteral("warning") : QString(), QStringLiteral("severity.warning"));
  m_words->setText(words);
  if (canRun == m_run->isEnabled()) return;
  m_run->setEnabled(canRun);
}

void RunColumn::setFinished(bool hasResult, bool hasTraces) {
  m_save->setEnabled(hasResult);
  m_open->setVisible(hasTraces);
}

}  // namespace attnscope::ui
