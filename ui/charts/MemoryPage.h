// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The Memory tab: allocated bytes of all runs over the time of the timelines, or why there is none. GUI thread only;
// session, view state and theme outlive it.

#include <vector>

#include <QTimer>
#include <QWidget>

#include "ui/bridge/Jobs.h"
#include "ui/charts/MemoryData.h"

class QComboBox;
class QProgressBar;
class QStackedLayout;

namespace attnscope::ui {

class MemoryChart;
class MemoryHeading;
class PageState;
class Session;
class Theme;
class ViewState;

class MemoryPage : public QWidget {
  Q_OBJECT

 public:
  MemoryPage(Session& session, ViewState& view, const Theme& theme, QWidget* parent = nullptr);

  [[nodiscard]] bool isSettled() const;
  [[nodiscard]] QString stateTitle() const;  // of what is shown instead of the chart; empty: the chart is shown
  [[nodiscard]] MemoryChart* chart() const { return m_chart; }
  [[nodiscard]] QString device() const;

 Q_SIGNALS:
  void settledChanged();

 private:
  void refresh();
  void build();
  void updateHeading();
  void updateState();
  void applyTheme();
  [[nodiscard]] std::vector<MemoryInput> inputs() const;
  [[nodiscard]] std::int64_t anchorOf(int runNumber) const;

  Session& m_session;
  ViewState& m_view;
  const Theme& m_theme;
  Jobs m_jobs;
  QTimer m_refresh;
  QTimer m_slow;
  QStringList m_devices;
  QWidget* m_content = nullptr;
  MemoryHeading* m_heading = nullptr;
  QComboBox* m_device = nullptr;
  MemoryChart* m_chart = nullptr;
  QProgressBar* m_progress = nullptr;
  PageState* m_state = nullptr;
  QStackedLayout* m_stack = nullptr;
};

}  // namespace attnscope::ui
