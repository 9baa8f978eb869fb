// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Every action of the window behind one line of text: what is typed is looked for in their words and menus, Enter does
// the first. Opened by Ctrl+K. GUI thread.

#include <vector>

#include <QAction>
#include <QDialog>
#include <QPointer>
#include <QString>
#include <QStringList>

#include "ui/theme/Theme.h"

class QLineEdit;
class QListWidget;
class QMenuBar;

namespace attnscope::ui {

struct Command {
  QPointer<QAction> action;
  QString words;  // "Fit selection, step, all"
  QString path;   // "View › Timeline"
};

// Of the menus and their menus, as they stand: those that are filled when they open are filled. Separators and menus
// themselves are none.
[[nodiscard]] std::vector<Command> commandsOf(const QMenuBar& menus);

// How well a command fits: 0 best, the more the worse; -1: not at all. Each word of `query` has to begin a word of it
// (best), stand in it, or be spelled by letters in its order.
[[nodiscard]] int commandRank(const QString& words, const QString& path, const QString& query);

class CommandPalette : public QDialog {
  Q_OBJECT

 public:
  // `recent` are object names, the last used first: those stand above the others while nothing is typed.
  CommandPalette(std::vector<Command> commands, const QStringList& recent, const Theme& theme, QWidget* parent);

  [[nodiscard]] QStringList shown() const;

 Q_SIGNALS:
  void chosen(QAction* action);  // it was triggered

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void refresh();
  void take();

  std::vector<Command> m_commands;
  QStringList m_recent;
  const Theme& m_theme;
  QLineEdit* m_field;
  QListWidget* m_list;
};

}  // namespace attnscope::ui
