// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The sidebar folded: a letter chip a run with its stripe, 44 px wide. A chip opens the run's menu.

#include <QAbstractButton>

#include "ui/bridge/Session.h"
#include "ui/shell/MissingRow.h"
#include "ui/theme/Surface.h"

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

// An implementation of a measurement that has no trace: its letter, dimmed, with what became of it as its tip.
class RailMissing : public QWidget {
  Q_OBJECT

 public:
  RailMissing(const WithoutTrace& missing, const Theme& theme, QWidget* parent = nullptr);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  const Theme& m_theme;
  int m_number;
  MissingWords m_words;
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
