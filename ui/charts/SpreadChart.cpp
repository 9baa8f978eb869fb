// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/SpreadChart.h"

#include <algorithm>

#include "ui/charts/ChartAxes.h"
#include "ui/charts/ChartExport.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {

SpreadChart::SpreadChart(const Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_spread(std::make_shared<DurationSpread>()), m_plot(addPlot(*this)) {
  m_plot->yAxis->setTicker(QSharedPointer<NumberTicker>::create());
  setAccessibleName(tr("Distribution of durations"));
  connect(&theme, &Theme::changed, this, &SpreadChart::rebuild);
  rebuild();
}

void SpreadChart::setSpread(std::shared_ptr<const DurationSpread> spread) {
  m_spread = std::move(spread);
  rebuild();
}

void SpreadChart::rebuild() {
  const auto ticker = beginTimeChart(*m_plot, m_theme);
  m_plot->axisRect()->setMargins(
      QMargins(m_theme.scaled(56), m_theme.scaled(10), m_theme.scaled(48), m_theme.scaled(26)));
  m_plot->yAxis2->setVisible(true);
  m_plot->yAxis2->setRange(0, 1.05);
  m_plot->yAxis2->setBasePen(Qt::NoPen);
  m_plot->yAxis2->setTickPen(Qt::NoPen);
  m_plot->yAxis2->setSubTicks(false);
  m_plot->yAxis2->setTickLabelFont(m_theme.font(FontRole::kCaption));
  m_plot->yAxis2->setTickLabelColor(m_theme.colour(QStringLiteral("chart.label")));
  const auto shares = QSharedPointer<QCPAxisTickerText>::create();
  for (const int percent : {0, 50, 100}) shares->addTick(percent / 100.0, QStringLiteral("%1 %").arg(percent));
  m_plot->yAxis2->setTicker(shares);
  if (m_spread->bars == 0) {
    m_plot->replot();
    return;
  }
  const double start = m_spread->startNs;
  const double end = start + m_spread->bars * m_spread->barNs;
  double highest = 1;
  const bool isOne = m_spread->runs.size() == 1;
  for (const RunSpread& run : m_spread->runs) {
    const QColor ink = m_theme.run(run.runNumber);
    QVector<double> at;
    QVector<double> counts;
    for (int bar = 0; bar < m_spread->bars; ++bar) {
      at << start + (bar + (isOne ? 0.5 : 0.0)) * m_spread->barNs;
      counts << run.counts[static_cast<std::size_t>(bar)];
      highest = std::max(highest, counts.back());
    }
    if (isOne) {
      auto* bars = new QCPBars(m_plot->xAxis, m_plot->yAxis);
      bars->setWidth(m_spread->barNs * 0.92);
      bars->setPen(Qt::NoPen);
      bars->setBrush(m_theme.colour(QStringLiteral("timeline.counter_fill")));
      bars->setData(at, counts, true);
    } else {
      QCPGraph* steps = m_plot->addGraph();
      at << end;
      counts << counts.back();
      steps->setLineStyle(QCPGraph::lsStepLeft);
      steps->setPen(QPen(ink, 1));
      steps->setData(at, counts, true);
    }
    QCPGraph* share = m_plot->addGraph(m_plot->xAxis, m_plot->yAxis2);
    share->setLineStyle(QCPGraph::lsStepLeft);
    share->setPen(QPen(isOne ? m_theme.colour(QStringLiteral("timeline.counter_line")) : ink, 1,
                       isOne ? Qt::SolidLine : Qt::DashLine));
    share->addData(start, 0);
    for (const RunSpread::Step& step : run.steps) share->addData(step.ns, step.share);
    share->addData(end, 1);
  }
  if (m_spread->markNs >= 0) {
    auto* mark = new QCPItemStraightLine(m_plot);
    mark->setPen(QPen(m_theme.colour(QStringLiteral("timeline.cursor")), 1));
    mark->point1->setCoords(m_spread->markNs, 0);
    mark->point2->setCoords(m_spread->markNs, 1);
  }
  m_plot->xAxis->setRange(start, end);
  m_plot->yAxis->setRange(0, highest * 1.05);
  drawWithTimeUnit(*m_plot, *ticker, m_theme);
}

QString SpreadChart::data() const {
  QString text = QStringLiteral("from (ns)\tto (ns)");
  for (const RunSpread& run : m_spread->runs) text += QStringLiteral("\tcalls %1").arg(run.letter);
  text += QLatin1Char('\n');
  for (int bar = 0; bar < m_spread->bars; ++bar) {
    const double from = m_spread->startNs + bar * m_spread->barNs;
    text += QString::number(from, 'f', 0) + QLatin1Char('\t') + QString::number(from + m_spread->barNs, 'f', 0);
    for (const RunSpread& run : m_spread->runs) {
      text += QLatin1Char('\t') + QString::number(run.counts[static_cast<std::size_t>(bar)], 'f', 0);
    }
    text += QLatin1Char('\n');
  }
  return text;
}

bool SpreadChart::save(const QString& path) { return saveChart(*m_plot, path); }

}  // namespace attnscope::ui
