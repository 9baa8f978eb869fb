// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a pane says while it has no tracks: what is being read and how far it is, why it could not be read, or that
// there is nothing in it. A block in the middle, with the buttons that help.

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QTimer>
#include <QWidget>

#include "ui/bridge/Run.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {

// "Parse, 340 MB of 1.00 GB, 1 200 000 events".
[[nodiscard]] QString readingWords(const Progress& progress);

class PaneState : public QWidget {
  Q_OBJECT

 public:
  PaneState(const Theme& theme, QWidget* parent);

  void showEmptyTimeline();
  void showLoading(const Run& run);
  void showPreparing(const QString& title);
  void showFailed(const Run& run);
  void showNothing(const Run& run);
  void conceal();
  [[nodiscard]] QString text() const;  // for tests and assistive tools

 Q_SIGNALS:
  void cancelWanted();
  void retryWanted();
  void closeWanted();

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void showBlock(const QString& icon, const QString& title, const QString& detail);
  void refreshProgress();
  void refreshLook();  // colours, fonts, widths

  const Theme& m_theme;
  QLabel m_icon;
  QLabel m_title;
  QLabel m_detail;
  QProgressBar m_progress;
  QPushButton m_cancel;
  QPushButton m_retry;
  QPushButton m_close;
  QTimer m_timer;
  QString m_iconName;
  QWidget* m_block;
  const Run* m_loading = nullptr;
};

}  // namespace attnscope::ui
