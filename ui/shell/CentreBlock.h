// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a view says when it has nothing to show: an icon, a title, one or two sentences, and at most three buttons,
// centred, 470 wide.

#include <QString>
#include <QWidget>

#include "ui/theme/TextLabel.h"

class QHBoxLayout;
class QPushButton;
class QVBoxLayout;

namespace attnscope::ui {

class CentreBlock : public QWidget {
  Q_OBJECT

 public:
  CentreBlock(const Theme& theme, const QString& icon, const char* iconColour, QWidget* parent = nullptr);
  void setTitle(const QString& title);
  void setBody(const QString& text);
  void setRemedy(const QString& text);  // second, quieter sentence
  QPushButton* addButton(const QString& words, bool isPrimary);
  [[nodiscard]] QString title() const { return m_title->text(); }
  [[nodiscard]] QString body() const { return m_body->text(); }

 private:
  TextLabel* m_title;
  TextLabel* m_body;
  TextLabel* m_remedy;
  QHBoxLayout* m_buttons;
};

// An icon of the theme in one colour, repainted when the theme changes.
class IconLabel : public QWidget {
  Q_OBJECT

 public:
  IconLabel(const Theme& theme, const QString& icon, const char* colour, int side, QWidget* parent = nullptr);
  void setIcon(const QString& icon, const char* colour);
  [[nodiscard]] QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  const Theme& m_theme;
  QString m_icon;
  const char* m_colour;
  int m_side;
};

}  // namespace attnscope::ui
