// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/CallHistogram.h"

#include <algorithm>
#include <cmath>

#include <QFontMetricsF>
#include <QPainter>

#include "ui/bridge/Format.h"

namespace attnscope::ui {

CallHistogram::CallHistogram(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(&m_theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void CallHistogram::setCalls(const CallStatistics& calls, std::int64_t thisNs, WorkKind kind) {
  m_calls = calls;
  m_thisNs = thisNs;
  m_kind = kind;
  setAccessibleName(tr("Durations of %1 calls").arg(format::count(static_cast<std::int64_t>(calls.calls))));
  update();
}

QSize CallHistogram::sizeHint() const { return {m_theme.scaled(200), m_theme.scaled(64)}; }

void CallHistogram::paintEvent(QPaintEvent* /*event*/) {
  if (m_calls.histogram.empty()) return;
  QPainter painter(this);
  const int labels = m_theme.scaled(16);
  const int head = m_theme.scaled(12);
  const double bottom = height() - labels;
  const double tallest = bottom - head;
  const std::uint32_t most = *std::max_element(m_calls.histogram.begin(), m_calls.histogram.end());
  const double step = static_cast<double>(width()) / static_cast<double>(m_calls.histogram.size());
  const KindColours kind = m_theme.kind(m_kind);
  const bool pale = m_kind == WorkKind::kPython || m_kind == WorkKind::kAnnotation || m_kind == WorkKind::kIdle;
  for (std::size_t i = 0; i < m_calls.histogram.size(); ++i) {
    if (m_calls.histogram[i] == 0) continue;
    // One call of many still shows.
    const double tall = std::max(2.0, tallest * m_calls.histogram[i] / most);
    const double left = std::floor(static_cast<double>(i) * step);
    const double right = std::floor(static_cast<double>(i + 1) * step) - 1;
    painter.fillRect(QRectF(left, std::floor(bottom - tall), std::max(1.0, right - left), std::ceil(tall)),
                     pale ? kind.edge : kind.fill);
  }
  painter.fillRect(QRectF(0, bottom, width(), 1), m_theme.colour(QStringLiteral("chart.axis")));

  const double span = static_cast<double>(m_calls.maxNs - m_calls.minNs);
  const double at = static_cast<double>(m_thisNs - m_calls.minNs) / span * (width() - 2);
  const QFont font = m_theme.font(FontRole::kCaption);
  const QFontMetricsF metrics(font);
  painter.setFont(font);
  painter.setPen(m_theme.colour(QStringLiteral("text.primary")));
  if (m_calls.ordinal > 0) {
    painter.fillRect(QRectF(std::floor(at), 0, 1, bottom), m_theme.colour(QStringLiteral("text.primary")));
    const QString words = tr("this call");
    const double wide = metrics.horizontalAdvance(words);
    const double left = at + 4 + wide > width() ? at - 4 - wide : at + 4;
    painter.drawText(QPointF(left, metrics.ascent()), words);
  }
  painter.setPen(m_theme.colour(QStringLiteral("chart.label")));
  const double baseline = height() - metrics.descent();
  painter.drawText(QPointF(0, baseline), format::time(static_cast<double>(m_calls.minNs)));
  const QString high = format::time(static_cast<double>(m_calls.maxNs));
  painter.drawText(QPointF(width() - metrics.horizontalAdvance(high), baseline), high);
}

}  // namespace attnscope::ui
