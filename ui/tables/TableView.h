// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A QTableView that looks and behaves as the product's tables do: widths by rule, columns that go when there is no
// room, hover by row, keys. GUI thread only; model and theme outlive it.

#include <QHash>
#include <QTableView>

namespace attnscope::ui {

class RowTable;
class TableDelegate;
class TableHeader;
class Theme;

class TableView : public QTableView {
  Q_OBJECT

 public:
  TableView(RowTable& model, const Theme& theme, QWidget* parent = nullptr);

  void applyTheme();  // after a change of theme or text size
  void layOutColumns();
  [[nodiscard]] std::vector<int> shownColumns() const;
  // Columns that a person wants to see or not, by title; others are there as their rank and the room allow.
  void openColumnMenu();  // under the head
  void setColumnChoice(const QHash<QString, bool>& choice);
  [[nodiscard]] const QHash<QString, bool>& columnChoice() const { return m_choice; }

 Q_SIGNALS:
  void rowActivated(int line);  // Enter, double-click
  void walked(int direction);   // '.' +1, ',' -1
  void columnsLaidOut();
  void columnChoiceChanged();  // by the person

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  void setHovered(int line);
  void showColumnMenu(const QPoint& at);
  void choose(const QString& title, bool isShown);
  [[nodiscard]] bool isOnCaret(QPoint at, int line) const;

  RowTable& m_model;
  const Theme& m_theme;
  TableHeader* m_header = nullptr;
  TableDelegate* m_delegate = nullptr;
  QHash<QString, bool> m_choice;
  int m_hovered = -1;
  bool m_focusByKey = false;
};

}  // namespace attnscope::ui
