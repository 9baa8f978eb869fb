// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/LowerArea.h"

#include <algorithm>

#include <QAction>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLineEdit>
#include <QSplitter>
#include <QStyle>
#include <QTabBar>
#include <QVBoxLayout>

#include "ui/charts/ChartsPage.h"
#include "ui/charts/InsidePage.h"
#include "ui/charts/MemoryPage.h"
#include "ui/findings/FindingsPage.h"
#include "ui/shell/AppSettings.h"
#include "ui/shell/Details.h"
#include "ui/shell/IconButton.h"
#include "ui/shell/ScopeChip.h"
#include "ui/shell/SelectionPage.h"
#include "ui/shell/TabGroup.h"
#include "ui/tables/ComparePage.h"
#include "ui/tables/KernelsPage.h"
#include "ui/tables/OperatorsPage.h"
#include "ui/tables/RecordsPage.h"
#include "ui/theme/Surface.h"

namespace attnscope::ui {

namespace {

constexpr int kTwoGroupsFrom = 1440;  // a window of 1680 less its sidebar

}  // namespace

LowerArea::LowerArea(Session& session, ViewState& view, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_session(session), m_theme(theme) {
  setObjectName(QStringLiteral("lowerArea"));
  setMinimumHeight(theme.scaled(150));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  m_splitter = new QSplitter(Qt::Horizontal, this);
  m_splitter->setHandleWidth(theme.size(QStringLiteral("splitter")));
  m_splitter->setChildrenCollapsible(false);
  column->addWidget(m_splitter);
  m_left = new TabGroup(theme, m_splitter);
  m_right = new TabGroup(theme, m_splitter);
  m_splitter->addWidget(m_left);
  m_splitter->addWidget(m_right);
  m_splitter->setStretchFactor(0, 63);
  m_splitter->setStretchFactor(1, 37);
  m_right->hide();
  m_left->tabs()->setObjectName(QStringLiteral("lowerTabs"));
  m_right->tabs()->setAccessibleName(tr("Lower area, right"));

  m_kernels = new KernelsPage(session, theme, m_left);
  m_operators = new OperatorsPage(session, theme, m_left);
  m_memory = new MemoryPage(session, view, theme, m_left);
  m_left->addPage(m_kernels, m_kernels->tabText());
  m_left->addPage(m_operators, m_operators->tabText());
  m_compare = new ComparePage(session, theme, m_left);
  m_left->addPage(m_memory, tr("Memory"));
  m_left->addPage(m_compare, m_compare->tabText());
  m_findings = new FindingsPage(session, view, theme, m_left);
  m_records = new RecordsPage(session, theme, m_left);
  m_left->addPage(m_findings, m_findings->tabText());
  m_left->addPage(m_records, m_records->tabText());
  m_charts = new ChartsPage(session, theme, m_left);
  m_left->addPage(m_charts, tr("Charts"));
  for (TablePage* table : tables()) {
    connect(table, &TablePage::tabTextChanged, this, [this, table] { m_left->setPageText(table, table->tabText()); });
    connect(table, &TablePage::filterErrorChanged, this, &LowerArea::refreshFilterState);
  }
  connect(m_findings, &FindingsPage::tabTextChanged, this,
          [this] { m_left->setPageText(m_findings, m_findings->tabText()); });
  m_selected = new SelectionPage(session, theme, m_left);
  m_left->addPage(m_selected, tr("Selection"));
  m_inside = new InsidePage(session, theme, this);
  m_inside->hide();
  connect(m_inside, &InsidePage::wantedChanged, this, &LowerArea::showInsideWhereWanted);

  m_left->addControl(new ScopeChip(session, view, theme, m_left));
  m_filter = new QLineEdit(m_left);
  m_filter->setObjectName(QStringLiteral("tableFilter"));
  m_filter->setClearButtonEnabled(true);
  m_filter->setFixedWidth(theme.scaled(150));
  m_filter->setFixedHeight(theme.size(QStringLiteral("control_small")));
  m_left->addControl(m_filter);
  m_fold = new IconButton(theme, QStringLiteral("chevron_down"), tr("Fold the lower area"), m_left);
  m_fold->setSmall(true);
  m_left->addControl(m_fold);
  connect(m_filter, &QLineEdit::textChanged, this, &LowerArea::applyFilter);
  connect(m_fold, &QToolButton::clicked, this, [this] { setFolded(!m_isFolded); });
  for (TabGroup* group : {m_left, m_right}) {
    connect(group, &TabGroup::currentChanged, this, &LowerArea::refreshControls);
    connect(group, &TabGroup::tabClicked, this, [this] { setFolded(false); });
    connect(group, &TabGroup::tabDoubleClicked, this, [this] { setFolded(true); });
  }
  connect(&m_theme, &Theme::changed, this, [this] {
    m_filter->setFixedHeight(m_theme.size(QStringLiteral("control_small")));
    m_filter->setFixedWidth(m_theme.scaled(150));
    if (m_isFolded) setMaximumHeight(m_theme.size(QStringLiteral("tab_bar")));
  });
  refreshControls();
}

QWidget* LowerArea::kernels() const { return m_kernels; }
QWidget* LowerArea::operators() const { return m_operators; }
QWidget* LowerArea::memory() const { return m_memory; }
QWidget* LowerArea::compare() const { return m_compare; }
QWidget* LowerArea::details() const { return m_details; }

QList<QWidget*> LowerArea::pages() const {
  QList<QWidget*> pages{m_kernels, m_operators, m_memory, m_compare, m_findings, m_records, m_charts, m_selected};
  if (m_details) pages << m_details;
  if (m_inside->isWanted()) pages << m_inside;
  return pages;
}

bool LowerArea::isShown(const QWidget* page) const {
  return !m_isFolded && (m_left->currentPage() == page || (!m_right->isHidden() && m_right->currentPage() == page));
}

void LowerArea::addDetails(Details* details) {
  if (m_details == details) return;
  m_details = details;
  (m_right->isHidden() ? m_left : m_right)->addPage(details, tr("Details"));
  Q_EMIT pagesChanged();
}

void LowerArea::removeDetails(Details* details) {
  if (m_details != details) return;
  m_details = nullptr;
  for (TabGroup* group : {m_left, m_right}) group->removePage(details);
  Q_EMIT pagesChanged();
}

void LowerArea::showInsideWhereWanted() {
  if (m_inside->isWanted()) {
    m_left->addPage(m_inside, tr("Inside"));
  } else {
    m_left->removePage(m_inside);
    m_inside->setParent(this);
    m_inside->hide();
  }
  Q_EMIT pagesChanged();
}

bool LowerArea::hasDetails() const { return m_details != nullptr; }

void LowerArea::showPage(QWidget* page) {
  setFolded(false);
  for (TabGroup* group : {m_left, m_right}) group->setCurrentPage(page);
}

void LowerArea::arrange() {
  const bool isWide = width() >= m_theme.scaled(kTwoGroupsFrom);
  if (isWide != m_right->isHidden()) return;
  TabGroup* from = isWide ? m_left : m_right;
  TabGroup* to = isWide ? m_right : m_left;
  QWidget* current = from->currentPage();
  const auto move = [&](QWidget* page, const QString& text) {
    if (!page || !from->holds(page)) return;
    from->removePage(page);
    to->addPage(page, text);
    if (current == page && isWide) to->setCurrentPage(page);  // back in one group its own choice stays
  };
  move(m_memory, tr("Memory"));
  move(m_details, tr("Details"));
  m_right->setVisible(isWide);
  if (isWide) m_splitter->setSizes({width() * 63 / 100, width() * 37 / 100});
  Q_EMIT pagesChanged();
}

void LowerArea::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

void LowerArea::setFolded(bool isFolded) {
  if (isFolded == m_isFolded) return;
  m_isFolded = isFolded;
  m_left->setFolded(isFolded);
  m_right->setFolded(isFolded);
  const int bar = m_theme.size(QStringLiteral("tab_bar"));
  setMinimumHeight(isFolded ? bar : m_theme.scaled(150));
  setMaximumHeight(isFolded ? bar : QWIDGETSIZE_MAX);
  m_fold->setIconName(isFolded ? QStringLiteral("chevron_up") : QStringLiteral("chevron_down"));
  m_fold->setAccessibleName(isFolded ? tr("Unfold the lower area") : tr("Fold the lower area"));
  m_fold->setToolTip(m_fold->accessibleName());
  refreshControls();
  Q_EMIT foldedChanged();
}

QList<TablePage*> LowerArea::tables() const { return {m_kernels, m_operators, m_compare, m_records}; }

TablePage* LowerArea::filtered() const {
  QWidget* current = m_left->currentPage();
  for (TablePage* table : tables()) {
    if (table == current) return table;
  }
  return nullptr;
}

void LowerArea::refreshFilterState() {
  const TablePage* table = filtered();
  const QString error = table ? table->filterError() : QString();
  m_filter->setToolTip(error.isEmpty() ? tr("Words, or an expression: total > 1ms and name ~ gemm") : error);
  m_filter->setProperty("isWrong", !error.isEmpty());
  m_filter->style()->unpolish(m_filter);
  m_filter->style()->polish(m_filter);
}

void LowerArea::refreshControls() {
  TablePage* table = filtered();
  m_filter->setVisible(table && !m_isFolded);
  if (!table) return;
  m_filter->setPlaceholderText(table == m_kernels     ? tr("Filter kernels")
                               : table == m_operators ? tr("Filter operators")
                               : table == m_compare   ? tr("Filter groups")
                                                      : tr("Filter records"));
  m_filter->setAccessibleName(m_filter->placeholderText());
  const QSignalBlocker quiet(m_filter);
  m_filter->setText(m_filters.value(table));
  refreshFilterState();
}

void LowerArea::applyFilter(const QString& text) {
  TablePage* table = filtered();
  if (!table) return;
  m_filters[table] = text;
  table->setFilterText(text);
}

bool LowerArea::hasFilter() const { return !m_filter->text().isEmpty(); }
void LowerArea::clearFilter() { m_filter->clear(); }

void LowerArea::restoreChoices(AppSettings& settings) {
  const auto keyOf = [](const TablePage* table) {
    return QStringLiteral("columns/%1").arg(QString::fromLatin1(table->metaObject()->className()).section(u':', -1));
  };
  for (TablePage* table : tables()) {
    QHash<QString, bool> choice;
    const QJsonObject kept = QJsonDocument::fromJson(settings.bytes(keyOf(table))).object();
    for (auto at = kept.begin(); at != kept.end(); ++at) choice[at.key()] = at.value().toBool();
    table->setColumnChoice(choice);
    connect(table, &TablePage::columnChoiceChanged, this, [table, keyOf, &settings] {
      QJsonObject object;
      const QHash<QString, bool> now = table->columnChoice();
      for (auto at = now.begin(); at != now.end(); ++at) object[at.key()] = at.value();
      settings.setBytes(keyOf(table), QJsonDocument(object).toJson(QJsonDocument::Compact));
    });
  }
  m_findings->setThresholds(settings.bytes(QStringLiteral("findings/thresholds")));
  connect(m_findings, &FindingsPage::thresholdsChanged, this,
          [this, &settings] { settings.setBytes(QStringLiteral("findings/thresholds"), m_findings->thresholds()); });
}

void LowerArea::focusFilter() {
  setFolded(false);
  if (!filtered()) showPage(m_kernels);
  m_filter->setFocus(Qt::ShortcutFocusReason);
  m_filter->selectAll();
}

bool LowerArea::isSettled() const {
  const QList<TablePage*> all = tables();
  return std::all_of(all.begin(), all.end(), [](const TablePage* table) { return table->isSettled(); }) &&
         m_memory->isSettled() && m_findings->isSettled() && m_charts->isSettled() && m_selected->isSettled() &&
         m_inside->isSettled();
}

QList<QAction*> LowerArea::tableActions() const {
  QList<QAction*> actions;
  for (const TablePage* table : tables()) actions += table->tableActions();
  return actions + m_charts->chartActions();
}

}  // namespace attnscope::ui
