// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/ComparePage.h"

#include <algorithm>

#include <QAction>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QTableView>
#include <QToolButton>

#include "ui/tables/CompareRows.h"

namespace attnscope::ui {

ComparePage::ComparePage(Session& session, const Theme& theme, QWidget* parent)
    : TablePage(session, theme, parent), m_session(session) {
  tableView()->setAccessibleName(tr("Compared operators"));
  addSegment();
  addPairActions();
}

void ComparePage::addSegment() {
  const QStringList titles{tr("Whole scope"), tr("A step"), tr("A call")};
  m_segment = addViews(titles, [this](int at) { setNormalisation(static_cast<Normalisation>(at)); });
  for (int at = 0; at < titles.size(); ++at) m_segment[at]->setAccessibleName(tr("Times of: %1").arg(titles[at]));
  noteBar()->layout()->setAlignment(m_segment.front()->parentWidget(), Qt::AlignTop);
}

void ComparePage::addPairActions() {
  m_pair = new QAction(tr("Pair the two rows"), this);
  m_pair->setToolTip(tr("One that only the baseline has stands for one that only another run has"));
  connect(m_pair, &QAction::triggered, this, [this] { pairSelected(); });
  addTableAction(QStringLiteral("pair"), m_pair);
  m_cut = new QAction(tr("Cut the pair"), this);
  m_cut->setToolTip(tr("Either side of the row stands alone"));
  connect(m_cut, &QAction::triggered, this, [this] { cutSelected(); });
  addTableAction(QStringLiteral("cut"), m_cut);
  m_forget = new QAction(tr("Forget pairs made by hand"), this);
  m_forget->setToolTip(tr("Match as the program does by itself"));
  connect(m_forget, &QAction::triggered, this, &ComparePage::forgetPairs);
  addTableAction(QStringLiteral("forgetPairs"), m_forget);
  connect(tableView()->selectionModel(), &QItemSelectionModel::selectionChanged, this, &ComparePage::refreshActions);
  connect(&m_session, &Session::comparisonChanged, this, &ComparePage::refreshActions);
  refreshActions();
}

std::vector<std::uint32_t> ComparePage::selectedGroups() const {
  std::vector<std::uint32_t> groups;
  const auto comparison = m_session.comparison();
  // Rows of an older comparison name other groups.
  if (!comparison || model().rows().wholeRows() != comparison->groups.size()) return groups;
  for (const QModelIndex& line : tableView()->selectionModel()->selectedRows()) {
    const std::uint32_t row = model().rowAt(line.row());
    if (row < comparison->groups.size()) groups.push_back(row);  // and no kernel of one
  }
  return groups;
}

void ComparePage::refreshActions() {
  const std::vector<std::uint32_t> selected = selectedGroups();
  const auto comparison = m_session.comparison();
  const auto group = [&](std::size_t i) -> const ComparisonGroup& { return comparison->groups[selected[i]]; };
  m_pair->setEnabled(selected.size() == 2 && (canPair(group(0), group(1)) || canPair(group(1), group(0))));
  m_cut->setEnabled(selected.size() == 1 && canCut(group(0)));
  m_forget->setEnabled(!m_session.pairRules().empty());
}

bool ComparePage::pairSelected() {
  const std::vector<std::uint32_t> selected = selectedGroups();
  if (selected.size() != 2) return false;
  const auto comparison = m_session.comparison();
  const ComparisonGroup* base = &comparison->groups[selected[0]];
  const ComparisonGroup* other = &comparison->groups[selected[1]];
  if (!canPair(*base, *other)) std::swap(base, other);
  if (!canPair(*base, *other)) return false;
  std::vector<PairRule> rules = m_session.pairRules();
  rules.push_back({PairRuleKind::kPair, base->key, other->key});
  m_session.setPairRules(std::move(rules));
  return true;
}

bool ComparePage::cutSelected() {
  const std::vector<std::uint32_t> selected = selectedGroups();
  if (selected.size() != 1) return false;
  const ComparisonGroup& group = m_session.comparison()->groups[selected.front()];
  if (!canCut(group)) return false;
  std::vector<PairRule> rules = m_session.pairRules();
  rules.push_back({PairRuleKind::kCut, group.key, {}});
  m_session.setPairRules(std::move(rules));
  return true;
}

void ComparePage::forgetPairs() { m_session.setPairRules({}); }

void ComparePage::setNormalisation(Normalisation normalisation) {
  if (normalisation == m_normalisation) return;
  m_normalisation = normalisation;
  m_segment[static_cast<int>(normalisation)]->setChecked(true);
  refresh();
}

TablePage::Builder ComparePage::builder() {
  std::optional<std::vector<RunInput>> runs = inputs();
  if (!runs || runs->empty()) return {};
  if (runs->size() == 1) {
    return [] { return std::make_shared<const TableRows>(); };
  }
  const std::shared_ptr<const Comparison> comparison = m_session.comparison();
  // The comparison of an older set of runs is not shown with the tables of the newer one.
  std::vector<int> numbers;
  for (const int position : m_session.comparedRuns()) numbers.push_back(m_session.run(position)->number());
  std::vector<int> wanted;
  for (const RunInput& run : *runs) wanted.push_back(run.runNumber);
  if (comparison == nullptr || numbers != wanted) return {};
  return [runs = *runs, comparison, normalisation = m_normalisation, titles = kindTitles()] {
    return comparedGroupRows(runs, *comparison, normalisation, titles);
  };
}

QString ComparePage::pageName() const { return tr("Compare"); }

PageStateWords ComparePage::emptyWords() const {
  if (m_session.readyRuns().size() < 2) {
    return {QStringLiteral("compare"),
            QStringLiteral("text.secondary"),
            tr("Add a second run"),
            tr("Open another trace or session, or run implementations in the lab: what changed, and by how much, "
               "stands here then."),
            {},
            {}};
  }
  return {QStringLiteral("compare"),
          QStringLiteral("text.secondary"),
          tr("Nothing to compare in this scope"),
          tr("No run has operators or kernels in the part that is in scope."),
          {},
          {}};
}

QString ComparePage::allRows(const QString& scope) const {
  return scope.isEmpty() ? tr("All groups") : tr("All groups of %1").arg(scope);
}

QString ComparePage::someRows(const QString& shown, const QString& all) const {
  return tr("%1 of %2 groups").arg(shown, all);
}

}  // namespace attnscope::ui
