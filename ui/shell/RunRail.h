// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The sidebar folded: a letter chip a run with its stripe, 44 px wide. A chip opens the run's menu.

#include <QAbstractButton>

#include "ui/bridge/Session.h"
#include "ui/shell/Surface.h"

class QVBoxLayout;

namespace attnscope::ui {

class RailChip : public QAbstractButton {
  Q_OBJECT

 public:
  RailChip(Session& session, const Theme& theme, Run* run, QWidget* parent = nullptr);
  [[nodiscard]] QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  Session& m_session;
  const Theme& m_theme;
  Run* m_run;
};

class RunRail : public Surface {
  Q_OBJECT

 public:
  RunRail(Session& session, const Theme& theme, QWidget* parent = nullptr);

 Q_SIGNALS:
  void expandRequested();
  void addRequested();
  void healthRequested();

 private:
  void rebuild();
  Session& m_session;
  QVBoxLayout* m_chips;
  QWidget* m_health;
};

}  // namespace attnscope::ui
