// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The Inside tab: the tiles of one call of an own kernel as a map, and a row's online softmax over them. A tile that is
// chosen is selected in the timeline, and a tile's slice that is selected there is shown here. GUI thread only; session
// and theme outlive it.

#include <vector>

#include <QTimer>
#include <QWidget>

#include "ui/bridge/Jobs.h"
#include "ui/charts/TileMap.h"

class QComboBox;
class QLabel;
class QProgressBar;
class QSpinBox;

namespace attnscope::ui {

class RowChart;
class Session;
class Theme;
class TileMapView;

class InsidePage : public QWidget {
  Q_OBJECT

 public:
  InsidePage(Session& session, const Theme& theme, QWidget* parent = nullptr);

  [[nodiscard]] bool isWanted() const { return !m_numbers.empty(); }  // a ready run has tiles
  [[nodiscard]] bool isSettled() const;
  [[nodiscard]] TileMapView* map() const { return m_view; }
  [[nodiscard]] RowChart* chart() const { return m_chart; }
  [[nodiscard]] QString heading() const;
  void showRow(const RowOfTiles& row);
  [[nodiscard]] const RowOfTiles& row() const { return m_row; }

 Q_SIGNALS:
  void wantedChanged();
  void settledChanged();

 private:
  void buildBar(QWidget* bar);
  void refreshRuns();
  void build();
  void take(std::shared_ptr<const TileMap> map);
  void fillHeads();
  void showHistory();
  void chooseTile(std::size_t tile);
  void followSelection();
  void updateHeading();
  void applyTheme();
  [[nodiscard]] int chosenNumber() const;
  [[nodiscard]] int positionOf(int runNumber) const;

  Session& m_session;
  const Theme& m_theme;
  Jobs m_jobs;
  QTimer m_refresh;
  QTimer m_slow;
  std::vector<int> m_numbers;  // of runs that have tiles
  RowOfTiles m_row;
  QComboBox* m_run = nullptr;
  QComboBox* m_head = nullptr;
  QComboBox* m_colouring = nullptr;
  QSpinBox* m_query = nullptr;
  QLabel* m_heading = nullptr;
  QLabel* m_legend = nullptr;
  QProgressBar* m_progress = nullptr;
  TileMapView* m_view = nullptr;
  RowChart* m_chart = nullptr;
};

}  // namespace attnscope::ui
