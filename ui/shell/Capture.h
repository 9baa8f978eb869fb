// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Draws the window into a PNG once everything is read and settled (or after a time that was asked for), and says with
// which exit code the program should end.

#include <QElapsedTimer>
#include <QObject>

#include "ui/shell/CommandLine.h"

class QTimer;

namespace attnscope::ui {

class MainWindow;

// Why a picture cannot be written there, or empty.
[[nodiscard]] QString captureObstacle(const QString& path);

class Capture : public QObject {
  Q_OBJECT

 public:
  Capture(MainWindow& window, const CommandLine& line, QObject* parent = nullptr);

 Q_SIGNALS:
  void finished(int exitCode);

 private:
  void look();
  void draw();
  MainWindow& m_window;
  CommandLine m_line;
  QTimer* m_ticks;
  QElapsedTimer m_since;
  int m_settledLooks = 0;
  bool m_hasView = false;
};

}  // namespace attnscope::ui
