// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/OperatorsPage.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QTableView>
#include <QToolButton>

#include "ui/tables/OperatorRows.h"

namespace attnscope::ui {

OperatorsPage::OperatorsPage(Session& session, const Theme& theme, QWidget* parent)
    : TablePage(session, theme, parent) {
  tableView()->setAccessibleName(tr("Operators"));
  auto* segment = new QWidget(noteBar());
  segment->setObjectName(QStringLiteral("segment"));
  segment->setAttribute(Qt::WA_StyledBackground);
  auto* row = new QHBoxLayout(segment);
  row->setContentsMargins(2, 2, 2, 2);
  row->setSpacing(0);
  auto* group = new QButtonGroup(segment);
  const auto add = [&](const QString& text, OperatorGrouping grouping) {
    auto* button = new QToolButton(segment);
    button->setText(text);
    button->setCheckable(true);
    group->addButton(button);
    row->addWidget(button);
    connect(button, &QToolButton::clicked, this, [this, grouping] { setGrouping(grouping); });
    return button;
  };
  m_byName = add(tr("By name"), OperatorGrouping::kByName);
  m_byShape = add(tr("By input shapes"), OperatorGrouping::kByShape);
  m_byName->setChecked(true);
  noteBar()->layout()->addWidget(segment);
}

void OperatorsPage::setGrouping(OperatorGrouping grouping) {
  if (grouping == m_grouping) return;
  m_grouping = grouping;
  m_byName->setChecked(grouping == OperatorGrouping::kByName);
  m_byShape->setChecked(grouping == OperatorGrouping::kByShape);
  refresh();
}

TablePage::Builder OperatorsPage::builder() {
  std::optional<std::vector<RunInput>> runs = inputs();
  if (!runs || runs->empty()) return {};
  return [runs = *runs, grouping = m_grouping] { return operatorRows(runs, grouping); };
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
