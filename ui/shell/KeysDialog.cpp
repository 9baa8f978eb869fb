// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/KeysDialog.h"

#include <QAction>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeySequence>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "ui/shell/Surface.h"
#include "ui/shell/TextLabel.h"

namespace attnscope::ui {

namespace {

QString keysOf(const QAction& action) {
  QStringList keys;
  for (const QKeySequence& sequence : action.shortcuts()) keys << sequence.toString(QKeySequence::NativeText);
  return keys.join(QStringLiteral(", "));
}

}  // namespace

KeysDialog::KeysDialog(const std::vector<KeyGroup>& groups, const Theme& theme, QWidget* parent) : QDialog(parent) {
  setWindowTitle(tr("Keys"));
  setAttribute(Qt::WA_DeleteOnClose);
  resize(theme.scaled(760), theme.scaled(520));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, theme.scaled(12));
  auto* scroll = new QScrollArea(this);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setAccessibleName(tr("Keys"));
  auto* content = new Surface(theme, QStringLiteral("surface.panel"));
  auto* row = new QHBoxLayout(content);
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
        new TextLabel(theme, group.title, {FontRole::kCaption, QFont::DemiBold, "text.secondary"}, content));
    for (QAction* action : group.actions) {
      const QString keys = keysOf(*action);
      if (keys.isEmpty()) continue;
      QString words = action->text();
      words.remove(u'&').remove(QStringLiteral("…"));
      auto* line = new QHBoxLayout;
      line->addWidget(new TextLabel(theme, words, {}, content), 1);
      auto* right = new TextLabel(theme, keys, {FontRole::kData, QFont::Medium, "text.primary"}, content);
      right->setElide(Qt::ElideNone);
      line->addWidget(right);
      column->addLayout(line);
      ++lines[at];
    }
    ++lines[at];
  }
  for (QVBoxLayout* column : columns) column->addStretch(1);
  scroll->setWidget(content);
  layout->addWidget(scroll, 1);
  auto* buttons = new QHBoxLayout;
  buttons->setContentsMargins(theme.scaled(16), 0, theme.scaled(16), 0);
  auto* note = new TextLabel(theme, tr("Single letters act while a timeline or a table has the focus."),
                             {FontRole::kData, QFont::Normal, "text.tertiary"}, this);
  buttons->addWidget(note, 1);
  auto* close = new QPushButton(tr("Close"), this);
  close->setAccessibleName(close->text());
  close->setDefault(true);
  connect(close, &QPushButton::clicked, this, &QDialog::accept);
  buttons->addWidget(close);
  layout->addLayout(buttons);
}

}  // namespace attnscope::ui
