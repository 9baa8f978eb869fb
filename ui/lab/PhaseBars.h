// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The six phases of a run side by side: a 3 px bar, the name and a figure each.

#include <QWidget>

#include "ui/lab/LabFigures.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {

class PhaseBars : public QWidget {
  Q_OBJECT

 public:
  explicit PhaseBars(const Theme& theme, QWidget* parent = nullptr);
  void setPhases(const PhaseFigures& phases);
  [[nodiscard]] QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  const Theme& m_theme;
  PhaseFigures m_phases;
};

}  // namespace attnscope::ui
