// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What the window shows before anything is open: the ways in, the sample, what was opened last.

#include <QAbstractButton>

#include "ui/shell/AppSettings.h"
#include "ui/theme/Surface.h"

class QLineEdit;

namespace attnscope::ui {

class RecentList;
class SamplePreview;

// A large button of an icon, a title, what it does, and its keys.
class ActionCard : public QAbstractButton {
  Q_OBJECT

 public:
  ActionCard(const Theme& theme, const QString& icon, const QString& title, const QString& text, const QString& keys,
             QWidget* parent = nullptr);
  void setPrimary(bool isPrimary) { m_isPrimary = isPrimary; }
  [[nodiscard]] QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  const Theme& m_theme;
  QString m_icon;
  QString m_text;
  QString m_keys;
  bool m_isPrimary = false;
};

class StartPage : public Surface {
  Q_OBJECT

 public:
  StartPage(AppSettings& settings, const Theme& theme, QWidget* parent = nullptr);
  void startPreview();  // reads the sample; once the window is visible
  [[nodiscard]] bool isSettled() const;

 Q_SIGNALS:
  void openRequested();
  void compareRequested();
  void labRequested();
  void sampleRequested();
  void sampleTracesRequested();
  void fileChosen(const QString& path);

 private:
  QWidget* makeTitle();
  QWidget* makeActions();
  QWidget* makeSample();
  QWidget* makeRecent();
  void refreshRecent();

  AppSettings& m_settings;
  SamplePreview* m_preview = nullptr;
  QWidget* m_recentHead = nullptr;
  RecentList* m_recent = nullptr;
  QLineEdit* m_filter = nullptr;
  QWidget* m_noMatch = nullptr;
};

}  // namespace attnscope::ui
