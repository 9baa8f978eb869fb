// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The peaks under the memory chart, a line a run: what one call took as measured and as predicted, the peak of the
// trace in scope and who held most of it then; and the score matrix where the problem is known. Columns without a
// figure are left out, and those that have no room, from the right. GUI thread only; the theme outlives it.

#include <memory>
#include <vector>

#include <QWidget>

#include "ui/charts/MemoryData.h"

class QContextMenuEvent;

namespace attnscope::ui {

class Theme;

// Texts of the table by line and column, the first line the heads. Pure.
struct PeakCells {
  struct Line {
    int runNumber = -1;  // -1: of no run
    QString letter;
    QStringList texts;  // as the heads
  };
  QStringList heads;
  int numbersUntil = 0;  // columns from there on are words
  std::vector<Line> lines;
};
[[nodiscard]] PeakCells peakCells(const MemoryRuns& runs);

class PeakTable : public QWidget {
  Q_OBJECT

 public:
  explicit PeakTable(const Theme& theme, QWidget* parent = nullptr);

  void setRuns(const MemoryRuns& runs);
  [[nodiscard]] const PeakCells& cells() const { return m_cells; }
  [[nodiscard]] QString asText() const;  // tab-separated, with the heads
  [[nodiscard]] QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  [[nodiscard]] std::vector<int> columnWidths() const;  // of those that are shown, the first takes the rest
  void paintLine(QPainter& painter, int top, const PeakCells::Line& line, const std::vector<int>& widths) const;

  const Theme& m_theme;
  PeakCells m_cells;
};

}  // namespace attnscope::ui
