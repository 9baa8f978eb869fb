// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/MemoryPage.h"

#include <algorithm>
#include <cmath>

#include <QComboBox>
#include <QHBoxLayout>
#include <QProgressBar>
#include <QStackedLayout>
#include <QVBoxLayout>

#include "core/problem/Cards.h"
#include "core/problem/Formulas.h"
#include "ui/bridge/Format.h"
#include "ui/bridge/Session.h"
#include "ui/bridge/ViewState.h"
#include "ui/charts/MemoryChart.h"
#include "ui/charts/MemoryHeading.h"
#include "ui/charts/PeakTable.h"
#include "ui/theme/PageState.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {
namespace {

// What one call allocates, as it was counted and as its card says, and its score matrix; only for runs of the lab.
void addMeasured(MemoryInput& input, const Run& run) {
  const auto measurement = run.measurement();
  if (!measurement) return;
  const ImplementationResult& result = measurement->implementations[run.measuredAs()];
  input.predictedPeakBytes = result.predictedPeakBytes;
  input.measuredPeakBytes = result.peakBytes;
  const Problem& problem = measurement->plan.problem;
  const std::int64_t valueBytes = bytesOf(problem.dtype);
  input.scoreMatrixBytes = scoreBytes(problem, valueBytes);
  input.scoreMatrixWords =
      MemoryPage::tr("%1 × %2 × %3 × %4 × %5")
          .arg(format::count(problem.batch), format::count(problem.heads), format::count(problem.queryLength),
               format::count(problem.keyValueLength), format::count(valueBytes));
  const Card* card = findCard(result.id);
  if (card == nullptr || !result.predictedPeakBytes) return;
  CardConditions conditions;
  conditions.threads = measurement->plan.threads;
  input.predictionWords = QString::fromStdString(figuresOf(*card, problem, conditions).peakWords);
}

constexpr int kSlowMs = 200;
constexpr int kLeastChart = 190;  // px of height over the table: two axes, of which each can be read
constexpr int kBesideFrom = 900;  // px of width

// What the recorder says of itself in the top level of the file.
bool askedForMemory(const Trace& trace) {
  return std::any_of(trace.metadata.begin(), trace.metadata.end(),
                     [](const auto& entry) { return entry.first == "profile_memory" && entry.second == "1"; });
}

}  // namespace

MemoryPage::MemoryPage(Session& session, ViewState& view, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_session(session), m_view(view), m_theme(theme) {
  m_content = new QWidget(this);
  m_content->setAutoFillBackground(true);
  m_heading = new MemoryHeading(theme, m_content);
  m_device = new QComboBox(m_content);
  m_device->setAccessibleName(tr("Device"));
  m_chart = new MemoryChart(
      view, theme, [this](int runNumber) { return anchorOf(runNumber); }, m_content);
  m_difference = new QComboBox(m_content);
  m_difference->setAccessibleName(tr("Difference of memory"));
  for (QComboBox* choice : {m_device, m_difference}) choice->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  m_peaks = new PeakTable(theme, m_content);
  m_progress = new QProgressBar(m_content);
  m_progress->setRange(0, 0);
  m_progress->setTextVisible(false);
  m_progress->hide();
  auto* top = new QHBoxLayout;
  top->setContentsMargins(0, 0, m_theme.scaled(8), 0);
  top->addWidget(m_heading, 1);
  top->addWidget(m_difference);
  top->addWidget(m_device);
  auto* column = new QVBoxLayout(m_content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(top);
  column->addWidget(m_progress);
  m_body = new QBoxLayout(QBoxLayout::TopToBottom);
  m_body->setContentsMargins(0, 0, 0, 0);
  m_body->setSpacing(0);
  m_body->addWidget(m_chart, 3);
  m_body->addWidget(m_peaks);
  column->addLayout(m_body, 1);
  m_state = new PageState(theme, this);
  m_stack = new QStackedLayout(this);
  m_stack->setContentsMargins(0, 0, 0, 0);
  m_stack->addWidget(m_content);
  m_stack->addWidget(m_state);

  m_refresh.setSingleShot(true);
  m_refresh.setInterval(0);
  connect(&m_refresh, &QTimer::timeout, this, &MemoryPage::build);
  m_slow.setSingleShot(true);
  m_slow.setInterval(kSlowMs);
  connect(&m_slow, &QTimer::timeout, this, [this] { m_progress->setVisible(!isSettled()); });
  connect(&session, &Session::runsChanged, this, &MemoryPage::refresh);
  connect(&session, &Session::runChanged, this, &MemoryPage::refresh);
  connect(&session, &Session::scopeChanged, this, &MemoryPage::refresh);
  connect(&session, &Session::alignmentChanged, this, [this] {
    m_chart->refresh();
    updateHeading();
    if (m_chart->difference()) refresh();
  });
  const auto settled = [this] {
    if (isSettled()) m_progress->hide();
    updateState();
    Q_EMIT settledChanged();
  };
  connect(&session, &Session::busyChanged, this, settled);
  connect(&m_jobs, &Jobs::changed, this, settled);
  connect(&view, &ViewState::cursorChanged, this, &MemoryPage::updateHeading);
  connect(m_device, &QComboBox::activated, this, &MemoryPage::refresh);
  connect(m_difference, &QComboBox::activated, this, [this](int at) {
    m_pickedDifference = at;
    refresh();
  });
  connect(&theme, &Theme::changed, this, &MemoryPage::applyTheme);
  applyTheme();
  refresh();
}

// The peaks stand under the chart; where that would leave it too little, beside it; without room there they go.
void MemoryPage::arrange() {
  const int room = height() - m_heading->sizeHint().height();
  const bool isLow = room - m_peaks->sizeHint().height() < m_theme.scaled(kLeastChart);
  const bool isWide = width() >= m_theme.scaled(kBesideFrom);
  m_body->setDirection(isLow && isWide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
  m_body->setStretchFactor(m_peaks, isLow && isWide ? 2 : 0);
  m_peaks->setVisible(!isLow || isWide);
}

void MemoryPage::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

bool MemoryPage::isSettled() const { return !m_session.isBusy() && !m_refresh.isActive() && !m_jobs.isBusy(); }

QString MemoryPage::stateTitle() const {
  return m_stack->currentWidget() == m_state ? m_state->words().title : QString();
}

QString MemoryPage::device() const { return m_device->currentText(); }

std::int64_t MemoryPage::anchorOf(int runNumber) const {
  for (int i = 0; i < m_session.runCount(); ++i) {
    if (m_session.run(i)->number() == runNumber) return m_session.anchorNs(i);
  }
  return 0;
}

std::vector<MemoryInput> MemoryPage::inputs() const {
  std::vector<MemoryInput> runs;
  for (const int position : m_session.readyRuns()) {
    const Run* run = m_session.run(position);
    MemoryInput input{run->number(),
                      run->letter(),
                      run->title(),
                      run->facts(),
                      m_session.scopeRange(position),
                      {},
                      {},
                      {},
                      {},
                      {},
                      m_session.anchorNs(position)};
    addMeasured(input, *run);
    runs.push_back(std::move(input));
  }
  return runs;
}

// One entry for none and one for each run against the baseline. With two runs their difference is what one wants to
// see; of more, a person picks it.
void MemoryPage::offerDifferences(const std::vector<MemoryInput>& runs) {
  QStringList titles{tr("No difference")};
  std::vector<int> numbers{-1};
  const int base = m_session.baseline();
  const QString baseLetter = base < 0 ? QString() : m_session.run(base)->letter();
  for (const MemoryInput& run : runs) {
    if (base < 0 || run.runNumber == m_session.run(base)->number()) continue;
    titles << tr("%1 − %2").arg(run.letter, baseLetter);
    numbers.push_back(run.runNumber);
  }
  if (numbers != m_differences) {
    m_differences = std::move(numbers);
    m_pickedDifference.reset();
  }
  const int wanted = m_pickedDifference.value_or(m_differences.size() == 2 ? 1 : 0);
  m_difference->clear();
  m_difference->addItems(titles);
  m_difference->setCurrentIndex(std::min<int>(wanted, static_cast<int>(titles.size()) - 1));
  m_difference->setVisible(titles.size() > 1);
}

void MemoryPage::refresh() {
  m_refresh.start();
  m_slow.start();
}

void MemoryPage::build() {
  const std::vector<MemoryInput> runs = inputs();
  const QStringList devices = memoryDevices(runs);
  if (devices != m_devices) {
    m_devices = devices;
    const QString chosen = m_device->currentText();
    m_device->clear();
    m_device->addItems(devices);
    // The accelerator is what people come for; the host's memory is a choice away.
    const auto accelerator =
        std::find_if(devices.begin(), devices.end(), [](const QString& name) { return name != QStringLiteral("cpu"); });
    const qsizetype first = accelerator == devices.end() ? 0 : accelerator - devices.begin();
    m_device->setCurrentIndex(devices.contains(chosen) ? m_device->findText(chosen) : static_cast<int>(first));
    m_device->setVisible(devices.size() > 1);
  }
  offerDifferences(runs);
  if (devices.isEmpty()) {
    m_jobs.cancelAll();
    m_chart->setRuns(std::make_shared<MemoryRuns>());
    m_peaks->setRuns({});
    arrange();
  } else {
    struct Made {
      std::shared_ptr<const MemoryRuns> runs;
      std::optional<MemoryDifference> difference;
    };
    const int base = m_session.baseline() < 0 ? -1 : m_session.run(m_session.baseline())->number();
    const int other = m_differences[static_cast<std::size_t>(m_difference->currentIndex())];
    m_jobs.start(
        QStringLiteral("memory"),
        [runs, device = m_device->currentText(), base, other](std::stop_token) {
          Made made{memoryRuns(runs, device), {}};
          if (other >= 0) made.difference = memoryDifference(*made.runs, other, base, runs);
          return made;
        },
        [this](Made made) {
          m_peaks->setRuns(*made.runs);
          arrange();
          m_chart->setRuns(std::move(made.runs), std::move(made.difference));
          updateHeading();
        });
  }
  updateState();
  Q_EMIT settledChanged();
}

void MemoryPage::updateHeading() {
  std::vector<MemoryHeading::Entry> entries;
  bool isRelative = false;
  bool hasReserved = false;
  bool hasPredicted = false;
  for (const MemoryRun& run : m_chart->runs()) {
    MemoryHeading::Entry entry{run.runNumber, run.letter, run.title, {}};
    if (m_view.hasCursor()) {
      const double value = run.allocated.valueAt(m_view.cursorNs() + static_cast<double>(anchorOf(run.runNumber)));
      entry.value = std::isnan(value) ? format::unknown() : format::bytes(value);
    }
    entries.push_back(std::move(entry));
    isRelative = isRelative || run.isRelative;
    hasReserved = hasReserved || !run.reserved.isEmpty();
    hasPredicted = hasPredicted || run.predictedBytes > 0;
  }
  const QString what = isRelative     ? tr("allocated over the start of the trace")
                       : hasReserved  ? tr("allocated (dashed: reserved)")
                       : hasPredicted ? tr("allocated (dashed: predicted)")
                                      : tr("allocated");
  const QString from = tr("host time from %1").arg(m_session.zeroWords());
  m_heading->setEntries(std::move(entries), tr("%1, %2").arg(what, from), tr("host time"));
}

void MemoryPage::updateState() {
  const std::vector<MemoryInput> runs = inputs();
  if (!runs.empty() && m_devices.isEmpty() && !m_refresh.isActive()) {
    const bool asked =
        std::any_of(runs.begin(), runs.end(), [](const MemoryInput& run) { return askedForMemory(*run.facts->trace); });
    m_state->setWords({QStringLiteral("memory"),
                       QStringLiteral("text.secondary"),
                       runs.size() == 1 ? tr("No memory events in this trace") : tr("No memory events in these traces"),
                       asked
                           ? tr("The profiler was asked for memory (profile_memory is 1) and wrote none. Operators and "
                                "kernels are complete. Record again with:")
                           : tr("The profiler was not asked for memory. Operators and kernels are complete. Record "
                                "again with:"),
                       QStringLiteral("profile(..., profile_memory=True, record_shapes=True)"),
                       {}});
    m_stack->setCurrentWidget(m_state);
  } else {
    m_stack->setCurrentWidget(m_content);
  }
}

void MemoryPage::applyTheme() {
  QPalette ground = m_content->palette();
  ground.setColor(QPalette::Window, m_theme.colour(QStringLiteral("surface.pane")));
  m_content->setPalette(ground);
  m_state->applyTheme();
}

}  // namespace attnscope::ui
