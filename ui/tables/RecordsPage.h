// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The Records tab: a row for each slice of the selection, each step, or each memory event in scope. GUI thread only;
// session and theme outlive it.

#include "ui/tables/RecordRows.h"
#include "ui/tables/TablePage.h"

class QToolButton;

namespace attnscope::ui {

enum class RecordView : std::uint8_t { kSelection, kSteps, kMemoryEvents };

class RecordsPage : public TablePage {
  Q_OBJECT

 public:
  RecordsPage(Session& session, const Theme& theme, QWidget* parent = nullptr);

  void setView(RecordView view);
  [[nodiscard]] RecordView view() const { return m_view; }

 protected:
  [[nodiscard]] Builder builder() override;
  [[nodiscard]] QString pageName() const override;
  [[nodiscard]] PageStateWords emptyWords() const override;
  [[nodiscard]] QString allRows(const QString& scope) const override;
  [[nodiscard]] QString someRows(const QString& shown, const QString& all) const override;
  // All of its rows are the selection's.
  [[nodiscard]] bool followsSelection() const override { return m_view != RecordView::kSelection; }

 private:
  RecordView m_view = RecordView::kSelection;
  QList<QToolButton*> m_buttons;  // by RecordView
};

}  // namespace attnscope::ui
