// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Paints the cells of a RowTable: ground, selected bar, hairline, swatch, texts, numbers in digit cells, bars and
// distributions. GUI thread only; the theme outlives it.

#include <QStyledItemDelegate>

#include "ui/tables/TableRows.h"

namespace attnscope::ui {

class RowTable;
class Theme;

class TableDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  TableDelegate(const Theme& theme, QObject* parent = nullptr);

  void setHoveredLine(int line) { m_hovered = line; }
  void setFirstColumn(int column) { m_first = column; }  // the leftmost that is shown: it has the selected bar

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  [[nodiscard]] int indentOf(int depth) const;  // px, of a name in a tree
  [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  struct Cell;
  void paintGround(const Cell& cell, const QStyleOptionViewItem& option) const;
  void paintName(const Cell& cell) const;
  int paintCaret(const Cell& cell, int left) const;  // its width with what is beside it
  void paintNumber(const Cell& cell) const;
  void paintBar(const Cell& cell) const;
  void paintDelta(const Cell& cell) const;
  void paintSpreads(const Cell& cell) const;

  const Theme& m_theme;
  int m_hovered = -1;
  int m_first = 0;
};

}  // namespace attnscope::ui
