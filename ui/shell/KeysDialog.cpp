// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/KeysDialog.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/shell/KeyChangeDialog.h"
#include "ui/shell/LinkButton.h"
#include "ui/theme/TextLabel.h"

namespace attnscope::ui {

namespace {

QString wordsOf(const QAction& action) {
  QString words = action.text();
  return words.remove(u'&').remove(QStringLiteral("…"));
}

}  // namespace

KeysDialog::KeysDialog(const std::vector<KeyGroup>& groups, Shortcuts& shortcuts, const Theme& theme, QWidget* parent)
    : PageDialog(theme, tr("Keys"), QSize(860, 600), parent),
      m_groups(groups),
      m_shortcuts(shortcuts),
      m_column(new QVBoxLayout(page())) {
  m_column->setContentsMargins(0, 0, 0, 0);
  auto* find = new QLineEdit(this);
  find->setPlaceholderText(tr("Find an action or a key"));
  find->setAccessibleName(find->placeholderText());
  find->setClearButtonEnabled(true);
  find->setFixedWidth(theme.scaled(220));
  foot()->addWidget(find);
  auto* note = new TextLabel(
      theme, tr("Single letters act while a timeline or a table has the focus. Click a key to change it."),
      {FontRole::kData, QFont::Normal, "text.tertiary"}, this);
  foot()->addWidget(note, 1);
  auto* reset = new QPushButton(tr("Reset all keys"), this);
  reset->setAccessibleName(reset->text());
  reset->setAutoDefault(false);
  connect(reset, &QPushButton::clicked, &m_shortcuts, &Shortcuts::resetAll);
  foot()->addWidget(reset);
  connect(find, &QLineEdit::textChanged, this, [this](const QString& text) {
    m_wanted = text.trimmed();
    rebuild();
  });
  connect(&m_shortcuts, &Shortcuts::changed, this, &KeysDialog::rebuild);
  rebuild();
}

void KeysDialog::rebuild() {
  // Later: one of its buttons may be what asked for it.
  if (m_content) m_content->deleteLater();
  auto* content = new QWidget(page());
  m_content = content;
  auto* row = new QHBoxLayout(content);
  const int edge = theme().scaled(16);
  row->setContentsMargins(edge, edge, edge, edge);
  row->setSpacing(theme().scaled(32));
  QVBoxLayout* columns[2] = {new QVBoxLayout, new QVBoxLayout};
  int lines[2] = {0, 0};
  for (QVBoxLayout* column : columns) {
    column->setSpacing(theme().scaled(4));
    row->addLayout(column, 1);
  }
  for (const KeyGroup& group : m_groups) {
    QList<QAction*> fitting;
    for (QAction* action : group.actions) {
      if (action->isSeparator() || action->text().isEmpty()) continue;
      const bool fits = m_wanted.isEmpty() || wordsOf(*action).contains(m_wanted, Qt::CaseInsensitive) ||
                        keyWords(action->shortcuts()).contains(m_wanted, Qt::CaseInsensitive);
      if (fits) fitting << action;
    }
    if (fitting.isEmpty()) continue;
    const int at = lines[0] <= lines[1] ? 0 : 1;
    QVBoxLayout* column = columns[at];
    if (column->count() > 0) column->addSpacing(theme().scaled(12));
    column->addWidget(
        new TextLabel(theme(), group.title, {FontRole::kCaption, QFont::DemiBold, "text.secondary"}, content));
    for (QAction* action : fitting) column->addWidget(makeRow(action, content));
    lines[at] += 1 + static_cast<int>(fitting.size());
  }
  if (lines[0] == 0) {
    columns[0]->addWidget(new TextLabel(theme(), tr("No action or key holds \"%1\"").arg(m_wanted), {}, content));
  }
  for (QVBoxLayout* column : columns) column->addStretch(1);
  while (QLayoutItem* old = m_column->takeAt(0)) {
    if (old->widget()) old->widget()->hide();
    delete old;
  }
  m_column->addWidget(content);
}

QWidget* KeysDialog::makeRow(QAction* action, QWidget* parent) {
  auto* row = new QWidget(parent);
  auto* line = new QHBoxLayout(row);
  line->setContentsMargins(0, 0, 0, 0);
  auto* words = new TextLabel(theme(), wordsOf(*action), {}, row);
  row->setToolTip(action->toolTip());
  line->addWidget(words, 1);
  const QString keys = keyWords(action->shortcuts());
  auto* change = new LinkButton(theme(), keys.isEmpty() ? tr("none") : keys, row);
  change->setObjectName(QStringLiteral("key:") + action->objectName());
  change->setAccessibleName(tr("%1: %2, change").arg(wordsOf(*action), keys.isEmpty() ? tr("no key") : keys));
  change->setToolTip(m_shortcuts.isChanged(action)
                         ? tr("Changed; made with: %1").arg(keyWords(m_shortcuts.firstKeys(action)))
                         : tr("Change the key"));
  connect(change, &QAbstractButton::clicked, this,
          [this, action] { (new KeyChangeDialog(m_shortcuts, action, theme(), this))->open(); });
  line->addWidget(change);
  return row;
}

}  // namespace attnscope::ui
