// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What stands in the place of the timelines while no run can be shown: being read, failed, or all hidden.

#include <QElapsedTimer>

#include "ui/bridge/Session.h"
#include "ui/theme/Surface.h"

class QTimer;
class QVBoxLayout;

namespace attnscope::ui {

class RunStateView : public Surface {
  Q_OBJECT

 public:
  RunStateView(Session& session, const Theme& theme, QWidget* parent = nullptr);

 Q_SIGNALS:
  void openRequested();

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  enum class Shown { kNothing, kLoading, kFailed, kHidden };
  void refresh();
  void build(Shown wanted);
  void addFailure(Run* run);
  [[nodiscard]] Shown wantedState() const;

  Session& m_session;
  QVBoxLayout* m_column;
  QTimer* m_ticks;
  QElapsedTimer m_since;
  Shown m_shown = Shown::kNothing;
  std::vector<Run*> m_runs;  // those that are shown
};

}  // namespace attnscope::ui
