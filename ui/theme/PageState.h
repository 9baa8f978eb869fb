// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a page shows instead of its table or chart: an icon, what is so, why, and the line of code that changes it.
// GUI thread only; the theme outlives it.

#include <QWidget>

class QGridLayout;
class QHBoxLayout;
class QLabel;
class QPushButton;
class QToolButton;

namespace attnscope::ui {

class Theme;

struct PageStateWords {
  QString icon;      // name of an icon
  QString severity;  // token of its ink, "text.secondary" or "severity.problem"
  QString title;
  QString text;
  QString code;     // shown in a field with a copy button; or empty
  QString details;  // what "Copy details" copies; or empty
  bool operator==(const PageStateWords&) const = default;
};

class PageState : public QWidget {
  Q_OBJECT

 public:
  explicit PageState(const Theme& theme, QWidget* parent = nullptr);

  void setWords(const PageStateWords& words);
  [[nodiscard]] const PageStateWords& words() const { return m_words; }
  void applyTheme();

 private:
  const Theme& m_theme;
  PageStateWords m_words;
  QLabel* m_icon;
  QLabel* m_title;
  QLabel* m_text;
  QWidget* m_codeField;
  QLabel* m_code;
  QToolButton* m_copyCode;
  QPushButton* m_copyDetails;
  QHBoxLayout* m_codeRow;
  QGridLayout* m_wordsGrid;
  QGridLayout* m_outer;
};

}  // namespace attnscope::ui
