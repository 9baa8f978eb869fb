// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/RunMenu.h"

#include <QCoreApplication>
#include <QDesktopServices>
#include <QFileInfo>
#include <QPointer>
#include <QUrl>

namespace attnscope::ui {

QMenu* makeRunMenu(Session& session, Run* run, QWidget* parent) {
  const auto tr = [](const char* text) { return QCoreApplication::translate("attnscope::ui::RunMenu", text); };
  auto* menu = new QMenu(parent);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->setAccessibleName(tr("Run %1").arg(run->letter()));
  const QPointer<Run> guarded(run);
  const auto add = [&](const QString& words, bool isEnabled, auto act) {
    QAction* action = menu->addAction(words);
    action->setEnabled(isEnabled);
    // The run may be gone by the time the menu is used.
    QObject::connect(action, &QAction::triggered, &session, [&session, guarded, act] {
      if (guarded && session.positionOf(guarded) >= 0) act(session.positionOf(guarded));
    });
  };
  const int position = session.positionOf(run);
  const bool isReady = run->state() == RunState::kReady;
  add(tr("Make it the baseline"), isReady && session.baseline() != position,
      [&session](int at) { session.setBaseline(at); });
  add(run->isHidden() ? tr("Show") : tr("Hide"), isReady,
      [&session, guarded](int at) { session.setHidden(at, !guarded->isHidden()); });
  menu->addSeparator();
  add(tr("Move up"), position > 0, [&session](int at) { session.moveRun(at, at - 1); });
  add(tr("Move down"), position + 1 < session.runCount(), [&session](int at) { session.moveRun(at, at + 1); });
  menu->addSeparator();
  add(tr("Read the file again"), run->state() != RunState::kLoading, [&session](int at) { session.reload(at); });
  add(tr("Show in the file manager"), true,
      [guarded](int) { QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(guarded->path()).absolutePath())); });
  menu->addSeparator();
  add(tr("Close"), true, [&session](int at) { session.closeRun(at); });
  return menu;
}

}  // namespace attnscope::ui
