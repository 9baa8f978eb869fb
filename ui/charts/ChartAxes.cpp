// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/ChartAxes.h"

#include <algorithm>
#include <cmath>

#include <QVBoxLayout>

#include "ui/theme/Theme.h"

namespace attnscope::ui {
namespace {

constexpr double kUnitShare = 0.06;  // of the axis at its end, for the unit

double stepFor(double span, int ticks) {
  const double rough = span / std::max(ticks, 1);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) return factor * power;
  }
  return 10 * power;
}

int decimalsFor(double step) { return std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 4); }

}  // namespace

double TimeTicker::getTickStep(const QCPRange& range) {
  const double step = stepFor(range.size(), tickCount());
  // The unit is that of the view's far end, so that labels are short.
  const double far = std::max(std::abs(range.lower), std::abs(range.upper));
  m_unit = format::unitFor(static_cast<std::int64_t>(std::max(far / 2, step)));
  static constexpr double kNsIn[] = {1.0, 1e3, 1e6, 1e9};
  m_decimals = decimalsFor(step / kNsIn[static_cast<std::size_t>(m_unit)]);
  m_labelledUntil = range.upper - range.size() * kUnitShare;
  return step;
}

QString TimeTicker::getTickLabel(double tick, const QLocale&, QChar, int) {
  if (tick > m_labelledUntil) return {};  // the unit stands there
  return format::timeIn(tick, m_unit, m_decimals);
}

double NumberTicker::getTickStep(const QCPRange& range) {
  const double step = stepFor(range.size(), tickCount());
  m_decimals = decimalsFor(step);
  return step;
}

QString NumberTicker::getTickLabel(double tick, const QLocale&, QChar, int) {
  // "µs" without conversion: plain grouping and point of the locale, as every number in the window.
  return format::timeIn(tick * 1e3, format::TimeUnit::kUs, m_decimals);
}

void drawWithTimeUnit(QCustomPlot& plot, const TimeTicker& ticker, const Theme& theme) {
  plot.replot();
  auto* unit = new QCPItemText(&plot);
  unit->setText(format::unitName(ticker.unit()));
  unit->setFont(theme.font(FontRole::kCaption));
  unit->setColor(theme.colour(QStringLiteral("chart.label")));
  unit->setClipToAxisRect(false);
  unit->setPositionAlignment(Qt::AlignRight | Qt::AlignTop);
  unit->setPadding(QMargins(0, theme.scaled(5), 0, 0));
  unit->position->setType(QCPItemPosition::ptAxisRectRatio);
  unit->position->setCoords(1, 1);
  plot.replot();
}

void styleAxes(QCPAxisRect& axes, const Theme& theme) {
  const QPen axis(theme.colour(QStringLiteral("chart.axis")), 1);
  const QPen grid(theme.colour(QStringLiteral("chart.grid")), 1);
  for (QCPAxis* each : {axes.axis(QCPAxis::atBottom), axes.axis(QCPAxis::atLeft)}) {
    const bool isBottom = each->axisType() == QCPAxis::atBottom;
    each->setBasePen(axis);
    each->setTickPen(axis);
    each->setSubTicks(false);
    each->setTickLength(0, isBottom ? theme.scaled(4) : 0);
    each->setTickLabelFont(theme.font(FontRole::kCaption));
    each->setTickLabelColor(theme.colour(QStringLiteral("chart.label")));
    each->setTickLabelPadding(theme.scaled(isBottom ? 3 : 6));
    each->grid()->setPen(grid);
    each->grid()->setZeroLinePen(grid);
    each->grid()->setSubGridVisible(false);
  }
  axes.setAutoMargins(QCP::msNone);
}

void styleChart(QCustomPlot& plot, const Theme& theme) {
  plot.setBackground(theme.colour(QStringLiteral("surface.pane")));
  plot.setNotAntialiasedElements(QCP::aeAll);
  plot.setAntialiasedElements(QCP::aeScatters);
  plot.setNoAntialiasingOnDrag(true);
  styleAxes(*plot.axisRect(), theme);
  plot.axisRect()->setMargins(QMargins(theme.scaled(56), theme.scaled(24), theme.scaled(16), theme.scaled(26)));
}

QCustomPlot* addPlot(QWidget& chart) {
  auto* plot = new QCustomPlot(&chart);
  auto* layout = new QVBoxLayout(&chart);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(plot);
  plot->setFocusPolicy(Qt::NoFocus);
  plot->setContextMenuPolicy(Qt::NoContextMenu);
  return plot;
}

QSharedPointer<TimeTicker> beginTimeChart(QCustomPlot& plot, const Theme& theme) {
  plot.clearPlottables();
  plot.clearItems();
  styleChart(plot, theme);
  const auto ticker = QSharedPointer<TimeTicker>::create();
  plot.xAxis->setTicker(ticker);
  return ticker;
}

}  // namespace attnscope::ui
