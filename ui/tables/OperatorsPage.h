// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The Operators tab: host operators as PyTorch's key_averages() counts them, by name or by input shapes, of one trace
// or compared with the baseline. GUI thread only; session and theme outlive it.

#include "ui/tables/TablePage.h"

class QToolButton;

namespace attnscope::ui {

class OperatorsPage : public TablePage {
  Q_OBJECT

 public:
  OperatorsPage(Session& session, const Theme& theme, QWidget* parent = nullptr);

  void setGrouping(OperatorGrouping grouping);
  [[nodiscard]] OperatorGrouping grouping() const { return m_grouping; }

 protected:
  [[nodiscard]] Builder builder() override;
  [[nodiscard]] QString pageName() const override;
  [[nodiscard]] PageStateWords emptyWords() const override;
  [[nodiscard]] QString allRows(const QString& scope) const override;
  [[nodiscard]] QString someRows(const QString& shown, const QString& all) const override;

 private:
  OperatorGrouping m_grouping = OperatorGrouping::kByName;
  QToolButton* m_byName = nullptr;
  QToolButton* m_byShape = nullptr;
};

}  // namespace attnscope::ui
