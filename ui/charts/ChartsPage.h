// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The Charts tab: durations of what is selected, time by kind of work, and the flame graph of operators. Each is built
// in a worker, saved as a picture and copied as data. GUI thread only; session and theme outlive it.

#include <array>
#include <functional>

#include <QTimer>
#include <QWidget>

#include "core/analysis/OperatorPaths.h"
#include "ui/bridge/Jobs.h"

class QAction;
class QComboBox;
class QLabel;
class QProgressBar;
class QStackedLayout;
class QStackedWidget;
class QToolButton;

namespace attnscope::ui {

class FlameView;
class KindChart;
class PageState;
class Session;
class SpreadChart;
class Theme;

enum class ChartKind : std::uint8_t { kDistribution, kKinds, kFlame };

class ChartsPage : public QWidget {
  Q_OBJECT

 public:
  ChartsPage(Session& session, const Theme& theme, QWidget* parent = nullptr);

  void showChart(ChartKind chart);
  [[nodiscard]] ChartKind chart() const { return m_chart; }
  [[nodiscard]] bool isSettled() const;
  [[nodiscard]] QString stateTitle() const;  // of what is shown instead of the chart; empty: the chart is shown
  [[nodiscard]] QString heading() const;
  [[nodiscard]] SpreadChart* distribution() const { return m_spread; }
  [[nodiscard]] KindChart* kinds() const { return m_kinds; }
  [[nodiscard]] FlameView* flame() const { return m_flame; }
  [[nodiscard]] QList<QAction*> chartActions() const { return m_actions; }
  // Asks where to write; empty: nowhere.
  using FileChooser = std::function<QString(QWidget* over, const QString& suggestion, const QString& filter)>;
  void setFileChooser(FileChooser chooser) { m_chooseFile = std::move(chooser); }

 Q_SIGNALS:
  void settledChanged();

 private:
  void buildBar();
  void refresh();
  void build();
  void buildDistribution();
  void buildKinds();
  void buildFlame();
  void selectBox(std::uint32_t box);
  void updateState();
  void updateHeading();
  void applyTheme();
  void save(const QString& ending);
  [[nodiscard]] QString data() const;
  [[nodiscard]] int positionOf(int runNumber) const;

  Session& m_session;
  const Theme& m_theme;
  Jobs m_jobs;
  QTimer m_refresh;
  QTimer m_slow;
  FileChooser m_chooseFile;
  ChartKind m_chart = ChartKind::kDistribution;
  QString m_problem;  // of the last attempt to write
  QWidget* m_bar = nullptr;
  std::array<QToolButton*, 3> m_buttons{};  // by ChartKind
  QLabel* m_heading = nullptr;
  QComboBox* m_grouping = nullptr;  // of the flame graph
  QToolButton* m_roots = nullptr;
  QProgressBar* m_progress = nullptr;
  QStackedWidget* m_charts = nullptr;
  SpreadChart* m_spread = nullptr;
  KindChart* m_kinds = nullptr;
  FlameView* m_flame = nullptr;
  PageState* m_state = nullptr;
  QStackedLayout* m_stack = nullptr;
  QAction* m_saveSvg = nullptr;
  QList<QAction*> m_actions;
};

}  // namespace attnscope::ui
