// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/ChartsPage.h"

#include <algorithm>

#include <QAction>
#include <QButtonGroup>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QStackedLayout>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/bridge/Format.h"
#include "ui/bridge/FreedAside.h"
#include "ui/bridge/Session.h"
#include "ui/charts/FlameView.h"
#include "ui/charts/KindChart.h"
#include "ui/charts/SpreadChart.h"
#include "ui/theme/PageState.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {
namespace {

constexpr int kSlowMs = 200;

// Slices of the name of `lead` on tracks of its kind, that start in `scope`.
std::vector<std::int64_t> durationsOf(const Trace& trace, std::string_view name, CategoryClass category,
                                      TimeRange scope) {
  std::vector<std::int64_t> durations;
  const StringId id = trace.strings.find(name);
  if (id == kNoString) return durations;
  for (std::size_t i = 0; i < trace.slices.size(); ++i) {
    if (trace.slices.name[i] != id || trace.slices.categoryClass[i] != category) continue;
    if (scope.contains(trace.slices.startNs[i])) durations.push_back(trace.slices.durationNs[i]);
  }
  return durations;
}

struct SpreadRequest {
  int runNumber;
  QString letter;
  std::shared_ptr<const RunFacts> facts;
  TimeRange scope;
};

std::shared_ptr<const DurationSpread> spreadOfName(const std::vector<SpreadRequest>& runs, const std::string& name,
                                                   CategoryClass category, double markNs) {
  std::vector<SpreadInput> inputs;
  for (const SpreadRequest& run : runs) {
    inputs.push_back({run.runNumber, run.letter, durationsOf(*run.facts->trace, name, category, run.scope)});
  }
  const std::string title = category == CategoryClass::kKernel ? shortKernelName(name) : name;
  return makeFreedAside<const DurationSpread>(durationSpread(QString::fromStdString(title), inputs, markNs));
}

}  // namespace

ChartsPage::ChartsPage(Session& session, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_session(session), m_theme(theme) {
  m_chooseFile = [](QWidget* over, const QString& suggestion, const QString& filter) {
    return QFileDialog::getSaveFileName(over, tr("Save the chart"), suggestion, filter);
  };
  auto* page = new QVBoxLayout(this);
  page->setContentsMargins(0, 0, 0, 0);
  page->setSpacing(0);
  buildBar();
  page->addWidget(m_bar);
  m_progress = new QProgressBar(this);
  m_progress->setRange(0, 0);
  m_progress->setTextVisible(false);
  m_progress->hide();
  page->addWidget(m_progress);
  m_charts = new QStackedWidget(this);
  m_spread = new SpreadChart(theme, m_charts);
  m_kinds = new KindChart(theme, m_charts);
  m_flame = new FlameView(theme, m_charts);
  for (QWidget* chart :
       {static_cast<QWidget*>(m_spread), static_cast<QWidget*>(m_kinds), static_cast<QWidget*>(m_flame)}) {
    m_charts->addWidget(chart);
    chart->addActions(m_actions);
    chart->setContextMenuPolicy(Qt::ActionsContextMenu);
  }
  m_state = new PageState(theme, this);
  m_stack = new QStackedLayout;
  m_stack->setContentsMargins(0, 0, 0, 0);
  m_stack->addWidget(m_charts);
  m_stack->addWidget(m_state);
  page->addLayout(m_stack, 1);

  m_refresh.setSingleShot(true);
  m_refresh.setInterval(0);
  connect(&m_refresh, &QTimer::timeout, this, &ChartsPage::build);
  m_slow.setSingleShot(true);
  m_slow.setInterval(kSlowMs);
  connect(&m_slow, &QTimer::timeout, this, [this] { m_progress->setVisible(!isSettled()); });
  for (const auto signal : {&Session::runsChanged, &Session::scopeChanged}) {
    connect(&session, signal, this, &ChartsPage::refresh);
  }
  connect(&session, &Session::runChanged, this, &ChartsPage::refresh);
  connect(&session, &Session::selectionChanged, this, [this] {
    if (m_chart == ChartKind::kDistribution) refresh();
  });
  const auto settled = [this] {
    if (isSettled()) m_progress->hide();
    updateState();
    Q_EMIT settledChanged();
  };
  connect(&session, &Session::busyChanged, this, settled);
  connect(&m_jobs, &Jobs::changed, this, settled);
  connect(m_flame, &FlameView::boxChosen, this, &ChartsPage::selectBox);
  connect(m_flame, &FlameView::wordsChanged, this, &ChartsPage::updateHeading);
  connect(&theme, &Theme::changed, this, &ChartsPage::applyTheme);
  applyTheme();
  refresh();
}

void ChartsPage::buildBar() {
  m_bar = new QWidget(this);
  m_bar->setAutoFillBackground(true);
  auto* row = new QHBoxLayout(m_bar);
  auto* segment = new QWidget(m_bar);
  segment->setObjectName(QStringLiteral("segment"));
  segment->setAttribute(Qt::WA_StyledBackground);
  auto* inner = new QHBoxLayout(segment);
  inner->setContentsMargins(2, 2, 2, 2);
  inner->setSpacing(0);
  auto* group = new QButtonGroup(segment);
  const std::array<QString, 3> titles = {tr("Distribution"), tr("By kind of work"), tr("Flame graph")};
  for (std::size_t i = 0; i < titles.size(); ++i) {
    auto* button = new QToolButton(segment);
    button->setText(titles[i]);
    button->setCheckable(true);
    group->addButton(button);
    inner->addWidget(button);
    connect(button, &QToolButton::clicked, this, [this, i] { showChart(static_cast<ChartKind>(i)); });
    m_buttons[i] = button;
  }
  m_buttons.front()->setChecked(true);
  row->addWidget(segment);
  m_heading = new QLabel(m_bar);
  m_heading->setTextFormat(Qt::PlainText);
  m_heading->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  row->addWidget(m_heading, 1);
  m_grouping = new QComboBox(m_bar);
  m_grouping->setProperty("control", QStringLiteral("small"));
  m_grouping->addItems({tr("By call"), tr("By module"), tr("By Python frame")});
  m_grouping->setAccessibleName(tr("What the flame graph is built from"));
  connect(m_grouping, &QComboBox::activated, this, &ChartsPage::refresh);
  row->addWidget(m_grouping);
  m_roots = new QToolButton(m_bar);
  m_roots->setText(tr("Roots at the bottom"));
  m_roots->setCheckable(true);
  connect(m_roots, &QToolButton::toggled, this,
          [this](bool isOn) { m_flame->setRoots(isOn ? FlameRoots::kBottom : FlameRoots::kTop); });
  row->addWidget(m_roots);

  const auto add = [this](const QString& words, auto act) {
    auto* action = new QAction(words, this);
    connect(action, &QAction::triggered, this, act);
    m_actions << action;
    return action;
  };
  add(tr("Copy the chart's data"), [this] { QGuiApplication::clipboard()->setText(data()); });
  add(tr("Save the chart as PNG…"), [this] { save(QStringLiteral("png")); });
  m_saveSvg = add(tr("Save the chart as SVG…"), [this] { save(QStringLiteral("svg")); });
  auto* more = new QToolButton(m_bar);
  more->setText(tr("Save"));
  more->setToolTip(tr("Copy the data, save a picture"));
  more->setPopupMode(QToolButton::InstantPopup);
  more->addActions(m_actions);
  row->addWidget(more);
}

void ChartsPage::showChart(ChartKind chart) {
  m_buttons[static_cast<std::size_t>(chart)]->setChecked(true);
  if (chart == m_chart) return;
  m_chart = chart;
  m_problem.clear();
  m_charts->setCurrentIndex(static_cast<int>(chart));
  refresh();
}

bool ChartsPage::isSettled() const { return !m_session.isBusy() && !m_refresh.isActive() && !m_jobs.isBusy(); }

QString ChartsPage::stateTitle() const {
  return m_stack->currentWidget() == m_state ? m_state->words().title : QString();
}

QString ChartsPage::heading() const { return m_heading->text(); }

int ChartsPage::positionOf(int runNumber) const {
  for (int i = 0; i < m_session.runCount(); ++i) {
    if (m_session.run(i)->number() == runNumber) return i;
  }
  return -1;
}

void ChartsPage::refresh() {
  m_refresh.start();
  m_slow.start();
}

void ChartsPage::build() {
  if (m_session.readyRuns().empty()) {
    m_jobs.cancelAll();
    m_spread->setSpread(std::make_shared<DurationSpread>());
    m_kinds->setTimes(std::make_shared<KindTimes>());
    m_flame->setGraph(std::make_shared<FlameGraph>());
  } else {
    switch (m_chart) {
      case ChartKind::kDistribution:
        buildDistribution();
        break;
      case ChartKind::kKinds:
        buildKinds();
        break;
      case ChartKind::kFlame:
        buildFlame();
        break;
    }
  }
  m_grouping->setVisible(m_chart == ChartKind::kFlame);
  m_roots->setVisible(m_chart == ChartKind::kFlame);
  m_saveSvg->setEnabled(m_chart != ChartKind::kFlame);
  updateState();
  updateHeading();
  Q_EMIT settledChanged();
}

void ChartsPage::buildDistribution() {
  const Selection& selection = m_session.selection();
  const Trace* trace = selection.isEmpty() ? nullptr : m_session.run(selection.leadRun)->trace();
  if (trace == nullptr) {
    m_jobs.cancelAll();
    m_spread->setSpread(std::make_shared<DurationSpread>());
    return;
  }
  std::vector<SpreadRequest> runs;
  for (const int position : m_session.readyRuns()) {
    const Run* run = m_session.run(position);
    runs.push_back({run->number(), run->letter(), run->facts(), m_session.scopeRange(position)});
  }
  const SliceId lead = selection.leadSlice;
  m_jobs.start(
      QStringLiteral("chart"),
      [runs = std::move(runs), name = std::string(trace->name(lead)),
       category = trace->slices.categoryClass[index(lead)],
       mark = static_cast<double>(trace->slices.durationNs[index(lead)])](std::stop_token) {
        return spreadOfName(runs, name, category, mark);
      },
      [this](std::shared_ptr<const DurationSpread> spread) {
        m_spread->setSpread(std::move(spread));
        updateHeading();
      });
}

void ChartsPage::buildKinds() {
  std::vector<KindInput> inputs;
  for (const int position : m_session.readyRuns()) {
    const Run* run = m_session.run(position);
    if (run->tables() == nullptr) return;  // they come with the next change
    inputs.push_back({run->number(), run->letter(), run->facts(), run->tables()});
  }
  m_jobs.start(
      QStringLiteral("chart"),
      [inputs = std::move(inputs)](std::stop_token) { return std::make_shared<const KindTimes>(kindTimes(inputs)); },
      [this](std::shared_ptr<const KindTimes> times) {
        m_kinds->setTimes(std::move(times));
        updateHeading();
      });
}

void ChartsPage::buildFlame() {
  const int base = m_session.baseline();
  const Run* run = m_session.run(base);
  const auto grouping = static_cast<PathGrouping>(m_grouping->currentIndex());
  const FlameWeight weight = run->trace()->hasDeviceWork() ? FlameWeight::kDeviceTime : FlameWeight::kHostTime;
  m_jobs.start(
      QStringLiteral("chart"),
      [number = run->number(), facts = run->facts(), scope = m_session.scopeRange(base), grouping,
       weight](std::stop_token stop) {
        auto graph = flameGraph(number, facts, scope, grouping, weight, stop);
        // Device work that no operator launched has no path: then the host's time is what there is.
        if (graph->boxes.empty() && weight == FlameWeight::kDeviceTime) {
          graph = flameGraph(number, facts, scope, grouping, FlameWeight::kHostTime, stop);
        }
        return graph;
      },
      [this](std::shared_ptr<const FlameGraph> graph) {
        m_flame->setGraph(std::move(graph));
        updateHeading();
      });
}

void ChartsPage::selectBox(std::uint32_t box) {
  const FlameGraph& graph = m_flame->graph();
  const int run = positionOf(graph.runNumber);
  if (run < 0 || m_session.run(run)->facts() != graph.facts) return;
  std::vector<SliceId> slices = graph.row(box).slices;
  if (slices.empty()) return;
  const std::vector<std::int64_t>& durations = graph.facts->trace->slices.durationNs;
  Selection selection;
  selection.leadRun = run;
  selection.leadSlice = *std::max_element(
      slices.begin(), slices.end(), [&](SliceId a, SliceId b) { return durations[index(a)] < durations[index(b)]; });
  std::sort(slices.begin(), slices.end());
  selection.parts.push_back({run, std::move(slices)});
  selection.words = graph.name(box);
  selection.origin = SelectionOrigin::kChart;
  m_session.select(std::move(selection));
}

void ChartsPage::updateHeading() {
  QString words;
  switch (m_chart) {
    case ChartKind::kDistribution: {
      QStringList parts;
      for (const RunSpread& run : m_spread->spread().runs) {
        parts << tr("%1: %2 calls, min %3, median %4, p95 %5, max %6")
                     .arg(run.letter, format::count(static_cast<std::int64_t>(run.calls)),
                          format::time(static_cast<double>(run.least)), format::time(static_cast<double>(run.median)),
                          format::time(static_cast<double>(run.p95)), format::time(static_cast<double>(run.most)));
      }
      if (!parts.isEmpty())
        words =
            m_spread->spread().title.simplified().left(60) + QStringLiteral("   ") + parts.join(QStringLiteral("   "));
      break;
    }
    case ChartKind::kKinds:
      words = m_kinds->times().byDevice ? tr("Kernels, copies and memsets, %1").arg(m_session.scopeWords())
                                        : tr("Host self time of operators, %1").arg(m_session.scopeWords());
      break;
    case ChartKind::kFlame: {
      words = m_flame->words();
      const FlameGraph& graph = m_flame->graph();
      const int run = positionOf(graph.runNumber);
      if (!words.isEmpty() || run < 0) break;
      words = graph.weight == FlameWeight::kDeviceTime ? tr("Device time of run %1, by its operators, %2 in all")
                                                       : tr("Host time of run %1, by its operators, %2 in all");
      words = words.arg(m_session.run(run)->letter(), format::time(static_cast<double>(graph.wholeNs)));
      if (!graph.table.hasContext) words += tr("; no modules or frames recorded: profile(with_stack=True)");
      break;
    }
  }
  m_heading->setText(m_problem.isEmpty() ? words : m_problem);
  m_heading->setToolTip(m_heading->text());
}

void ChartsPage::updateState() {
  const bool isReady = !m_session.readyRuns().empty();
  const bool isWorking = m_session.isBusy() || m_jobs.isBusy() || m_refresh.isActive();
  PageStateWords words;
  if (isReady && !isWorking) {
    const auto empty = [](const QString& title, const QString& text, const QString& code = {}) {
      return PageStateWords{QStringLiteral("table"), QStringLiteral("text.secondary"), title, text, code, {}};
    };
    if (m_chart == ChartKind::kDistribution && m_spread->spread().runs.empty()) {
      words = empty(tr("Nothing is selected"),
                    tr("Select a slice or a row: the durations of all calls of its name in scope are drawn here."));
    } else if (m_chart == ChartKind::kKinds && m_kinds->times().kinds.empty()) {
      words = empty(tr("No kernels and no operators recorded"), tr("Record again with:"),
                    QStringLiteral("profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])"));
    } else if (m_chart == ChartKind::kFlame && m_flame->graph().boxes.empty()) {
      words = empty(tr("No operators recorded"), tr("The flame graph is made of host operators. Record again with:"),
                    QStringLiteral("profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])"));
    }
  }
  if (words.title.isEmpty()) {
    m_stack->setCurrentWidget(m_charts);
  } else {
    m_state->setWords(words);
    m_stack->setCurrentWidget(m_state);
  }
}

QString ChartsPage::data() const {
  switch (m_chart) {
    case ChartKind::kDistribution:
      return m_spread->data();
    case ChartKind::kKinds:
      return m_kinds->data();
    case ChartKind::kFlame:
      return m_flame->data();
  }
  return {};
}

void ChartsPage::save(const QString& ending) {
  static const std::array<QString, 3> kNames = {QStringLiteral("distribution"), QStringLiteral("kinds"),
                                                QStringLiteral("flame")};
  const QString name = kNames[static_cast<std::size_t>(m_chart)] + QLatin1Char('.') + ending;
  const QString path =
      m_chooseFile(this, name, ending == QLatin1String("svg") ? tr("SVG drawing (*.svg)") : tr("PNG image (*.png)"));
  if (path.isEmpty()) return;
  bool isWritten = false;
  switch (m_chart) {
    case ChartKind::kDistribution:
      isWritten = m_spread->save(path);
      break;
    case ChartKind::kKinds:
      isWritten = m_kinds->save(path);
      break;
    case ChartKind::kFlame:
      isWritten = m_flame->save(path);
      break;
  }
  m_problem = isWritten ? QString() : tr("%1 could not be written: name another place").arg(path);
  updateHeading();
}

void ChartsPage::applyTheme() {
  QPalette ground = m_bar->palette();
  ground.setColor(QPalette::Window, m_theme.colour(QStringLiteral("surface.pane")));
  m_bar->setPalette(ground);
  QPalette ink = m_heading->palette();
  ink.setColor(QPalette::WindowText, m_theme.colour(QStringLiteral("text.secondary")));
  m_heading->setPalette(ink);
  m_heading->setFont(m_theme.font(FontRole::kData));
  m_bar->layout()->setContentsMargins(m_theme.scaled(8), m_theme.scaled(3), m_theme.scaled(8), m_theme.scaled(3));
  m_bar->layout()->setSpacing(m_theme.scaled(8));
  m_state->applyTheme();
}

}  // namespace attnscope::ui
