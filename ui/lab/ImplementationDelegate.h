// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Paints the rows of ImplementationList.

#include <QStyledItemDelegate>

#include "ui/theme/Theme.h"

namespace attnscope::ui {

class ImplementationDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  ImplementationDelegate(const Theme& theme, QWidget* view);

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  void paintGroup(QPainter& painter, const QRect& box, const QModelIndex& index) const;
  void paintCheck(QPainter& painter, const QRect& box, bool checked, bool refused) const;
  [[nodiscard]] int viewWidth() const;
  [[nodiscard]] int noteHeight(const QString& text, int indent) const;

  const Theme& m_theme;
  QWidget* m_view;  // the viewport, whose width wraps the reasons
};

}  // namespace attnscope::ui
