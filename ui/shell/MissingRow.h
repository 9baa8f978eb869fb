// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// An implementation of a measurement that has no trace: its letter, its title, and what became of it in which phase.

#include <QWidget>

#include "ui/bridge/Session.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {

struct MissingWords {
  QString letter;
  QString title;
  QString sentence;  // "While timing: ..."
  bool isFailure = false;
};
[[nodiscard]] MissingWords missingWords(const WithoutTrace& missing);

class MissingRow : public QWidget {
  Q_OBJECT

 public:
  MissingRow(const WithoutTrace& missing, const Theme& theme, QWidget* parent = nullptr);
  [[nodiscard]] const MissingWords& words() const { return m_words; }
  [[nodiscard]] QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  [[nodiscard]] int textLeft() const;
  [[nodiscard]] int sentenceHeight() const;
  const Theme& m_theme;
  int m_number;
  MissingWords m_words;
};

}  // namespace attnscope::ui
