// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The Operators tab: host operators as PyTorch's key_averages() counts them, by name or by input shapes, of one trace
// or compared with the baseline; and as a tree of the baseline's by call, by module and layer, or by Python frame. GUI
// thread only; session and theme outlive it.

#include "ui/tables/TablePage.h"

class QToolButton;

namespace attnscope::ui {

enum class OperatorView : std::uint8_t { kByName, kByShape, kCallTree, kModules, kFrames };

class OperatorsPage : public TablePage {
  Q_OBJECT

 public:
  OperatorsPage(Session& session, const Theme& theme, QWidget* parent = nullptr);

  void setView(OperatorView view);
  [[nodiscard]] OperatorView view() const { return m_view; }

 protected:
  [[nodiscard]] Builder builder() override;
  [[nodiscard]] QString pageName() const override;
  [[nodiscard]] PageStateWords emptyWords() const override;
  [[nodiscard]] QString allRows(const QString& scope) const override;
  [[nodiscard]] QString someRows(const QString& shown, const QString& all) const override;

 private:
  OperatorView m_view = OperatorView::kByName;
  QList<QToolButton*> m_buttons;  // by OperatorView
};

}  // namespace attnscope::ui
