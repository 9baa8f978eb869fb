// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Asks for a time on the shared ruler and goes there.

#include <optional>

#include <QDialog>

#include "ui/theme/Theme.h"

class QLineEdit;

namespace attnscope::ui {

class TextLabel;

// "12.4 ms", "98.6µs", "0.4 s", "120 ns"; a number alone is microseconds. Nothing where it is no time.
[[nodiscard]] std::optional<double> parseTime(const QString& text);

class GoToDialog : public QDialog {
  Q_OBJECT

 public:
  explicit GoToDialog(const Theme& theme, QWidget* parent = nullptr);

 Q_SIGNALS:
  void timeChosen(double ns);

 private:
  void tryIt();
  QLineEdit* m_field;
  TextLabel* m_problem;
};

}  // namespace attnscope::ui
