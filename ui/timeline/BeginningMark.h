// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Says on a pane that what it shows is the beginning of a file whose rest is still being read, how far that is, and
// stops it. Lies at the pane's lower edge. GUI thread only.

#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QTimer>
#include <QWidget>

#include "ui/bridge/Run.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {

class BeginningMark : public QWidget {
  Q_OBJECT

 public:
  BeginningMark(const Theme& theme, QWidget* parent);

  void follow(const Run* run);  // nullptr: what is shown is whole
  void place();                 // after the pane's size changed
  [[nodiscard]] QString text() const { return m_words.text(); }

 Q_SIGNALS:
  void cancelWanted();

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void refresh();
  void refreshLook();

  const Theme& m_theme;
  QLabel m_words;
  QPushButton m_cancel;
  QTimer m_timer;
  QPointer<const Run> m_run;
};

}  // namespace attnscope::ui
