// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/RecordsPage.h"

#include <QAction>
#include <QButtonGroup>
#include <QHBoxLayout>
#include <QTableView>
#include <QToolButton>

namespace attnscope::ui {

RecordsPage::RecordsPage(Session& session, const Theme& theme, QWidget* parent) : TablePage(session, theme, parent) {
  tableView()->setAccessibleName(tr("Records"));
  auto* segment = new QWidget(noteBar());
  segment->setObjectName(QStringLiteral("segment"));
  segment->setAttribute(Qt::WA_StyledBackground);
  auto* row = new QHBoxLayout(segment);
  row->setContentsMargins(2, 2, 2, 2);
  row->setSpacing(0);
  auto* group = new QButtonGroup(segment);
  const std::array<QString, 3> titles = {tr("Selection"), tr("Steps"), tr("Memory events")};
  for (std::size_t i = 0; i < titles.size(); ++i) {
    auto* button = new QToolButton(segment);
    button->setText(titles[i]);
    button->setCheckable(true);
    group->addButton(button);
    row->addWidget(button);
    connect(button, &QToolButton::clicked, this, [this, i] { setView(static_cast<RecordView>(i)); });
    m_buttons[i] = button;
    auto* action = new QAction(tr("Records: %1").arg(titles[i].toLower()), this);
    connect(action, &QAction::triggered, button, &QToolButton::click);
    addTableAction(action);
  }
  m_buttons.front()->setChecked(true);
  noteBar()->layout()->addWidget(segment);
  connect(&session, &Session::selectionChanged, this, [this] {
    // A row that is chosen here is one of the selection: the others stay in sight.
    if (m_view == RecordView::kSelection && !isSelecting()) refresh();
  });
}

void RecordsPage::setView(RecordView view) {
  if (view == m_view) return;
  m_view = view;
  m_buttons[static_cast<std::size_t>(view)]->setChecked(true);
  refresh();
}

TablePage::Builder RecordsPage::builder() {
  std::optional<std::vector<RunInput>> runs = inputs();
  if (!runs || runs->empty()) return {};
  std::vector<RecordInput> records;
  for (RunInput& run : *runs) {
    RecordInput record;
    for (int position = 0; position < session().runCount(); ++position) {
      if (session().run(position)->number() != run.runNumber) continue;
      record.anchorNs = session().anchorNs(position);
      const std::vector<SliceId>* slices = session().selection().slicesOf(position);
      if (m_view == RecordView::kSelection && slices != nullptr) record.slices = *slices;
    }
    record.run = std::move(run);
    records.push_back(std::move(record));
  }
  switch (m_view) {
    case RecordView::kSelection:
      return [records = std::move(records)] { return sliceRows(records); };
    case RecordView::kSteps:
      return [records = std::move(records)] { return stepRows(records); };
    case RecordView::kMemoryEvents:
      return [records = std::move(records)] { return memoryEventRows(records); };
  }
  return {};
}

QString RecordsPage::pageName() const { return tr("Records"); }

PageStateWords RecordsPage::emptyWords() const {
  const auto words = [](const QString& title, const QString& text, const QString& code = {}) {
    return PageStateWords{QStringLiteral("table"), QStringLiteral("text.secondary"), title, text, code, {}};
  };
  switch (m_view) {
    case RecordView::kSelection:
      return words(tr("Nothing is selected"),
                   tr("Select slices on the timelines, or rows of another table: each slice is a row here."));
    case RecordView::kSteps:
      return words(tr("No steps recorded in this scope"), tr("Steps are what the profiler's step() ends. Record with:"),
                   QStringLiteral("with profile(schedule=...) as prof:\n    ...\n    prof.step()"));
    case RecordView::kMemoryEvents:
      return words(tr("No memory events in this scope"), tr("Each allocation and each free is a row. Record with:"),
                   QStringLiteral("profile(..., profile_memory=True, record_shapes=True)"));
  }
  return {};
}

QString RecordsPage::allRows(const QString& scope) const {
  switch (m_view) {
    case RecordView::kSelection:
      return tr("All slices of the selection");
    case RecordView::kSteps:
      return scope.isEmpty() ? tr("All steps") : tr("All steps of %1").arg(scope);
    case RecordView::kMemoryEvents:
      return scope.isEmpty() ? tr("All memory events") : tr("All memory events of %1").arg(scope);
  }
  return {};
}

QString RecordsPage::someRows(const QString& shown, const QString& all) const {
  switch (m_view) {
    case RecordView::kSelection:
      return tr("%1 of %2 slices").arg(shown, all);
    case RecordView::kSteps:
      return tr("%1 of %2 steps").arg(shown, all);
    case RecordView::kMemoryEvents:
      return tr("%1 of %2 memory events").arg(shown, all);
  }
  return {};
}

}  // namespace attnscope::ui
