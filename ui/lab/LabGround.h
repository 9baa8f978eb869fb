// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A plain region of the lab: one ground of the theme, and hairlines at the edges that are named.

#include <QString>
#include <QWidget>

#include "ui/theme/Theme.h"

namespace attnscope::ui {

class LabGround : public QWidget {
  Q_OBJECT

 public:
  LabGround(const Theme& theme, const QString& ground, Qt::Edges lines = {}, QWidget* parent = nullptr);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  const Theme& m_theme;
  QString m_ground;
  Qt::Edges m_lines;
};

}  // namespace attnscope::ui
