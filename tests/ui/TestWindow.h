// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A main window for tests, with its theme and settings, and the traces that tests open.

#include <QApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QString>
#include <QStringList>
#include <QTest>

#include <gtest/gtest.h>

#include "ui/shell/AppSettings.h"
#include "ui/shell/MainWindow.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui::test {

inline QString sourceFile(const char* path) { return QStringLiteral(ATTNSCOPE_SOURCE_DIR "/") + QLatin1String(path); }
inline QString naive() { return sourceFile("resources/sample/naive.json"); }
inline QString flash() { return sourceFile("resources/sample/flash.json"); }
inline QString withTiles() { return sourceFile("tests/ui/data/inside.json"); }  // own.fused, recorded by the lab
inline QString cudaTrace() { return sourceFile("tests/golden/data/cuda_small.json"); }

inline QString writeFile(const QString& path, const QByteArray& text) {
  QFile file(path);
  EXPECT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(text);
  return path;
}

class TestWindow {
 public:
  explicit TestWindow(QSize size = {1280, 800}, const QString& runner = {})
      : settings(Persistence::kForgotten), window(prepare(theme), settings, runner) {
    window.resize(size);
    window.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&window));
  }

  // Everything read, computed and drawn.
  [[nodiscard]] bool settle(int mostMs = 20000) {
    int looks = 0;
    QElapsedTimer since;
    since.start();
    while (looks < 5 && since.elapsed() < mostMs) {
      QTest::qWait(10);
      looks = window.isSettled() ? looks + 1 : 0;
    }
    return looks == 5;
  }
  [[nodiscard]] bool open(const QStringList& files) {
    window.openFiles(files);
    return settle();
  }

  Theme theme;
  AppSettings settings;
  MainWindow window;

 private:
  static Theme& prepare(Theme& theme) {
    theme.apply(*qobject_cast<QApplication*>(QCoreApplication::instance()), ThemeChoice::kLight);
    return theme;
  }
};

}  // namespace attnscope::ui::test
