// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What the run's column says when it has no run to show: an icon, a title, one or two sentences and up to two
// buttons, 470 wide in the middle; below it, on demand, the runner's log.

#include <QWidget>

#include "ui/theme/Theme.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace attnscope::ui {

class TextLabel;

class LabNotice : public QWidget {
  Q_OBJECT

 public:
  explicit LabNotice(const Theme& theme, QWidget* parent = nullptr);

  [[nodiscard]] QSize minimumSizeHint() const override;  // its words wrap at any width
  void setWords(const QString& icon, const QString& colour, const QString& title, const QString& body);
  void setLog(const QStringList& log);  // empty: no button for it
  [[nodiscard]] QString title() const;
  [[nodiscard]] QString body() const;
  [[nodiscard]] QPushButton* logButton() const { return m_logButton; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void applyTheme();
  void fit();  // the words to the width, 470 at most
  void showLog(bool shown);

  const Theme& m_theme;
  QString m_iconName = QStringLiteral("lab");
  QString m_iconColour = QStringLiteral("text.secondary");
  QLabel* m_icon;
  TextLabel* m_title;
  TextLabel* m_body;
  QPushButton* m_logButton;
  QPlainTextEdit* m_log;
};

}  // namespace attnscope::ui
