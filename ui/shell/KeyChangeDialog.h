// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Asks for the key of one action: says whose it was, and gives back the keys it was made with. GUI thread.

#include <QDialog>

#include "ui/shell/Shortcuts.h"
#include "ui/theme/Theme.h"

class QKeySequenceEdit;

namespace attnscope::ui {

class TextLabel;

class KeyChangeDialog : public QDialog {
  Q_OBJECT

 public:
  KeyChangeDialog(Shortcuts& shortcuts, QAction* action, const Theme& theme, QWidget* parent);

 private:
  void refresh();

  Shortcuts& m_shortcuts;
  QAction* m_action;
  QKeySequenceEdit* m_keys;
  TextLabel* m_remark;
};

}  // namespace attnscope::ui
