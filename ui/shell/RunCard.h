// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One run in the sidebar: stripe, letter, title, file, figures; its progress while it is read, the reason when it
// could not be. Paints itself, with a button for hiding (or cancelling) on it. Dragging is told to the sidebar.

#include <optional>
#include <vector>

#include <QWidget>

#include "ui/bridge/Session.h"
#include "ui/shell/RunFigures.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {

class IconButton;

class RunCard : public QWidget {
  Q_OBJECT

 public:
  RunCard(Session& session, const Theme& theme, Run* run, QWidget* parent = nullptr);

  [[nodiscard]] Run* run() const { return m_run; }
  [[nodiscard]] QSize sizeHint() const override;
  void refresh();
  void refreshProgress();

 Q_SIGNALS:
  void menuRequested(attnscope::ui::Run* run, const QPoint& globalPosition);
  void dragMoved(attnscope::ui::Run* run, int globalY);
  void dragEnded(attnscope::ui::Run* run, int globalY);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void paintHead(QPainter& painter) const;
  void paintBody(QPainter& painter) const;
  [[nodiscard]] bool isBaseline() const;
  // Against the baseline, from pairs that the lab timed; none where there is no verdict.
  [[nodiscard]] std::optional<PairedComparison> timedVerdict() const;
  [[nodiscard]] int textLeft() const;

  Session& m_session;
  const Theme& m_theme;
  Run* m_run;
  IconButton* m_eye;
  std::vector<Figure> m_figures;
  QPoint m_pressed;
  bool m_isDragged = false;
};

}  // namespace attnscope::ui
