// SPDX-License-Identifier: Apache-2.0
#pragma once

// For tests of the window's pages: the trace files that they open, and waiting until a page shows what came of them.

#include <chrono>
#include <thread>

#include <QByteArray>
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QString>

#include <gtest/gtest.h>

namespace attnscope::ui::test {

// Its path.
inline QString writeText(const QString& path, const QByteArray& text) {
  QFile file(path);
  EXPECT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(text);
  return path;
}

// `page` is anything that can tell whether it isSettled(); 20 s at most.
template <class Page>
void settle(const Page& page) {
  QElapsedTimer timer;
  timer.start();
  do {
    QCoreApplication::processEvents(QEventLoop::AllEvents, 10);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  } while (!page.isSettled() && timer.elapsed() < 20'000);
  ASSERT_TRUE(page.isSettled());
}

}  // namespace attnscope::ui::test
