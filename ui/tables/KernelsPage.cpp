// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/KernelsPage.h"

#include <algorithm>

#include <QAction>
#include <QTableView>

namespace attnscope::ui {

KernelsPage::KernelsPage(Session& session, const Theme& theme, QWidget* parent) : TablePage(session, theme, parent) {
  tableView()->setAccessibleName(tr("Kernels"));
  auto* grouped = new QAction(tr("Group by kind of work"), this);
  grouped->setCheckable(true);
  connect(grouped, &QAction::toggled, this, &TablePage::setGrouped);
  addTableAction(QStringLiteral("group"), grouped);
  m_byLaunch = new QAction(tr("A row for each launch shape"), this);
  m_byLaunch->setCheckable(true);
  connect(m_byLaunch, &QAction::toggled, this,
          [this](bool isOn) { setGrouping(isOn ? KernelGrouping::kByLaunch : KernelGrouping::kByName); });
  addTableAction(QStringLiteral("byLaunch"), m_byLaunch);
}

void KernelsPage::setGrouping(KernelGrouping grouping) {
  if (grouping == m_grouping) return;
  m_grouping = grouping;
  m_byLaunch->setChecked(grouping == KernelGrouping::kByLaunch);
  refresh();
}

bool KernelsPage::hasDeviceWork() const {
  const std::vector<int> ready = session().readyRuns();
  return std::all_of(ready.begin(), ready.end(),
                     [this](int position) { return session().run(position)->trace()->hasDeviceWork(); });
}

TablePage::Builder KernelsPage::builder() {
  std::optional<std::vector<RunInput>> runs = inputs();
  if (!runs || runs->empty()) return {};
  const QStringList titles = kindTitles();
  if (runs->size() == 1) {
    const RunInput& run = runs->front();
    if (run.facts->trace->hasDeviceWork()) {
      return [run, titles, grouping = m_grouping] { return kernelRows(run, grouping, titles); };
    }
    return [run, titles] { return leafOperatorRows(run, titles); };
  }
  if (!hasDeviceWork()) return [runs = *runs, titles] { return comparedLeafRows(runs, titles); };
  const std::shared_ptr<const Comparison> comparison = session().comparison();
  // The comparison of an older set of runs is not shown with the tables of the newer one.
  std::vector<int> numbers;
  for (const int position : session().comparedRuns()) numbers.push_back(session().run(position)->number());
  std::vector<int> wanted;
  for (const RunInput& run : *runs) wanted.push_back(run.runNumber);
  if (comparison == nullptr || numbers != wanted) return {};
  return [runs = *runs, comparison, titles] { return comparedKernelRows(runs, *comparison, titles); };
}

QString KernelsPage::pageName() const { return tr("Kernels"); }

PageStateWords KernelsPage::emptyWords() const {
  const bool scoped = session().scope().kind != ScopeKind::kWhole;
  if (scoped) {
    return {QStringLiteral("table"),
            QStringLiteral("text.secondary"),
            tr("No kernels in this scope"),
            tr("None starts in the part of the trace that is in scope. The whole trace may have some."),
            {},
            {}};
  }
  return {QStringLiteral("table"),
          QStringLiteral("text.secondary"),
          tr("No kernels and no operators recorded"),
          tr("The trace has neither device work nor host operators. Record again with:"),
          QStringLiteral("profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])"),
          {}};
}

QString KernelsPage::allRows(const QString& scope) const {
  if (hasDeviceWork()) return scope.isEmpty() ? tr("All kernels") : tr("All kernels of %1").arg(scope);
  return scope.isEmpty() ? tr("All operators that work") : tr("All operators that work of %1").arg(scope);
}

QString KernelsPage::someRows(const QString& shown, const QString& all) const {
  return hasDeviceWork() ? tr("%1 of %2 kernels").arg(shown, all) : tr("%1 of %2 operators").arg(shown, all);
}

}  // namespace attnscope::ui
