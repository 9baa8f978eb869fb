// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A frame over the whole window while files are dragged over it, with what dropping them would do.

#include <QWidget>

#include "ui/theme/Theme.h"

namespace attnscope::ui {

class DropOverlay : public QWidget {
  Q_OBJECT

 public:
  DropOverlay(const Theme& theme, QWidget* parent);
  void showWords(const QString& words);
  [[nodiscard]] const QString& words() const { return m_words; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  const Theme& m_theme;
  QString m_words;
};

}  // namespace attnscope::ui
