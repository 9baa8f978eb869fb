// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/FreedAside.h"

#include <QCoreApplication>
#include <QThread>
#include <QThreadPool>

namespace attnscope::ui {

void runAside(std::function<void()> free) {
  const QCoreApplication* application = QCoreApplication::instance();
  const bool isGuiThread = application != nullptr && application->thread() == QThread::currentThread();
  if (isGuiThread && !QCoreApplication::closingDown()) {
    QThreadPool::globalInstance()->start(std::move(free));
  } else {
    free();
  }
}

}  // namespace attnscope::ui
