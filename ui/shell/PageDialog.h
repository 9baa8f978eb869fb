// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A dialog of one page that scrolls, over a row with Close: the list of keys, the health of the traces. It deletes
// itself when it is closed. GUI thread; the theme outlives it.

#include <QDialog>

#include "ui/theme/Theme.h"

class QHBoxLayout;
class QWidget;

namespace attnscope::ui {

class PageDialog : public QDialog {
  Q_OBJECT

 public:
  // `size` at a text size of 100 %.
  PageDialog(const Theme& theme, const QString& title, QSize size, QWidget* parent = nullptr);

 protected:
  [[nodiscard]] const Theme& theme() const { return m_theme; }
  [[nodiscard]] QWidget* page() const { return m_page; }  // without a layout yet
  // The row at the foot, left of Close.
  [[nodiscard]] QHBoxLayout* foot() const { return m_foot; }

 private:
  const Theme& m_theme;
  QWidget* m_page;
  QHBoxLayout* m_foot;
};

}  // namespace attnscope::ui
