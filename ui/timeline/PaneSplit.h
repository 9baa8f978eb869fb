// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The border between two panes, to be dragged up and down: lies over it without a look of its own. GUI thread.

#include <QWidget>

namespace attnscope::ui {

class PaneSplit : public QWidget {
  Q_OBJECT

 public:
  explicit PaneSplit(QWidget* parent = nullptr);

 Q_SIGNALS:
  void pressed();
  void dragged(int byPixels);  // since it was pressed, down where positive
  void resetWanted();          // double-click

 protected:
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;

 private:
  double m_pressY = 0;  // on the screen: it moves with what it moves
};

}  // namespace attnscope::ui
