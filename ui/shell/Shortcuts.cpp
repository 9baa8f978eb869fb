// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/Shortcuts.h"

#include <algorithm>

namespace attnscope::ui {

namespace {

QString settingOf(const QAction* action) { return QStringLiteral("keys/") + action->objectName(); }

// What is kept for an action that was left without a key: an empty entry would mean "as it was made".
const QByteArray kNone("none");

}  // namespace

QString keyWords(const QList<QKeySequence>& keys) {
  QStringList words;
  for (const QKeySequence& key : keys) words << key.toString(QKeySequence::NativeText);
  return words.join(QStringLiteral(", "));
}

Shortcuts::Shortcuts(AppSettings& settings, QObject* parent) : QObject(parent), m_settings(settings) {}

void Shortcuts::adopt(QAction* action) {
  if (action->objectName().isEmpty() || m_first.contains(action)) return;
  m_actions << action;
  m_first[action] = action->shortcuts();
  const QByteArray kept = m_settings.bytes(settingOf(action));
  if (kept.isEmpty()) return;
  put(action, kept == kNone ? QList<QKeySequence>{}
                            : QKeySequence::listFromString(QString::fromUtf8(kept), QKeySequence::PortableText));
}

void Shortcuts::follow(QAction* leader, QAction* follower) {
  m_followers[leader] << follower;
  follower->setShortcuts(leader->shortcuts());
}

QAction* Shortcuts::named(const QString& objectName) const {
  const auto found = std::find_if(m_actions.begin(), m_actions.end(),
                                  [&](const QAction* action) { return action->objectName() == objectName; });
  return found == m_actions.end() ? nullptr : *found;
}

void Shortcuts::put(QAction* action, const QList<QKeySequence>& keys) {
  action->setShortcuts(keys);
  for (QAction* follower : m_followers.value(action)) follower->setShortcuts(keys);
}

QList<QKeySequence> Shortcuts::firstKeys(const QAction* action) const { return m_first.value(action); }

bool Shortcuts::isChanged(const QAction* action) const { return action->shortcuts() != m_first.value(action); }

QAction* Shortcuts::holderOf(const QKeySequence& key, const QAction* besides) const {
  const auto holder = std::find_if(m_actions.begin(), m_actions.end(), [&](const QAction* action) {
    return action != besides && action->shortcuts().contains(key);
  });
  return holder == m_actions.end() ? nullptr : *holder;
}

void Shortcuts::set(QAction* action, const QList<QKeySequence>& keys) {
  for (const QKeySequence& key : keys) {
    // One key may be two actions' from the start, each in regions of its own: those stay.
    if (m_first.value(action).contains(key)) continue;
    while (QAction* holder = holderOf(key, action)) {
      QList<QKeySequence> left = holder->shortcuts();
      left.removeAll(key);
      put(holder, left);
      keep(holder);
    }
  }
  put(action, keys);
  keep(action);
  Q_EMIT changed();
}

void Shortcuts::reset(QAction* action) { set(action, m_first.value(action)); }

void Shortcuts::resetAll() {
  for (QAction* action : m_actions) {
    put(action, m_first.value(action));
    keep(action);
  }
  Q_EMIT changed();
}

void Shortcuts::keep(const QAction* action) {
  QByteArray text;
  if (isChanged(action)) {
    text = QKeySequence::listToString(action->shortcuts(), QKeySequence::PortableText).toUtf8();
    if (text.isEmpty()) text = kNone;
  }
  m_settings.setBytes(settingOf(action), text);
}

}  // namespace attnscope::ui
