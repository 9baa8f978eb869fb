// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What the colours mean where slices are coloured by difference: from much faster to much slower, and what stands
// alone. GUI thread only; the theme outlives it.

#include <QWidget>

namespace attnscope::ui {

class Theme;

class ChangeLegend : public QWidget {
  Q_OBJECT

 public:
  explicit ChangeLegend(const Theme& theme, QWidget* parent = nullptr);
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  const Theme& m_theme;
};

}  // namespace attnscope::ui
