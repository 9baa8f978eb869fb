// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A whole number that is typed freely: what is typed is never corrected behind one's back, so that what is wrong with
// it can be said. Up and Down, the small arrows and the wheel (while focused) step it.

#include <cstdint>
#include <optional>

#include <QLineEdit>

#include "ui/theme/Theme.h"

namespace attnscope::ui {

class NumberField : public QLineEdit {
  Q_OBJECT

 public:
  NumberField(const Theme& theme, std::int64_t step, QWidget* parent = nullptr);

  [[nodiscard]] std::optional<std::int64_t> value() const;  // none: empty or no number
  void setValue(std::int64_t value);                        // without edited()
  void setInvalid(bool invalid);                            // a 2 px line in red
  [[nodiscard]] bool isInvalid() const { return m_invalid; }

 Q_SIGNALS:
  void edited();  // by the user

 protected:
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;

 private:
  void applyTheme();
  void stepBy(std::int64_t steps);
  [[nodiscard]] QRect arrows() const;

  const Theme& m_theme;
  std::int64_t m_step;
  bool m_invalid = false;
};

// Draws the ring of an invalid field around `field`: 2 px, in the colour of a problem.
void drawInvalidRing(const Theme& theme, QWidget& field);

}  // namespace attnscope::ui
