// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a page shows instead of its table: an icon, what is so, why, and the line of code that changes it.
// GUI thread only; the theme outlives it.

#include <QWidget>

class QLabel;
class QPushButton;
class QToolButton;

namespace attnscope::ui {

class Theme;

struct TableStateWords {
  QString icon;      // name of an icon
  QString severity;  // token of its ink, "text.secondary" or "severity.problem"
  QString title;
  QString text;
  QString code;     // shown in a field with a copy button; or empty
  QString details;  // what "Copy details" copies; or empty
  bool operator==(const TableStateWords&) const = default;
};

class TableState : public QWidget {
  Q_OBJECT

 public:
  explicit TableState(const Theme& theme, QWidget* parent = nullptr);

  void setWords(const TableStateWords& words);
  [[nodiscard]] const TableStateWords& words() const { return m_words; }
  void applyTheme();

 private:
  const Theme& m_theme;
  TableStateWords m_words;
  QLabel* m_icon;
  QLabel* m_title;
  QLabel* m_text;
  QWidget* m_codeField;
  QLabel* m_code;
  QToolButton* m_copyCode;
  QPushButton* m_copyDetails;
};

}  // namespace attnscope::ui
