// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/HealthFoot.h"

#include <QFontMetricsF>
#include <QPainter>

#include "ui/bridge/Format.h"
#include "ui/shell/RunFigures.h"

namespace attnscope::ui {

namespace {

constexpr std::size_t kMostEntries = 3;

}  // namespace

HealthFoot::HealthFoot(Session& session, const Theme& theme, QWidget* parent)
    : QAbstractButton(parent), m_session(session), m_theme(theme) {
  setFocusPolicy(Qt::TabFocus);
  setCursor(Qt::PointingHandCursor);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(&m_session, &Session::runsChanged, this, &HealthFoot::refresh);
  connect(&m_session, &Session::runChanged, this, &HealthFoot::refresh);
  connect(&m_theme, &Theme::changed, this, &HealthFoot::refresh);
  refresh();
}

void HealthFoot::refresh() {
  TraceHealth all;
  int read = 0;
  for (int i = 0; i < m_session.runCount(); ++i) {
    if (const Trace* trace = m_session.run(i)->trace()) {
      all.merge(trace->health);
      ++read;
    }
  }
  m_words = read == 0 ? QString() : healthWords(all);
  m_entries = all.sorted();
  if (m_entries.size() > kMostEntries) m_entries.resize(kMostEntries);
  setAccessibleName(tr("Trace health, %1").arg(m_words));
  setToolTip(tr("List everything that was repaired, guessed or left out"));
  setVisible(read > 0);
  updateGeometry();
  update();
}

QSize HealthFoot::sizeHint() const {
  return {m_theme.size(QStringLiteral("sidebar")),
          m_theme.scaled(8 + 18 + 8) + static_cast<int>(m_entries.size()) * m_theme.scaled(18)};
}

void HealthFoot::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.fillRect(rect(),
                   m_theme.colour(underMouse() ? QStringLiteral("state.hover") : QStringLiteral("surface.panel")));
  painter.fillRect(0, 0, width(), 1, m_theme.colour(QStringLiteral("border.hairline")));
  if (hasFocus()) {
    painter.setPen(QPen(m_theme.colour(QStringLiteral("state.focus")), 2));
    painter.drawRect(rect().adjusted(1, 1, -1, -1));
  }
  const int left = m_theme.scaled(10);
  const int right = width() - m_theme.scaled(10);
  double top = m_theme.scaled(8);
  const double lineHeight = m_theme.scaled(18);
  const auto icon = [&](const char* name, const char* colour, double y) {
    const int side = m_theme.scaled(14);
    painter.drawPixmap(QPointF(left, y + m_theme.scaled(2)),
                       m_theme.iconPixmap(QString::fromLatin1(name), side, m_theme.colour(QString::fromLatin1(colour)),
                                          devicePixelRatioF()));
  };
  icon("health", m_entries.empty() ? "severity.ok" : "text.secondary", top);
  const int textLeft = left + m_theme.scaled(20);
  const QFont font = m_theme.font(FontRole::kData);
  const QFontMetricsF metrics(font);
  painter.setFont(font);
  painter.setPen(m_theme.colour(QStringLiteral("text.primary")));
  painter.drawText(QRectF(textLeft, top, right - textLeft, lineHeight), Qt::AlignLeft | Qt::AlignVCenter,
                   tr("Trace health"));
  painter.setPen(m_theme.colour(QStringLiteral("text.tertiary")));
  painter.drawText(QRectF(textLeft, top, right - textLeft, lineHeight), Qt::AlignRight | Qt::AlignVCenter, m_words);
  for (const HealthEntry& entry : m_entries) {
    top += lineHeight;
    const SeverityLook look = severityLook(entry.severity);
    icon(look.icon, look.colour, top);
    const QString count = format::count(static_cast<std::int64_t>(entry.count));
    const double countWidth = m_theme.numberWidth(font, count);
    painter.setPen(m_theme.colour(QStringLiteral("text.secondary")));
    painter.drawText(QRectF(textLeft, top, right - textLeft, lineHeight), Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(QString::fromStdString(entry.message), Qt::ElideRight,
                                        right - textLeft - countWidth - m_theme.scaled(8)));
    m_theme.drawNumber(painter, QRectF(textLeft, top, right - textLeft, lineHeight), count);
  }
}

}  // namespace attnscope::ui
