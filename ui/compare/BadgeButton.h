// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The badge at the right of the strip: a sign, a word, what is the same or differs, and a caret when it opens
// something. GUI thread only; the theme outlives it.

#include <QAbstractButton>

#include "ui/compare/Verdict.h"

namespace attnscope::ui {

class Theme;

// Icon and ink of a sign.
[[nodiscard]] QString signIcon(VerdictSign sign);
[[nodiscard]] QColor signInk(const Theme& theme, VerdictSign sign);

class BadgeButton : public QAbstractButton {
  Q_OBJECT

 public:
  explicit BadgeButton(const Theme& theme, QWidget* parent = nullptr);

  void setWords(VerdictSign sign, const QString& text, const QString& detail);
  void setCompact(bool compact);  // one line without a box
  void setOpens(bool opens);      // false: not a button, only words
  [[nodiscard]] QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  const Theme& m_theme;
  VerdictSign m_sign = VerdictSign::kNone;
  QString m_text;
  QString m_detail;
  bool m_compact = false;
  bool m_opens = true;
};

}  // namespace attnscope::ui
