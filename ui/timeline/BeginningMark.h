// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Says on a pane that what it shows is the beginning of a file whose rest is still being read, and how far that is.
// Lies at the pane's lower edge and lets the pointer through.

#include <QLabel>
#include <QTimer>

#include "ui/bridge/Run.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {

class BeginningMark : public QLabel {
  Q_OBJECT

 public:
  BeginningMark(const Theme& theme, QWidget* parent);

  void follow(const Run* run);  // nullptr: what is shown is whole
  void place();                 // after the pane's size changed

 private:
  void refresh();

  const Theme& m_theme;
  QTimer m_timer;
  const Run* m_run = nullptr;
};

}  // namespace attnscope::ui
