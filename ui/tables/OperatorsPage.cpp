// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/OperatorsPage.h"

#include <QAction>
#include <QTableView>
#include <QToolButton>

#include "ui/tables/OperatorRows.h"
#include "ui/tables/PathRows.h"

namespace attnscope::ui {

OperatorsPage::OperatorsPage(Session& session, const Theme& theme, QWidget* parent)
    : TablePage(session, theme, parent) {
  tableView()->setAccessibleName(tr("Operators"));
  const QStringList titles{tr("By name"), tr("By input shapes"), tr("Call tree"), tr("Modules"), tr("Python")};
  m_buttons = addViews(titles, [this](int at) { setView(static_cast<OperatorView>(at)); });
  // The same by key and by menu.
  for (int at = 0; at < titles.size(); ++at) {
    auto* action = new QAction(tr("Operators: %1").arg(titles[at].toLower()), this);
    connect(action, &QAction::triggered, m_buttons[at], &QToolButton::click);
    addTableAction(QStringLiteral("operators%1").arg(at), action);
  }
}

void OperatorsPage::setView(OperatorView view) {
  if (view == m_view) return;
  m_view = view;
  m_buttons[static_cast<int>(view)]->setChecked(true);
  refresh();
}

TablePage::Builder OperatorsPage::builder() {
  std::optional<std::vector<RunInput>> runs = inputs();
  if (!runs || runs->empty()) return {};
  const auto tree = [&runs](PathGrouping grouping) {
    return [run = runs->front(), grouping, isOneOfSeveral = runs->size() > 1] {
      return pathRows(run, grouping, isOneOfSeveral);
    };
  };
  const auto flat = [&runs](OperatorGrouping grouping) {
    return [runs = *runs, grouping] { return operatorRows(runs, grouping); };
  };
  switch (m_view) {
    case OperatorView::kByName:
      return flat(OperatorGrouping::kByName);
    case OperatorView::kByShape:
      return flat(OperatorGrouping::kByShape);
    case OperatorView::kCallTree:
      return tree(PathGrouping::kCalls);
    case OperatorView::kModules:
      return tree(PathGrouping::kModules);
    case OperatorView::kFrames:
      return tree(PathGrouping::kFrames);
  }
  return {};
}

QString OperatorsPage::pageName() const { return tr("Operators"); }

PageStateWords OperatorsPage::emptyWords() const {
  if (session().scope().kind != ScopeKind::kWhole) {
    return {QStringLiteral("table"),
            QStringLiteral("text.secondary"),
            tr("No operators in this scope"),
            tr("None starts in the part of the trace that is in scope. The whole trace may have some."),
            {},
            {}};
  }
  return {QStringLiteral("table"),
          QStringLiteral("text.secondary"),
          tr("No operators recorded"),
          tr("The trace has no host operators: the profiler was not asked for them. Record again with:"),
          QStringLiteral("profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])"),
          {}};
}

QString OperatorsPage::allRows(const QString& scope) const {
  return scope.isEmpty() ? tr("All operators") : tr("All operators of %1").arg(scope);
}

QString OperatorsPage::someRows(const QString& shown, const QString& all) const {
  return tr("%1 of %2 operators").arg(shown, all);
}

}  // namespace attnscope::ui
