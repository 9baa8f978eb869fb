// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/RecordsPage.h"

#include <QAction>
#include <QTableView>
#include <QToolButton>

namespace attnscope::ui {

RecordsPage::RecordsPage(Session& session, const Theme& theme, QWidget* parent) : TablePage(session, theme, parent) {
  tableView()->setAccessibleName(tr("Records"));
  const QStringList titles{tr("Selected slices"), tr("Steps"), tr("Memory events")};
  m_buttons = addViews(titles, [this](int at) { setView(static_cast<RecordView>(at)); });
  // The same by key and by menu.
  for (int at = 0; at < titles.size(); ++at) {
    auto* action = new QAction(tr("Records: %1").arg(titles[at].toLower()), this);
    connect(action, &QAction::triggered, m_buttons[at], &QToolButton::click);
    addTableAction(QStringLiteral("records%1").arg(at), action);
  }
  connect(&session, &Session::selectionChanged, this, [this] {
    // A row that is chosen here is one of the selection: the others stay in sight.
    if (m_view == RecordView::kSelection && !isSelecting()) refresh();
  });
}

void RecordsPage::setView(RecordView view) {
  if (view == m_view) return;
  m_view = view;
  m_buttons[static_cast<int>(view)]->setChecked(true);
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
