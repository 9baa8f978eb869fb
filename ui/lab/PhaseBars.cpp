// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lab/PhaseBars.h"

#include <algorithm>

#include <QPainter>

#include "ui/theme/TextLabel.h"

namespace attnscope::ui {

PhaseBars::PhaseBars(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  setAccessibleName(tr("Phases"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(&m_theme, &Theme::changed, this, [this] {
    updateGeometry();
    update();
  });
}

void PhaseBars::setPhases(const PhaseFigures& phases) {
  m_phases = phases;
  QStringList texts;
  for (const PhaseFigure& phase : phases) {
    const QString mark = phase.mark == PhaseMark::kDone  ? tr("done")
                         : phase.mark == PhaseMark::kNow ? tr("now")
                                                         : tr("to come");
    texts << (phase.figure.isEmpty() ? tr("%1: %2").arg(phase.name, mark)
                                     : tr("%1: %2, %3").arg(phase.name, mark, phase.figure));
  }
  setAccessibleDescription(texts.join(QStringLiteral("; ")));
  update();
}

QSize PhaseBars::sizeHint() const {
  return {m_theme.scaled(300), 3 + m_theme.scaled(6) + 2 * lineHeightOf(m_theme, FontRole::kData)};
}

void PhaseBars::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  const int gap = m_theme.scaled(6);
  const double each = (width() - gap * (static_cast<double>(kRunPhaseCount) - 1)) / static_cast<double>(kRunPhaseCount);
  const int line = lineHeightOf(m_theme, FontRole::kData);
  const int icon = m_theme.scaled(12);
  const bool isNarrow = each < m_theme.scaled(76);
  for (std::size_t i = 0; i < kRunPhaseCount; ++i) {
    const PhaseFigure& phase = m_phases[i];
    const double left = static_cast<double>(i) * (each + gap);
    painter.fillRect(QRectF(left, 0, each, 3), m_theme.colour(QStringLiteral("state.progress_track")));
    painter.fillRect(QRectF(left, 0, each * std::clamp(phase.share, 0.0, 1.0), 3),
                     m_theme.colour(QStringLiteral("state.progress")));
    const double top = 3 + m_theme.scaled(4);
    const double middle = top + line / 2.0;
    const bool ahead = phase.mark == PhaseMark::kAhead;
    const QColor ink = m_theme.colour(ahead ? QStringLiteral("text.tertiary") : QStringLiteral("text.primary"));
    if (isNarrow) {
      // The bars say it; the room is the name's.
    } else if (phase.mark == PhaseMark::kDone) {
      painter.drawPixmap(QPointF(left, middle - icon / 2.0),
                         m_theme.iconPixmap(QStringLiteral("check"), icon, ink, devicePixelRatioF()));
    } else {
      painter.setRenderHint(QPainter::Antialiasing);
      painter.setPen(QPen(ink, 1.2));
      painter.setBrush(ahead ? Qt::NoBrush : QBrush(ink));
      const double radius = m_theme.scaled(3);
      painter.drawEllipse(QPointF(left + icon / 2.0, middle), radius, radius);
      painter.setRenderHint(QPainter::Antialiasing, false);
    }
    const double text = isNarrow ? left : left + icon + m_theme.scaled(4);
    const double room = std::max(each - (text - left), 0.0);
    painter.setPen(ink);
    painter.setFont(m_theme.font(FontRole::kData, phase.mark == PhaseMark::kNow ? QFont::DemiBold : QFont::Normal));
    painter.drawText(QRectF(text, top, room, line), Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(phase.name, Qt::ElideRight, static_cast<int>(room)));
    painter.setFont(m_theme.font(FontRole::kCaption));
    painter.setPen(m_theme.colour(QStringLiteral("text.tertiary")));
    painter.drawText(QRectF(text, top + line, room, line), Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(phase.figure, Qt::ElideRight, static_cast<int>(room)));
  }
}

}  // namespace attnscope::ui
