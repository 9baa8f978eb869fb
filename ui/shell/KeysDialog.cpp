// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/KeysDialog.h"

#include <QAction>
#include <QHBoxLayout>
#include <QKeySequence>
#include <QVBoxLayout>

#include "ui/theme/TextLabel.h"

namespace attnscope::ui {

namespace {

QString keysOf(const QAction& action) {
  QStringList keys;
  for (const QKeySequence& sequence : action.shortcuts()) keys << sequence.toString(QKeySequence::NativeText);
  return keys.join(QStringLiteral(", "));
}

}  // namespace

KeysDialog::KeysDialog(const std::vector<KeyGroup>& groups, const Theme& theme, QWidget* parent)
    : PageDialog(theme, tr("Keys"), QSize(760, 520), parent) {
  auto* row = new QHBoxLayout(page());
  row->setContentsMargins(theme.scaled(16), theme.scaled(16), theme.scaled(16), theme.scaled(16));
  row->setSpacing(theme.scaled(32));
  QVBoxLayout* columns[2] = {new QVBoxLayout, new QVBoxLayout};
  int lines[2] = {0, 0};
  for (QVBoxLayout* column : columns) {
    column->setSpacing(theme.scaled(4));
    row->addLayout(column, 1);
  }
  for (const KeyGroup& group : groups) {
    const int at = lines[0] <= lines[1] ? 0 : 1;
    QVBoxLayout* column = columns[at];
    if (column->count() > 0) column->addSpacing(theme.scaled(12));
    column->addWidget(
        new TextLabel(theme, group.title, {FontRole::kCaption, QFont::DemiBold, "text.secondary"}, page()));
    for (QAction* action : group.actions) {
      const QString keys = keysOf(*action);
      if (keys.isEmpty()) continue;
      QString words = action->text();
      words.remove(u'&').remove(QStringLiteral("…"));
      auto* line = new QHBoxLayout;
      line->addWidget(new TextLabel(theme, words, {}, page()), 1);
      auto* right = new TextLabel(theme, keys, {FontRole::kData, QFont::Medium, "text.primary"}, page());
      right->setElide(Qt::ElideNone);
      line->addWidget(right);
      column->addLayout(line);
      ++lines[at];
    }
    ++lines[at];
  }
  for (QVBoxLayout* column : columns) column->addStretch(1);
  auto* note = new TextLabel(theme, tr("Single letters act while a timeline or a table has the focus."),
                             {FontRole::kData, QFont::Normal, "text.tertiary"}, this);
  foot()->addWidget(note, 1);
}

}  // namespace attnscope::ui
