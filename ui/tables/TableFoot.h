// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The line of totals under a table: it stands under the columns and never scrolls away with the rows.
// GUI thread only; model, header and theme outlive it.

#include <QWidget>

class QHeaderView;

namespace attnscope::ui {

class RowTable;
class Theme;

class TableFoot : public QWidget {
  Q_OBJECT

 public:
  TableFoot(const RowTable& model, const QHeaderView& header, const Theme& theme, QWidget* parent = nullptr);

  void setTitle(const QString& title, const QString& note);  // "All kernels of step 3", "rows sum to this line"
  [[nodiscard]] QString title() const { return m_title; }
  // What is wrong, in place of the title; empty: nothing.
  void setProblem(const QString& words);
  [[nodiscard]] QString problem() const { return m_problem; }
  [[nodiscard]] QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  const RowTable& m_model;
  const QHeaderView& m_header;
  const Theme& m_theme;
  QString m_title;
  QString m_note;
  QString m_problem;
};

}  // namespace attnscope::ui
