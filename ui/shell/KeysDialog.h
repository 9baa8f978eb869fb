// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The list of keys, made of the actions themselves so that it cannot differ from what the keys do. Each key is a
// button that changes it.

#include <vector>

#include <QList>
#include <QString>

#include "ui/shell/PageDialog.h"
#include "ui/shell/Shortcuts.h"

class QAction;
class QVBoxLayout;

namespace attnscope::ui {

struct KeyGroup {
  QString title;
  QList<QAction*> actions;
};

class KeysDialog : public PageDialog {
  Q_OBJECT

 public:
  KeysDialog(const std::vector<KeyGroup>& groups, Shortcuts& shortcuts, const Theme& theme, QWidget* parent = nullptr);

 private:
  void rebuild();
  [[nodiscard]] QWidget* makeRow(QAction* action, QWidget* parent);

  std::vector<KeyGroup> m_groups;
  Shortcuts& m_shortcuts;
  QString m_wanted;
  QVBoxLayout* m_column;
  QWidget* m_content = nullptr;
};

}  // namespace attnscope::ui
