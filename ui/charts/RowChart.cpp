// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/RowChart.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <QVBoxLayout>

#include "ui/charts/ChartAxes.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {
namespace {

// A little room above and below; a flat line lies in the middle.
QCPRange around(const QCPRange& range) {
  const double room = range.size() > 0 ? range.size() * 0.08 : std::max(1.0, std::abs(range.lower) * 0.1);
  return {range.lower - room, range.upper + room};
}

}  // namespace

RowChart::RowChart(const Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_plot(new QCustomPlot(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_plot);
  m_plot->setFocusPolicy(Qt::NoFocus);
  m_plot->setContextMenuPolicy(Qt::NoContextMenu);
  for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis, m_plot->yAxis2}) {
    axis->setTicker(QSharedPointer<NumberTicker>::create());
  }
  setAccessibleName(tr("Largest score and sum of a row over its tiles"));
  connect(&theme, &Theme::changed, this, &RowChart::rebuild);
  rebuild();
}

void RowChart::setPoints(std::vector<RowPoint> points, std::int64_t keys) {
  m_points = std::move(points);
  m_keys = keys;
  rebuild();
}

void RowChart::rebuild() {
  m_plot->clearPlottables();
  styleChart(*m_plot, m_theme);
  m_plot->axisRect()->setMargins(
      QMargins(m_theme.scaled(52), m_theme.scaled(10), m_theme.scaled(52), m_theme.scaled(26)));
  QCPAxis* right = m_plot->yAxis2;
  right->setVisible(true);
  right->setBasePen(Qt::NoPen);
  right->setTickPen(Qt::NoPen);
  right->setSubTicks(false);
  right->setTickLabelFont(m_theme.font(FontRole::kCaption));
  const QColor largestInk = m_theme.colour(QStringLiteral("delta.faster"));
  const QColor sumInk = m_theme.colour(QStringLiteral("delta.slower"));
  m_plot->yAxis->setTickLabelColor(largestInk);
  right->setTickLabelColor(sumInk);
  m_plot->xAxis->setRange(0, static_cast<double>(std::max<std::int64_t>(1, m_keys)) * 1.02);  // the last point whole
  const auto add = [&](QCPAxis* axis, const QColor& ink, QCPScatterStyle::ScatterShape shape, double RowPoint::*value) {
    QCPGraph* graph = m_plot->addGraph(m_plot->xAxis, axis);
    graph->setPen(QPen(ink, 1.5));
    graph->setScatterStyle(QCPScatterStyle(shape, ink, ink, m_theme.scaled(5)));
    for (const RowPoint& point : m_points) {
      if (std::isfinite(point.largest)) graph->addData(point.endKey, point.*value);
    }
    bool isFound = false;
    const QCPRange range = graph->getValueRange(isFound);
    axis->setRange(isFound ? around(range) : QCPRange(0, 1));
  };
  add(m_plot->yAxis, largestInk, QCPScatterStyle::ssDisc, &RowPoint::largest);
  add(right, sumInk, QCPScatterStyle::ssSquare, &RowPoint::sum);
  m_plot->replot();
}

QString RowChart::data() const {
  QString text = tr("keys so far\tlargest score\tsum of exp(score - largest)") + QLatin1Char('\n');
  for (const RowPoint& point : m_points) {
    text += QStringLiteral("%1\t%2\t%3\n").arg(point.endKey).arg(point.largest, 0, 'g', 7).arg(point.sum, 0, 'g', 7);
  }
  return text;
}

}  // namespace attnscope::ui
