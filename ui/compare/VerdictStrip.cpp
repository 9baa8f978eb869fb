// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/VerdictStrip.h"

#include <algorithm>
#include <cmath>

#include <QLocale>
#include <QMenu>
#include <QPainter>
#include <QPushButton>

#include "core/trace/TraceHealth.h"
#include "ui/bridge/Format.h"
#include "ui/bridge/Session.h"
#include "ui/compare/BadgeButton.h"
#include "ui/compare/ReasonsPopup.h"
#include "ui/compare/TimedVerdict.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {
namespace {

constexpr int kInset = 16;

VerdictScope scopeOf(const Session& session) {
  switch (session.scope().kind) {
    case ScopeKind::kStep:
      return VerdictScope::kStep;
    case ScopeKind::kRange:
      return VerdictScope::kRange;
    case ScopeKind::kWhole:
      break;
  }
  return VerdictScope::kTrace;
}

// The accelerator's peak where it has one, else the host's.
std::optional<std::int64_t> peakOf(const std::vector<MemorySeries>& all) {
  const MemorySeries* best = nullptr;
  for (const MemorySeries& series : all) {
    if (series.atNs.empty() || !series.hasTotals) continue;
    const bool better = best == nullptr || (best->device == "cpu" && series.device != "cpu") ||
                        (best->device != "cpu" && series.device != "cpu" && series.peakBytes > best->peakBytes);
    if (better) best = &series;
  }
  if (best == nullptr) return std::nullopt;
  return best->peakBytes;
}

}  // namespace

VerdictStrip::VerdictStrip(Session& session, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_session(session), m_theme(theme) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  m_badge = new BadgeButton(theme, this);
  m_swap = new QPushButton(this);
  connect(m_badge, &QAbstractButton::clicked, this, &VerdictStrip::openReasons);
  connect(m_swap, &QPushButton::clicked, this, &VerdictStrip::chooseBaseline);
  m_more = new QPushButton(this);
  m_more->setObjectName(QStringLiteral("morePairs"));
  connect(m_more, &QPushButton::clicked, this, &VerdictStrip::askForMorePairs);
  for (const auto signal : {&Session::runsChanged, &Session::scopeChanged, &Session::comparisonChanged}) {
    connect(&session, signal, this, &VerdictStrip::refresh);
  }
  connect(&session, &Session::runChanged, this, &VerdictStrip::refresh);
  connect(&session, &Session::busyChanged, this, &VerdictStrip::settledChanged);
  connect(&m_jobs, &Jobs::changed, this, &VerdictStrip::settledChanged);
  connect(&theme, &Theme::changed, this, &VerdictStrip::applyTheme);
  refresh();
  applyTheme();
}

bool VerdictStrip::isSettled() const { return !m_session.isBusy() && !m_jobs.isBusy(); }

bool VerdictStrip::isOneLine() const { return m_compact || m_isSummary; }

void VerdictStrip::setCompact(bool compact) {
  m_compact = compact;
  layOut();
}

VerdictRun VerdictStrip::runInScope(const Run& run, bool byDevice) const {
  VerdictRun made;
  made.runNumber = run.number();
  made.letter = run.letter();
  const RunTables& tables = *run.tables();
  made.durationNs = tables.durationNs;
  if (byDevice) {
    made.workNs = tables.kernels.totalNs;
    for (const KernelRow& row : tables.kernels.rows) made.workCount += row.calls;
  } else {
    made.workNs = tables.operators.totals.cpuSelfNs;
    for (const OperatorRow& row : tables.operators.rows) made.workCount += row.calls;
  }
  return made;
}

void VerdictStrip::refresh() {
  const std::vector<int> ready = m_session.readyRuns();
  const bool haveTables = std::all_of(ready.begin(), ready.end(),
                                      [this](int position) { return m_session.run(position)->tables() != nullptr; });
  if (ready.empty() || !haveTables) {
    m_jobs.cancelAll();
    Verdict waiting;
    if (m_session.runCount() > 0 && m_session.isBusy()) {
      waiting.sentence = {
          {m_session.runCount() == 1 ? tr("Reading a trace") : tr("Reading %1 traces").arg(m_session.runCount()),
           VerdictTone::kPlain}};
    }
    m_isSummary = m_session.runCount() < 2;
    putVerdict(std::move(waiting));
  } else if (ready.size() == 1) {
    summarise();
  } else {
    compare();
  }
}

// The runs as the lab timed them; empty unless all are of one measurement, for only then were they timed in turns.
std::vector<TimedRun> VerdictStrip::timedRuns(const std::vector<int>& positions) const {
  std::vector<TimedRun> runs;
  const auto measurement = m_session.run(positions.front())->measurement();
  for (const int position : positions) {
    const Run* run = m_session.run(position);
    if (!measurement || run->measurement() != measurement) return {};
    runs.push_back({run->number(), run->letter(), run->measuredAs()});
  }
  return runs;
}

void VerdictStrip::compare() {
  m_isSummary = false;
  m_jobs.cancelAll();
  const std::shared_ptr<const Comparison> comparison = m_session.comparison();
  std::vector<int> compared = m_session.comparedRuns();
  std::vector<int> ready = m_session.readyRuns();
  std::sort(ready.begin(), ready.end());
  std::vector<int> sorted = compared;
  std::sort(sorted.begin(), sorted.end());
  if (comparison == nullptr || sorted != ready) {
    Verdict waiting;
    waiting.sentence = {{tr("Comparing %1 runs").arg(ready.size()), VerdictTone::kPlain}};
    putVerdict(std::move(waiting));
    return;
  }
  const auto timed = timedRuns(compared);
  if (timed.size() == compared.size() && comparison->comparable != Comparable::kNo) {
    putVerdict(timedVerdict(*m_session.run(compared[0])->measurement(), timed));
    return;
  }
  CompareInput input;
  input.scope = scopeOf(m_session);
  const MemoryComparison* memory = nullptr;
  for (const MemoryComparison& device : comparison->memory) {
    if (memory == nullptr || (memory->device == "cpu" && device.device != "cpu")) memory = &device;
  }
  for (std::size_t i = 0; i < compared.size(); ++i) {
    VerdictRun run = runInScope(*m_session.run(compared[i]), comparison->byDevice);
    // The times that the sentence is made of, to the nanosecond.
    run.workNs = comparison->byDevice ? comparison->totals[i].kernelNs : comparison->totals[i].hostSelfNs;
    if (memory != nullptr && i < memory->peakBytes.size()) run.peakBytes = memory->peakBytes[i];
    input.runs.push_back(std::move(run));
  }
  putVerdict(compareVerdict(input, *comparison));
}

void VerdictStrip::summarise() {
  m_isSummary = true;
  const int position = m_session.readyRuns().front();
  const Run& run = *m_session.run(position);
  const Trace& trace = *run.trace();
  const RunTables& tables = *run.tables();
  SummaryInput input;
  input.hasDeviceWork = trace.hasDeviceWork();
  input.run = runInScope(run, input.hasDeviceWork);
  input.scope = scopeOf(m_session);
  if (input.scope == VerdictScope::kRange) input.scopeWords = tr("the range");
  if (input.scope == VerdictScope::kStep) {
    const QString words = m_session.scopeWords();
    input.scopeWords = QLocale().toLower(words.left(1)) + words.mid(1);
  }
  for (const DeviceBusy& device : tables.busy) {
    if (device.busyNs <= 0) continue;
    ++input.devices;
    if (tables.durationNs > 0) {
      input.busyShare =
          std::max(input.busyShare, static_cast<double>(device.busyNs) / static_cast<double>(tables.durationNs));
    }
  }
  for (const KernelRow& row : tables.kernels.rows) {
    if (row.kind == WorkKind::kAttention) input.attentionNs += row.totalNs;
  }
  input.operators = tables.operators.rows.size();
  input.lost = trace.health.count(Severity::kLost);
  input.repaired = trace.health.count(Severity::kRepaired);
  for (const HealthEntry& entry : trace.health.entries()) input.notes += entry.severity == Severity::kInfo ? 1 : 0;
  if (m_session.scope().kind == ScopeKind::kWhole) {
    m_jobs.cancelAll();
    input.run.peakBytes = peakOf(run.facts()->memory);
    putVerdict(summaryVerdict(input));
    return;
  }
  // The peak of the scope is not among the tables: it is the one figure that comes later.
  putVerdict(summaryVerdict(input));
  m_jobs.start(
      QStringLiteral("peak"),
      [facts = run.facts(), scope = m_session.scopeRange(position)](std::stop_token) {
        return peakOf(memorySeries(*facts->trace, scope));
      },
      [this, input](std::optional<std::int64_t> peak) mutable {
        input.run.peakBytes = peak;
        putVerdict(summaryVerdict(input));
      });
}

void VerdictStrip::putVerdict(Verdict verdict) {
  m_verdict = std::move(verdict);
  QString text = m_verdict.sentenceText();
  if (!m_verdict.note.isEmpty()) text += QStringLiteral(". ") + m_verdict.note;
  for (const VerdictFigure& figure : m_verdict.figures) {
    text += QStringLiteral(". ") + figure.title;
    for (const VerdictFigure::Value& value : figure.values)
      text += QStringLiteral(" %1 %2").arg(value.letter, value.text);
    if (!figure.change.isEmpty()) text += QLatin1Char(' ') + figure.change;
  }
  setAccessibleName(text);
  layOut();
}

void VerdictStrip::applyTheme() {
  m_swap->setIcon(m_theme.icon(QStringLiteral("swap")));
  m_swap->setIconSize(QSize(m_theme.scaled(16), m_theme.scaled(16)));
  layOut();
}

void VerdictStrip::layOut() {
  setFixedHeight(m_theme.size(isOneLine() ? QStringLiteral("verdict_strip_compact") : QStringLiteral("verdict_strip")));
  const auto ready = static_cast<int>(m_session.readyRuns().size());
  const bool compares = !m_isSummary && m_verdict.badge != VerdictSign::kNone && ready > 1;
  const int inset = m_theme.scaled(kInset);
  int right = width() - inset;
  const int control = m_theme.size(QStringLiteral("control"));
  m_swap->setVisible(compares);
  if (compares) {
    const Run* base = m_session.run(m_session.baseline());
    const QString words = ready > 2 ? tr("Baseline %1").arg(base->letter()) : tr("Swap baseline");
    const bool iconOnly = m_compact && ready == 2;
    m_swap->setText(iconOnly ? QString() : words);
    m_swap->setAccessibleName(words);
    m_swap->setToolTip(ready > 2 ? tr("Choose the run that the others are compared with")
                                 : tr("Compare the other way round"));
    const int wide = iconOnly ? m_theme.scaled(38) : m_swap->sizeHint().width();
    m_swap->setGeometry(right - wide, (height() - control) / 2, wide, control);
    right -= wide + m_theme.scaled(8);
  }
  m_more->setVisible(compares && m_verdict.morePairs > 0);
  if (compares && m_verdict.morePairs > 0) {
    m_more->setText(tr("Run %1 pairs").arg(m_verdict.morePairs));
    m_more->setAccessibleName(m_more->text());
    m_more->setToolTip(tr("Measures both again with as many pairs as would about settle it"));
    const int wide = m_more->sizeHint().width();
    m_more->setGeometry(right - wide, (height() - control) / 2, wide, control);
    right -= wide + m_theme.scaled(8);
  }
  m_badge->setVisible(m_verdict.badge != VerdictSign::kNone);
  if (m_verdict.badge != VerdictSign::kNone) {
    m_badge->setOpens(compares);
    m_badge->setCompact(isOneLine());
    m_badge->setWords(m_verdict.badge, m_verdict.badgeText, m_verdict.badgeDetail);
    const QSize hint = m_badge->sizeHint();
    m_badge->setGeometry(right - hint.width(), (height() - hint.height()) / 2, hint.width(), hint.height());
    right -= hint.width() + m_theme.scaled(8);
  }
  // Figures go from the right while there is no room for all.
  int x = inset + sentenceWidth() + m_theme.scaled(24);
  m_shownFigures = 0;
  for (const VerdictFigure& figure : m_verdict.figures) {
    x += figureWidth(figure) + m_theme.scaled(24);
    if (x > right) break;
    ++m_shownFigures;
  }
  update();
}

void VerdictStrip::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  layOut();
}

// Of runs that were timed in turns: what the verdict is made of.
std::vector<SampleSeries> VerdictStrip::samples() const {
  std::vector<SampleSeries> series;
  const std::vector<int>& compared = m_session.comparedRuns();
  const auto timed = compared.empty() ? std::vector<TimedRun>() : timedRuns(compared);
  if (timed.empty()) return series;
  const RunResult& result = *m_session.run(compared.front())->measurement();
  for (const TimedRun& run : timed) {
    series.push_back(
        {run.runNumber, run.letter, perCallNs(result.implementations[run.position], result.plan.metric())});
  }
  return series;
}

void VerdictStrip::openReasons() {
  const std::shared_ptr<const Comparison> comparison = m_session.comparison();
  if (comparison == nullptr) return;
  std::vector<ReasonsRun> runs;
  for (const int position : m_session.comparedRuns()) {
    runs.push_back({m_session.run(position)->number(), m_session.run(position)->letter()});
  }
  auto* popup = new ReasonsPopup(*comparison, runs, samples(), m_verdict, m_theme, this);
  popup->adjustSize();
  const QPoint corner = m_badge->mapToGlobal(QPoint(m_badge->width(), m_badge->height() + m_theme.scaled(4)));
  popup->move(corner.x() - popup->width(), corner.y());
  popup->show();
}

void VerdictStrip::askForMorePairs() {
  const std::vector<int>& compared = m_session.comparedRuns();
  if (compared.empty() || m_verdict.morePairs <= 0) return;
  if (const auto result = m_session.run(compared.front())->measurement()) {
    Q_EMIT morePairsWanted(result, m_verdict.morePairs);
  }
}

void VerdictStrip::chooseBaseline() {
  const std::vector<int> ready = m_session.readyRuns();
  if (ready.size() == 2) {
    m_session.swapBaseline();
    return;
  }
  QMenu menu(this);
  for (const int position : ready) {
    const Run* run = m_session.run(position);
    QAction* action = menu.addAction(QStringLiteral("%1  %2").arg(run->letter(), run->title()));
    action->setCheckable(true);
    action->setChecked(position == m_session.baseline());
    // By run: positions may change while the menu is open.
    connect(action, &QAction::triggered, this, [this, run] { m_session.setBaseline(m_session.positionOf(run)); });
  }
  menu.exec(m_swap->mapToGlobal(QPoint(0, m_swap->height())));
}

}  // namespace attnscope::ui
