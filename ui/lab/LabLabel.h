// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A line or a paragraph of the lab in a role, a weight and a colour of the theme, with an icon before it where one is
// named. It paints itself, so that a change of theme or text size needs no new style.

#include <QString>
#include <QWidget>

#include "ui/theme/Theme.h"

namespace attnscope::ui {

struct LabLook {
  FontRole role = FontRole::kData;
  int weight = QFont::Normal;
  QString colour = QStringLiteral("text.primary");
  bool isCode = false;  // in the fixed font
};

class LabLabel : public QWidget {
  Q_OBJECT

 public:
  LabLabel(const Theme& theme, LabLook look, const QString& text = {}, QWidget* parent = nullptr);

  void setText(const QString& text);
  [[nodiscard]] const QString& text() const { return m_text; }
  void setIcon(const QString& icon, const QString& colour);  // empty: none
  void setColour(const QString& token);
  void setWrapped(bool wrapped);  // grows downwards instead of being cut

  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;
  [[nodiscard]] bool hasHeightForWidth() const override { return m_wrapped; }
  [[nodiscard]] int heightForWidth(int width) const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  [[nodiscard]] QFont labelFont() const;
  [[nodiscard]] int lineHeight() const;
  [[nodiscard]] int indent() const;
  void refresh();

  const Theme& m_theme;
  LabLook m_look;
  QString m_text;
  QString m_icon;
  QString m_iconColour;
  bool m_wrapped = false;
};

[[nodiscard]] int labLineHeight(const Theme& theme, FontRole role);
// The fixed font of the system in the size of table text.
[[nodiscard]] QFont labCodeFont(const Theme& theme);

}  // namespace attnscope::ui
