// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The keys of every action: those it was made with, and those that the user chose instead, which are kept in the
// settings by the action's object name. A key belongs to one action: who takes it takes it away. GUI thread.

#include <QAction>
#include <QHash>
#include <QKeySequence>
#include <QList>
#include <QObject>

#include "ui/shell/AppSettings.h"

namespace attnscope::ui {

class Shortcuts : public QObject {
  Q_OBJECT

 public:
  explicit Shortcuts(AppSettings& settings, QObject* parent = nullptr);

  // Remembers the keys it has now as those it was made with, and gives it those that are kept for it.
  void adopt(QAction* action);
  // `follower` has the keys of `leader`, which was adopted, from now on: the same act on another table.
  void follow(QAction* leader, QAction* follower);
  [[nodiscard]] QAction* named(const QString& objectName) const;  // of those adopted; nullptr: none
  [[nodiscard]] QList<QAction*> actions() const { return m_actions; }
  [[nodiscard]] QList<QKeySequence> firstKeys(const QAction* action) const;  // those it was made with
  [[nodiscard]] bool isChanged(const QAction* action) const;
  // The other action that has this key; nullptr: it is free.
  [[nodiscard]] QAction* holderOf(const QKeySequence& key, const QAction* besides) const;

  void set(QAction* action, const QList<QKeySequence>& keys);  // takes them away from those that hold them
  void reset(QAction* action);
  void resetAll();

 Q_SIGNALS:
  void changed();

 private:
  void put(QAction* action, const QList<QKeySequence>& keys);  // and its followers
  void keep(const QAction* action);

  AppSettings& m_settings;
  QList<QAction*> m_actions;
  QHash<const QAction*, QList<QKeySequence>> m_first;
  QHash<const QAction*, QList<QAction*>> m_followers;
};

[[nodiscard]] QString keyWords(const QList<QKeySequence>& keys);  // "W, Ctrl+Up"; empty: none

}  // namespace attnscope::ui
