// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The Memory tab: allocated bytes of all runs over the time of the timelines, what one takes more than the baseline,
// and the peaks as measured and as predicted; or why there is none. GUI thread only; session, view state and theme
// outlive it.

#include <optional>
#include <vector>

#include <QTimer>
#include <QWidget>

#include "ui/bridge/Jobs.h"
#include "ui/charts/MemoryData.h"

class QBoxLayout;
class QComboBox;
class QProgressBar;
class QStackedLayout;

namespace attnscope::ui {

class MemoryChart;
class MemoryHeading;
class PageState;
class PeakTable;
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
  [[nodiscard]] const PeakTable& peaks() const { return *m_peaks; }
  [[nodiscard]] QComboBox& differences() const { return *m_difference; }

 Q_SIGNALS:
  void settledChanged();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void refresh();
  void build();
  void arrange();
  void offerDifferences(const std::vector<MemoryInput>& runs);
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
  QComboBox* m_difference = nullptr;
  std::vector<int> m_differences{-1};     // by entry: the run's number; -1: none
  std::optional<int> m_pickedDifference;  // by a person, as an entry
  MemoryChart* m_chart = nullptr;
  PeakTable* m_peaks = nullptr;
  QBoxLayout* m_body = nullptr;
  QProgressBar* m_progress = nullptr;
  PageState* m_state = nullptr;
  QStackedLayout* m_stack = nullptr;
};

}  // namespace attnscope::ui
