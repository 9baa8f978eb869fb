// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/AboutDialog.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/theme/TextLabel.h"

namespace attnscope::ui {

AboutDialog::AboutDialog(const Theme& theme, QWidget* parent) : QDialog(parent) {
  setWindowTitle(tr("About Attnscope"));
  setAttribute(Qt::WA_DeleteOnClose);
  auto* column = new QVBoxLayout(this);
  const int edge = theme.scaled(24);
  column->setContentsMargins(edge, edge, edge, theme.scaled(16));
  column->setSpacing(theme.scaled(6));
  column->addWidget(
      new TextLabel(theme, QStringLiteral("Attnscope"), {FontRole::kDisplay, QFont::DemiBold, "text.primary"}, this));
  const auto add = [&](const QString& words, const char* colour) {
    auto* label = new TextLabel(theme, words, {FontRole::kUi, QFont::Normal, colour}, this);
    label->setWrapped(true);
    label->setMinimumWidth(theme.scaled(420));
    column->addWidget(label);
  };
  add(tr("Version %1, Qt %2").arg(QCoreApplication::applicationVersion(), QString::fromLatin1(qVersion())),
      "text.secondary");
  add(tr("See where the time and the memory of attention go, side by side."), "text.primary");
  add(tr("The window is free software under the GNU General Public License, version 3 or later; the core and the "
         "command line are under the Apache License 2.0. It comes without any warranty."),
      "text.secondary");
  column->addSpacing(theme.scaled(12));
  auto* row = new QHBoxLayout;
  row->addStretch(1);
  auto* close = new QPushButton(tr("Close"), this);
  close->setAccessibleName(close->text());
  close->setDefault(true);
  connect(close, &QPushButton::clicked, this, &QDialog::accept);
  row->addWidget(close);
  column->addLayout(row);
}

}  // namespace attnscope::ui
