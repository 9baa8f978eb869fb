// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A plain region of the window: one ground of the theme and hairlines at the edges that are named.

#include <QLayout>
#include <QMargins>
#include <QString>
#include <QWidget>

#include "ui/theme/Theme.h"

namespace attnscope::ui {

class Surface : public QWidget {
  Q_OBJECT

 public:
  Surface(const Theme& theme, const QString& ground, Qt::Edges lines = {}, QWidget* parent = nullptr);
  void setLines(Qt::Edges lines);
  void setLineColour(const QString& token);

 protected:
  void paintEvent(QPaintEvent* event) override;
  [[nodiscard]] const Theme& theme() const { return m_theme; }

 private:
  const Theme& m_theme;
  QString m_ground;
  Qt::Edges m_lines;
  QString m_lineColour = QStringLiteral("border.hairline");
};

// Margins (and the spacing, where it is not negative) that grow with the text, at each change of it.
void scaleLayout(const Theme& theme, QLayout* layout, const QMargins& margins, int spacing = -1);

// One hairline across a column of widgets.
[[nodiscard]] QWidget* makeHairline(const Theme& theme, QWidget* parent);

}  // namespace attnscope::ui
