// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The list of keys, made of the actions themselves so that it cannot differ from what the keys do.

#include <vector>

#include <QList>
#include <QString>

#include "ui/shell/PageDialog.h"

class QAction;

namespace attnscope::ui {

struct KeyGroup {
  QString title;
  QList<QAction*> actions;
};

class KeysDialog : public PageDialog {
  Q_OBJECT

 public:
  KeysDialog(const std::vector<KeyGroup>& groups, const Theme& theme, QWidget* parent = nullptr);
};

}  // namespace attnscope::ui
