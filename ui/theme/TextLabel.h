// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A line or paragraph of text in a role, a weight and a colour of the theme, with an icon before it where one is named.
// It paints itself, so that a change of theme or text size needs no new style, and digits stand in equal cells where it
// is numeric. GUI thread only; the theme outlives it.

#include <QString>
#include <QWidget>

#include "ui/theme/Theme.h"

namespace attnscope::ui {

struct TextLook {
  FontRole role = FontRole::kData;
  int weight = QFont::Normal;
  const char* colour = "text.primary";
  bool isCode = false;  // in the fixed font
};

class TextLabel : public QWidget {
  Q_OBJECT

 public:
  TextLabel(const Theme& theme, const QString& text, TextLook look = {}, QWidget* parent = nullptr);

  void setText(const QString& text);
  [[nodiscard]] const QString& text() const { return m_text; }
  void setIcon(const QString& icon, const QString& colour);  // its name and its ink; empty: none
  void setColour(const char* token);
  void setAlignment(Qt::Alignment alignment);
  void setWrapped(bool wrapped);           // grows downwards instead of being cut
  void setElide(Qt::TextElideMode elide);  // where a single line is cut; ElideNone: it keeps its full width
  void setNumeric(bool numeric);

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
  [[nodiscard]] int indent() const;  // of the text, behind the icon
  void refresh();

  const Theme& m_theme;
  QString m_text;
  TextLook m_look;
  QString m_icon;
  QString m_iconColour;
  Qt::Alignment m_alignment = Qt::AlignLeft | Qt::AlignVCenter;
  Qt::TextElideMode m_elide = Qt::ElideRight;
  bool m_wrapped = false;
  bool m_numeric = false;
};

// Paragraphs break between words, and inside one only where it is longer than the line.
[[nodiscard]] int wrappedHeight(const QFont& font, const QString& text, int width, int lineHeight);
void drawWrapped(QPainter& painter, const QRectF& rect, const QString& text, Qt::Alignment alignment);
// Height of a line of a role, text scale included.
[[nodiscard]] int lineHeightOf(const Theme& theme, FontRole role);
// The fixed font of the system in the size of captions: commands, byte offsets, mangled names.
[[nodiscard]] QFont codeFontOf(const Theme& theme);

}  // namespace attnscope::ui
