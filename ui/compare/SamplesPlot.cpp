// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/SamplesPlot.h"

#include <algorithm>
#include <cmath>

#include <QPainter>

#include "core/session/Statistics.h"
#include "ui/bridge/Format.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {
namespace {

constexpr int kWidth = 560;
constexpr int kHeight = 150;
constexpr int kLabelRoom = 72;
constexpr double kLeastSpan = 0.02;  // of the axis, so that equal samples do not fill it with their noise
constexpr double kDot = 2.5;

QString describe(const std::vector<SampleSeries>& series) {
  QStringList parts;
  for (const SampleSeries& each : series) {
    parts << SamplesPlot::tr("%1: %2 samples, median %3")
                 .arg(each.letter)
                 .arg(each.perCallNs.size())
                 .arg(format::time(medianOf(each.perCallNs)));
  }
  return SamplesPlot::tr("Samples over the rounds. %1").arg(parts.join(QStringLiteral("; ")));
}

}  // namespace

SamplesPlot::SamplesPlot(std::vector<SampleSeries> series, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_series(std::move(series)), m_theme(theme) {
  setAccessibleName(describe(m_series));
  setFixedSize(sizeHint());
}

QSize SamplesPlot::sizeHint() const { return {m_theme.scaled(kWidth), m_theme.scaled(kHeight)}; }

SamplesPlot::Scale SamplesPlot::scale() const {
  Scale scale;
  bool any = false;
  for (const SampleSeries& each : m_series) {
    scale.rounds = std::max(scale.rounds, each.perCallNs.size());
    for (const double ns : each.perCallNs) {
      if (ns <= 0) continue;
      const double value = std::log(ns);
      scale.least = any ? std::min(scale.least, value) : value;
      scale.most = any ? std::max(scale.most, value) : value;
      any = true;
    }
  }
  const double margin = std::max(kLeastSpan, 0.08 * (scale.most - scale.least));
  scale.least -= margin;
  scale.most += margin;
  return scale;
}

void SamplesPlot::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Scale to = scale();
  if (to.rounds == 0) return;
  const int caption = m_theme.scaled(16);
  const QRectF plot(m_theme.scaled(kLabelRoom), m_theme.scaled(4), width() - m_theme.scaled(kLabelRoom + 24),
                    height() - m_theme.scaled(8) - caption);
  const auto x = [&](std::size_t round) {
    return plot.left() + (static_cast<double>(round) + 0.5) * plot.width() / static_cast<double>(to.rounds);
  };
  const auto y = [&](double log) { return plot.bottom() - (log - to.least) / (to.most - to.least) * plot.height(); };

  painter.setPen(m_theme.colour(QStringLiteral("chart.axis")));
  painter.drawLine(plot.bottomLeft(), plot.bottomRight());
  painter.drawLine(plot.topLeft(), plot.bottomLeft());
  painter.setFont(m_theme.font(FontRole::kCaption));
  painter.setPen(m_theme.colour(QStringLiteral("chart.label")));
  for (const double log : {to.least, (to.least + to.most) / 2, to.most}) {
    const QRectF box(0, y(log) - caption / 2.0, plot.left() - m_theme.scaled(6), caption);
    painter.drawText(box, Qt::AlignRight | Qt::AlignVCenter, format::time(std::exp(log)));
  }
  painter.drawText(QRectF(plot.left(), plot.bottom() + 2, plot.width(), caption), Qt::AlignRight | Qt::AlignVCenter,
                   tr("round %1").arg(to.rounds));
  painter.drawText(QRectF(plot.left(), plot.bottom() + 2, plot.width(), caption), Qt::AlignLeft | Qt::AlignVCenter,
                   tr("round 1"));

  for (const SampleSeries& each : m_series) {
    const QColor ink = m_theme.run(each.runNumber);
    const double middle = y(std::log(std::max(1.0, medianOf(each.perCallNs))));
    painter.setPen(QPen(ink, 1, Qt::DashLine));
    painter.drawLine(QPointF(plot.left(), middle), QPointF(plot.right(), middle));
    painter.setPen(Qt::NoPen);
    painter.setBrush(ink);
    for (std::size_t round = 0; round < each.perCallNs.size(); ++round) {
      if (each.perCallNs[round] <= 0) continue;
      painter.drawEllipse(QPointF(x(round), y(std::log(each.perCallNs[round]))), kDot, kDot);
    }
    painter.setPen(ink);
    painter.setFont(m_theme.font(FontRole::kCaption, QFont::DemiBold));
    painter.drawText(QRectF(plot.right() + m_theme.scaled(6), middle - caption / 2.0, m_theme.scaled(18), caption),
                     Qt::AlignLeft | Qt::AlignVCenter, each.letter);
  }
}

}  // namespace attnscope::ui
