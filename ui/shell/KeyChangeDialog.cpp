// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/KeyChangeDialog.h"

#include <QHBoxLayout>
#include <QKeySequenceEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/theme/TextLabel.h"

namespace attnscope::ui {

namespace {

QString plainText(const QAction& action) {
  QString words = action.text();
  return words.remove(u'&').remove(QStringLiteral("…"));
}

// One press with its modifiers: keys that follow one another are not used here.
QKeySequence firstPress(const QKeySequence& keys) { return keys.isEmpty() ? keys : QKeySequence(keys[0]); }

}  // namespace

KeyChangeDialog::KeyChangeDialog(Shortcuts& shortcuts, QAction* action, const Theme& theme, QWidget* parent)
    : QDialog(parent), m_shortcuts(shortcuts), m_action(action) {
  setWindowTitle(tr("Change the key"));
  setAttribute(Qt::WA_DeleteOnClose);
  auto* column = new QVBoxLayout(this);
  const int edge = theme.scaled(16);
  column->setContentsMargins(edge, edge, edge, theme.scaled(12));
  column->setSpacing(theme.scaled(6));
  column->addWidget(new TextLabel(theme, tr("Key for: %1").arg(plainText(*action)),
                                  {FontRole::kUi, QFont::Medium, "text.primary"}, this));
  m_keys = new QKeySequenceEdit(this);
  m_keys->setAccessibleName(tr("Press the new key"));
  m_keys->setMinimumWidth(theme.scaled(320));
  column->addWidget(m_keys);
  m_remark = new TextLabel(theme, {}, {FontRole::kData, QFont::Normal, "text.tertiary"}, this);
  column->addWidget(m_remark);
  column->addSpacing(theme.scaled(6));
  auto* row = new QHBoxLayout;
  const auto add = [&](const QString& words, auto act) {
    auto* button = new QPushButton(words, this);
    button->setAccessibleName(words);
    button->setAutoDefault(false);  // Enter is a key like others here
    connect(button, &QPushButton::clicked, this, act);
    row->addWidget(button);
    return button;
  };
  add(tr("As it was made"), [this] {
    m_shortcuts.reset(m_action);
    accept();
  })->setEnabled(shortcuts.isChanged(action));
  add(tr("No key"), [this] {
    m_shortcuts.set(m_action, {});
    accept();
  });
  row->addStretch(1);
  add(tr("Cancel"), [this] { reject(); });
  QPushButton* use = add(tr("Use this key"), [this] {
    const QKeySequence key = firstPress(m_keys->keySequence());
    if (key.isEmpty()) return;
    m_shortcuts.set(m_action, {key});
    accept();
  });
  use->setProperty("kind", QStringLiteral("primary"));
  column->addLayout(row);
  connect(m_keys, &QKeySequenceEdit::keySequenceChanged, this, &KeyChangeDialog::refresh);
  refresh();
  m_keys->setFocus();
}

void KeyChangeDialog::refresh() {
  const QKeySequence key = firstPress(m_keys->keySequence());
  if (key.isEmpty()) {
    const QString now = keyWords(m_action->shortcuts());
    m_remark->setText(now.isEmpty() ? tr("It has no key now.") : tr("Now: %1").arg(now));
    return;
  }
  const QAction* holder = m_shortcuts.holderOf(key, m_action);
  m_remark->setText(
      holder
          ? tr("%1 is the key of: %2. It will lose it.").arg(key.toString(QKeySequence::NativeText), plainText(*holder))
          : tr("%1 is free.").arg(key.toString(QKeySequence::NativeText)));
}

}  // namespace attnscope::ui
