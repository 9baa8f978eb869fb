// SPDX-License-Identifier: GPL-3.0-or-later
// main() of unit_lab: a QApplication with the theme in place, which the tests take as labTheme().

#include <gtest/gtest.h>
#include <QApplication>

#include "tests/unit/lab/LabTest.h"

namespace attnscope::ui {

Theme& labTheme() {
  static Theme theme;
  return theme;
}

bool waitUntil(const std::function<bool()>& done, int atMostMs) {
  QElapsedTimer clock;
  clock.start();
  while (!done()) {
    if (clock.elapsed() > atMostMs) return false;
    QApplication::processEvents(QEventLoop::AllEvents, 20);
  }
  return true;
}

}  // namespace attnscope::ui

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  QApplication application(argc, argv);
  attnscope::ui::labTheme().apply(application, attnscope::ui::ThemeChoice::kLight);
  return RUN_ALL_TESTS();
}
