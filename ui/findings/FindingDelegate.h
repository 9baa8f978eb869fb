// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Paints a finding in the list: severity, headline, the rule's id under it, and the saving with its share at the right.
// GUI thread only; the theme outlives it.

#include <QStyledItemDelegate>

namespace attnscope::ui {

class Theme;

class FindingDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  explicit FindingDelegate(const Theme& theme, QObject* parent = nullptr);

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  const Theme& m_theme;
};

}  // namespace attnscope::ui
