// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The kinds of work that are in the open runs, swatch and title each. A click shows one alone, Ctrl+click adds it or
// takes it away; what has no room is counted as "+ 3" and listed in a menu. By keys: arrows go through them, Space
// shows one alone, Ctrl+Space adds it. GUI thread.

#include <vector>

#include <QWidget>

#include "ui/bridge/Session.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {

class KindLegend : public QWidget {
  Q_OBJECT

 public:
  KindLegend(Session& session, const Theme& theme, QWidget* parent = nullptr);
  void setKinds(std::vector<WorkKind> kinds);  // in the order shown
  [[nodiscard]] const std::vector<WorkKind>& kinds() const { return m_kinds; }
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Entry {
    WorkKind kind;
    QRect box;
  };
  // Those that fit into the width; `rest` gets the box of "+ n", null where all fit.
  [[nodiscard]] std::vector<Entry> entries(QRect& rest) const;
  void choose(WorkKind kind, bool adds);
  void showRest(QPoint globalPosition, std::size_t from);

  Session& m_session;
  const Theme& m_theme;
  std::vector<WorkKind> m_kinds;
  [[nodiscard]] QString nameOf(int entry) const;
  int m_hovered = -1;
  int m_focused = -1;  // entry that keys act on; that after the last is "+ n"
};

}  // namespace attnscope::ui
