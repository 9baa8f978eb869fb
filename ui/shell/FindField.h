// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The field in the top bar that finds slices by name, with the count of hits in it, and what is alike below it when
// there is none.

#include <QLineEdit>

#include "ui/shell/SliceSearch.h"
#include "ui/theme/Theme.h"

class QTimer;

namespace attnscope::ui {

class FindField : public QLineEdit {
  Q_OBJECT

 public:
  FindField(SliceSearch& search, const Theme& theme, QWidget* parent = nullptr);
  [[nodiscard]] QString countWords() const;  // "3 of 24", "24 slices", "No match"

 protected:
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  void refresh();
  void choosePlaceholder();
  void showNearest();

  SliceSearch& m_search;
  const Theme& m_theme;
  QTimer* m_pause;
  QWidget* m_nearest = nullptr;
};

}  // namespace attnscope::ui
