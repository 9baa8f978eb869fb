// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/findings/FindingsPage.h"

#include <algorithm>

#include <QHBoxLayout>
#include <QInputDialog>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QListView>
#include <QListWidget>
#include <QProgressBar>
#include <QSplitter>
#include <QStackedLayout>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/bridge/Format.h"
#include "ui/bridge/FreedAside.h"
#include "ui/bridge/Session.h"
#include "ui/bridge/ViewState.h"
#include "ui/findings/FindingCard.h"
#include "ui/findings/FindingDelegate.h"
#include "ui/theme/PageState.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {
namespace {

constexpr int kSlowMs = 200;
constexpr int kListWidth = 420;

QString idOf(std::string_view rule) { return QString::fromUtf8(rule.data(), static_cast<qsizetype>(rule.size())); }

std::shared_ptr<const RunFindings> findingsOf(int runNumber, const RunFacts& facts, TimeRange scope,
                                              const Thresholds& thresholds, const std::stop_token& stop) {
  auto made = makeFreedAside<RunFindings>();
  made->runNumber = runNumber;
  made->trace = facts.trace;
  made->thresholds = thresholds;
  const Metrics metrics = metricsOf(*facts.trace, facts.tree, facts.memory, scope, stop);
  made->wholeNs = metrics.windowNs;
  made->report = findAll(metrics, thresholds, {}, stop);
  return made;
}

}  // namespace

FindingsPage::FindingsPage(Session& session, ViewState& view, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_session(session), m_view(view), m_theme(theme) {
  m_content = new QWidget(this);
  m_content->setAutoFillBackground(true);
  auto* column = new QVBoxLayout(m_content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  buildBar(m_content);
  column->addWidget(m_bar);
  m_progress = new QProgressBar(m_content);
  m_progress->setRange(0, 0);
  m_progress->setTextVisible(false);
  m_progress->hide();
  column->addWidget(m_progress);
  m_splitter = new QSplitter(Qt::Horizontal, m_content);
  m_splitter->setHandleWidth(theme.size(QStringLiteral("splitter")));
  m_splitter->setChildrenCollapsible(false);
  m_list = new QListView(m_splitter);
  m_list->setAccessibleName(tr("Findings"));
  m_list->setModel(&m_model);
  m_list->setItemDelegate(new FindingDelegate(theme, m_list));
  m_list->setUniformItemSizes(true);
  m_list->setMouseTracking(true);
  m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  m_list->setMinimumWidth(theme.scaled(200));
  m_card = new FindingCard(theme, m_splitter);
  m_splitter->addWidget(m_list);
  m_splitter->addWidget(m_card);
  m_splitter->setStretchFactor(0, 0);
  m_splitter->setStretchFactor(1, 1);
  m_splitter->setSizes({theme.scaled(kListWidth), theme.scaled(kListWidth) * 2});
  column->addWidget(m_splitter, 1);
  m_state = new PageState(theme, this);
  m_stack = new QStackedLayout(this);
  m_stack->setContentsMargins(0, 0, 0, 0);
  m_stack->addWidget(m_content);
  m_stack->addWidget(m_state);

  m_refresh.setSingleShot(true);
  m_refresh.setInterval(0);
  connect(&m_refresh, &QTimer::timeout, this, &FindingsPage::build);
  m_slow.setSingleShot(true);
  m_slow.setInterval(kSlowMs);
  connect(&m_slow, &QTimer::timeout, this, [this] { m_progress->setVisible(!isSettled()); });
  for (const auto signal : {&Session::runsChanged, &Session::scopeChanged}) {
    connect(&session, signal, this, &FindingsPage::refresh);
  }
  connect(&session, &Session::runChanged, this, &FindingsPage::refresh);
  const auto settled = [this] {
    if (isSettled()) m_progress->hide();
    updateState();
    Q_EMIT settledChanged();
  };
  connect(&session, &Session::busyChanged, this, settled);
  connect(&m_jobs, &Jobs::changed, this, settled);
  connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this, &FindingsPage::showChosen);
  connect(m_list, &QListView::activated, this, [this] { showEvidence(0); });
  connect(m_card, &FindingCard::evidenceChosen, this, &FindingsPage::showEvidence);
  connect(m_card, &FindingCard::thresholdWanted, this, &FindingsPage::askThreshold);
  connect(&theme, &Theme::changed, this, &FindingsPage::applyTheme);
  applyTheme();
  updateBar();
  refresh();
}

void FindingsPage::buildBar(QWidget* parent) {
  m_bar = new QWidget(parent);
  auto* row = new QHBoxLayout(m_bar);
  row->setSpacing(m_theme.scaled(6));
  for (const FindingSeverity severity :
       {FindingSeverity::kProblem, FindingSeverity::kWarning, FindingSeverity::kInfo}) {
    auto* button = new QToolButton(m_bar);
    button->setCheckable(true);
    button->setChecked(true);
    connect(button, &QToolButton::toggled, this, [this, severity](bool isOn) {
      m_model.setShown(severity, isOn);
      m_list->setCurrentIndex(m_model.index(0));
      showChosen();
    });
    m_filters[static_cast<std::size_t>(severity)] = button;
    row->addWidget(button);
  }
  m_whose = new QLabel(m_bar);
  row->addWidget(m_whose, 1);
  m_quiet = new QToolButton(m_bar);
  connect(m_quiet, &QToolButton::clicked, this, &FindingsPage::showQuietRules);
  row->addWidget(m_quiet);
}

QString FindingsPage::tabText() const {
  const std::size_t count = m_model.findings()->report.findings.size();
  return count == 0 ? tr("Findings") : tr("Findings %1").arg(count);
}

bool FindingsPage::isSettled() const { return !m_session.isBusy() && !m_refresh.isActive() && !m_jobs.isBusy(); }

QString FindingsPage::stateTitle() const {
  return m_stack->currentWidget() == m_state ? m_state->words().title : QString();
}

void FindingsPage::refresh() {
  m_refresh.start();
  m_slow.start();
}

void FindingsPage::build() {
  const int base = m_session.baseline();
  if (base < 0) {
    m_jobs.cancelAll();
    if (m_model.findings()->trace != nullptr) put(std::make_shared<RunFindings>());
  } else {
    const Run* run = m_session.run(base);
    m_jobs.start(
        QStringLiteral("findings"),
        [facts = run->facts(), number = run->number(), scope = m_session.scopeRange(base), thresholds = m_thresholds](
            std::stop_token stop) { return findingsOf(number, *facts, scope, thresholds, stop); },
        [this](std::shared_ptr<const RunFindings> findings) { put(std::move(findings)); });
  }
  updateState();
  Q_EMIT settledChanged();
}

void FindingsPage::put(std::shared_ptr<const RunFindings> findings) {
  // The finding of the same rule stays chosen.
  const Finding* before = chosen();
  const std::string_view rule = before == nullptr ? std::string_view{} : before->rule;
  m_model.setFindings(std::move(findings));
  int row = 0;
  for (int i = m_model.rowCount() - 1; i >= 0; --i) {
    if (m_model.at(i).rule == rule) row = i;
  }
  m_list->setCurrentIndex(m_model.index(row));
  showChosen();
  updateBar();
  updateState();
  Q_EMIT tabTextChanged();
}

void FindingsPage::updateBar() {
  const auto name = [this](FindingSeverity severity, const QString& words) {
    QToolButton* button = m_filters[static_cast<std::size_t>(severity)];
    button->setText(QStringLiteral("%1 %2").arg(words).arg(m_model.countOf(severity)));
    button->setToolTip(tr("Show or hide them"));
  };
  name(FindingSeverity::kProblem, tr("Problems"));
  name(FindingSeverity::kWarning, tr("Warnings"));
  name(FindingSeverity::kInfo, tr("Notes"));
  const FindingsReport& report = m_model.findings()->report;
  m_quiet->setText(
      report.failed.empty()
          ? tr("%1 rules clean, %2 not applicable").arg(report.clean.size()).arg(report.notApplicable.size())
          : tr("%1 rules failed, %2 clean, %3 not applicable")
                .arg(report.failed.size())
                .arg(report.clean.size())
                .arg(report.notApplicable.size()));
  const int position = runPosition();
  const bool isOneOfSeveral = m_session.readyRuns().size() > 1 && position >= 0;
  m_whose->setText(isOneOfSeveral ? tr("Of run %1, the baseline").arg(m_session.run(position)->letter()) : QString());
}

void FindingsPage::updateState() {
  const bool isReady = !m_session.readyRuns().empty();
  const bool isWorking = m_session.isBusy() || m_jobs.isBusy() || m_refresh.isActive();
  const FindingsReport& report = m_model.findings()->report;
  if (isReady && !isWorking && report.findings.empty()) {
    QStringList reasons;
    for (const RuleReason& each : report.notApplicable) {
      reasons << QStringLiteral("%1: %2").arg(idOf(each.rule), format::sentence(each.reason));
    }
    m_state->setWords(
        {QStringLiteral("check"),
         QStringLiteral("severity.ok"),
         tr("All %1 rules are clean or do not apply").arg(allRules().size()),
         tr("%1 are clean, %2 do not apply to this trace.").arg(report.clean.size()).arg(report.notApplicable.size()),
         {},
         reasons.join(QLatin1Char('\n'))});
    m_stack->setCurrentWidget(m_state);
  } else {
    m_stack->setCurrentWidget(m_content);
  }
}

const Finding* FindingsPage::chosen() const {
  const QModelIndex current = m_list->currentIndex();
  return current.isValid() && current.row() < m_model.rowCount() ? &m_model.at(current.row()) : nullptr;
}

void FindingsPage::showChosen() {
  if (const Finding* finding = chosen()) {
    m_card->show(m_model.findings(), *finding);
  } else {
    m_card->clear();
  }
}

int FindingsPage::runPosition() const {
  for (int i = 0; i < m_session.runCount(); ++i) {
    const Run* run = m_session.run(i);
    // A run that was read again has other slices.
    if (run->number() == m_model.findings()->runNumber && run->trace() == m_model.findings()->trace.get()) return i;
  }
  return -1;
}

void FindingsPage::showEvidence(int position) {
  const Finding* finding = chosen();
  const int run = runPosition();
  if (finding == nullptr || run < 0 || position < 0) return;
  if (position >= static_cast<int>(finding->evidence.size())) return;
  const Evidence& evidence = finding->evidence[static_cast<std::size_t>(position)];
  if (evidence.range) {
    const std::int64_t anchor = m_session.anchorNs(run);
    m_view.fit({evidence.range->startNs - anchor, evidence.range->endNs - anchor});
    m_view.setCursor(static_cast<double>(evidence.range->startNs - anchor));
    return;
  }
  if (evidence.slices.empty()) return;
  Selection selection;
  std::vector<SliceId> slices = evidence.slices;
  const std::vector<std::int64_t>& durations = m_model.findings()->trace->slices.durationNs;
  selection.leadRun = run;
  selection.leadSlice = *std::max_element(
      slices.begin(), slices.end(), [&](SliceId a, SliceId b) { return durations[index(a)] < durations[index(b)]; });
  std::sort(slices.begin(), slices.end());
  selection.parts.push_back({run, std::move(slices)});
  selection.words = format::sentence(evidence.title);
  selection.origin = SelectionOrigin::kTable;
  const SliceId lead = selection.leadSlice;
  m_session.select(std::move(selection));
  Q_EMIT sliceWanted(run, lead);
}

void FindingsPage::setThreshold(const std::string& rule, double value) {
  const Rule* known = findRule(rule);
  if (known == nullptr) return;
  if (value == known->threshold) {
    m_thresholds.erase(rule);
  } else {
    m_thresholds[rule] = value;
  }
  refresh();
  Q_EMIT thresholdsChanged();
}

QByteArray FindingsPage::thresholds() const {
  QJsonObject object;
  for (const auto& [rule, value] : m_thresholds) object[QString::fromStdString(rule)] = value;
  return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

void FindingsPage::setThresholds(const QByteArray& kept) {
  m_thresholds.clear();
  const QJsonObject object = QJsonDocument::fromJson(kept).object();
  for (auto at = object.begin(); at != object.end(); ++at) {
    const std::string rule = at.key().toStdString();
    if (findRule(rule) != nullptr && at.value().isDouble()) m_thresholds[rule] = at.value().toDouble();
  }
  refresh();
}

void FindingsPage::askThreshold() {
  const Finding* finding = chosen();
  const Rule* rule = finding == nullptr ? nullptr : findRule(finding->rule);
  if (rule == nullptr) return;
  const auto known = m_thresholds.find(rule->id);
  const double now = known == m_thresholds.end() ? rule->threshold : known->second;
  const double scale = rule->isShare ? 100 : 1;
  auto* dialog = new QInputDialog(this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setInputMode(QInputDialog::DoubleInput);
  dialog->setWindowTitle(tr("Threshold of %1").arg(idOf(rule->id)));
  dialog->setLabelText(tr("%1.\nThe rule's own is %2. Threshold%3:")
                           .arg(format::sentence(rule->thresholdWords(now)))
                           .arg(rule->threshold * scale)
                           .arg(rule->isShare ? tr(" in %") : QString()));
  dialog->setDoubleDecimals(2);
  dialog->setDoubleRange(0, 1e12);
  dialog->setDoubleValue(now * scale);
  connect(dialog, &QInputDialog::doubleValueSelected, this,
          [this, id = std::string(rule->id), scale](double value) { setThreshold(id, value / scale); });
  dialog->open();
}

void FindingsPage::showQuietRules() {
  auto* dialog = new QDialog(this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(tr("Rules that found nothing"));
  auto* column = new QVBoxLayout(dialog);
  auto* list = new QListWidget(dialog);
  list->setAccessibleName(dialog->windowTitle());
  list->setWordWrap(true);
  const FindingsReport& report = m_model.findings()->report;
  for (const RuleReason& each : report.failed) {
    list->addItem(tr("%1 failed: %2").arg(idOf(each.rule), format::sentence(each.reason)));
  }
  for (const RuleReason& each : report.notApplicable) {
    list->addItem(tr("%1 does not apply: %2").arg(idOf(each.rule), format::sentence(each.reason)));
  }
  for (const std::string_view rule : report.clean) {
    const Rule* known = findRule(rule);
    const auto chosenValue = m_thresholds.find(rule);
    const double value = chosenValue == m_thresholds.end() ? known->threshold : chosenValue->second;
    list->addItem(tr("%1 is clean: it %2").arg(idOf(rule), format::sentence(known->thresholdWords(value))));
  }
  column->addWidget(list);
  dialog->resize(m_theme.scaled(620), m_theme.scaled(420));
  dialog->open();
}

void FindingsPage::applyTheme() {
  QPalette ground = m_content->palette();
  ground.setColor(QPalette::Window, m_theme.colour(QStringLiteral("surface.pane")));
  m_content->setPalette(ground);
  QPalette ink = m_whose->palette();
  ink.setColor(QPalette::WindowText, m_theme.colour(QStringLiteral("text.secondary")));
  m_whose->setPalette(ink);
  m_whose->setFont(m_theme.font(FontRole::kData));
  m_bar->layout()->setContentsMargins(m_theme.scaled(8), m_theme.scaled(3), m_theme.scaled(8), m_theme.scaled(3));
  const auto icon = [this](FindingSeverity severity) {
    QToolButton* button = m_filters[static_cast<std::size_t>(severity)];
    button->setIcon(QIcon(m_theme.iconPixmap(severityIcon(severity), m_theme.scaled(14),
                                             m_theme.colour(severityToken(severity)), devicePixelRatioF())));
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  };
  icon(FindingSeverity::kProblem);
  icon(FindingSeverity::kWarning);
  icon(FindingSeverity::kInfo);
  m_list->doItemsLayout();
  m_state->applyTheme();
}

}  // namespace attnscope::ui
