// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The row above the timelines: how runs are laid over one another, which step is in scope, what colour means, ribbons,
// fit and measure. GUI thread.

#include <QComboBox>
#include <QLabel>
#include <QToolButton>
#include <QWidget>

#include "ui/bridge/Session.h"
#include "ui/theme/Theme.h"
#include "ui/timeline/ChangeLegend.h"
#include "ui/timeline/KindLegend.h"
#include "ui/timeline/TimelineState.h"

namespace attnscope::ui {

class TimelineBar : public QWidget {
  Q_OBJECT

 public:
  TimelineBar(Session& session, const Theme& theme, QWidget* parent = nullptr);
  void setKinds(std::vector<WorkKind> kinds) { m_legend.setKinds(std::move(kinds)); }
  void refresh();
  void setMeasuring(bool isOn);
  void setRibbons(Ribbons ribbons) { m_ribbons.setCurrentIndex(static_cast<int>(ribbons)); }
  [[nodiscard]] QString stepWords() const { return m_step.text(); }

 Q_SIGNALS:
  void ribbonsChosen(Ribbons ribbons);
  void fitWanted();
  void measuringChosen(bool isOn);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void goToStep(int step);
  void refreshLook();

  Session& m_session;
  const Theme& m_theme;
  QLabel m_alignWords;
  QComboBox m_align;
  QWidget m_stepper;
  QToolButton m_previous;
  QToolButton m_step;
  QToolButton m_next;
  QLabel m_colourWords;
  QComboBox m_colour;
  KindLegend m_legend;
  ChangeLegend m_changes;  // in its place where slices are coloured by difference
  QLabel m_ribbonWords;
  QComboBox m_ribbons;
  QToolButton m_fit;
  QToolButton m_measure;
};

}  // namespace attnscope::ui
