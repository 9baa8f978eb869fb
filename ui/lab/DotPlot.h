// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Every timed sample as a dot in the row of its implementation, as it comes, with the median and its interval, on one
// axis from 0. What lies beyond the axis is a small mark at its end. GUI thread only.

#include <vector>

#include <QWidget>

#include "core/session/RunPlan.h"
#include "core/session/RunResult.h"
#include "ui/bridge/Format.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {

struct DotAxis;

struct DotRow {
  QString letter;
  QString words;  // shown where there is no dot: "waiting", "refused"
  std::vector<int> rounds;
  std::vector<double> ns;  // per call, one for each round
};

class DotPlot : public QWidget {
  Q_OBJECT

 public:
  explicit DotPlot(const Theme& theme, QWidget* parent = nullptr);
  void setRows(std::vector<DotRow> rows);
  void append(std::size_t row, int round, double ns);  // the dot at once; texts follow with setRows()
  [[nodiscard]] const std::vector<DotRow>& rows() const { return m_rows; }
  [[nodiscard]] format::TimeUnit unit() const;
  [[nodiscard]] QString dataText() const;  // as a table, for the clipboard

  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void unitChanged();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  void refresh();
  void paintRow(QPainter& painter, std::size_t number, const QRectF& area, const DotAxis& axis) const;
  [[nodiscard]] double limitNs() const;

  const Theme& m_theme;
  std::vector<DotRow> m_rows;
  format::TimeUnit m_unit = format::TimeUnit::kUs;
};

// `words` for rows without dots by position.
[[nodiscard]] std::vector<DotRow> dotRowsOf(const RunResult& result, const QStringList& words);

}  // namespace attnscope::ui
