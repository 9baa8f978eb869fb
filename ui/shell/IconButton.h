// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A flat button of one icon of the theme, with or without words; its name is what assistive tools read. It paints
// itself: the icon keeps its size whatever a style sheet says about padding.

#include <QString>
#include <QToolButton>

#include "ui/theme/Theme.h"

namespace attnscope::ui {

class IconButton : public QToolButton {
  Q_OBJECT

 public:
  IconButton(const Theme& theme, const QString& icon, const QString& name, QWidget* parent = nullptr);
  void setIconName(const QString& icon);
  void setWords(const QString& words);  // beside the icon
  void setSmall(bool isSmall);          // 24 px instead of 28
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void refresh();
  [[nodiscard]] int side() const;
  [[nodiscard]] int iconSide() const;
  const Theme& m_theme;
  QString m_icon;
  bool m_small = false;
};

}  // namespace attnscope::ui
