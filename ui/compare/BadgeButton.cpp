// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/BadgeButton.h"

#include <algorithm>

#include <QPainter>

#include "ui/theme/Theme.h"

namespace attnscope::ui {

QString signIcon(VerdictSign sign) {
  switch (sign) {
    case VerdictSign::kOk:
      return QStringLiteral("check");
    case VerdictSign::kInfo:
      return QStringLiteral("info");
    case VerdictSign::kWarning:
      return QStringLiteral("warning");
    case VerdictSign::kRefused:
      return QStringLiteral("refused");
    case VerdictSign::kNone:
      break;
  }
  return {};
}

QColor signInk(const Theme& theme, VerdictSign sign) {
  switch (sign) {
    case VerdictSign::kOk:
      return theme.colour(QStringLiteral("severity.ok"));
    case VerdictSign::kInfo:
      return theme.colour(QStringLiteral("severity.info"));
    case VerdictSign::kWarning:
      return theme.colour(QStringLiteral("severity.warning"));
    case VerdictSign::kRefused:
      return theme.colour(QStringLiteral("severity.problem"));
    case VerdictSign::kNone:
      break;
  }
  return theme.colour(QStringLiteral("text.secondary"));
}

BadgeButton::BadgeButton(const Theme& theme, QWidget* parent) : QAbstractButton(parent), m_theme(theme) {
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  setFocusPolicy(Qt::TabFocus);
  setAttribute(Qt::WA_Hover);
}

void BadgeButton::setWords(VerdictSign sign, const QString& text, const QString& detail) {
  m_sign = sign;
  m_text = text;
  m_detail = detail;
  setAccessibleName(detail.isEmpty() ? text : QStringLiteral("%1: %2").arg(text, detail));
  setToolTip(detail);
  updateGeometry();
  update();
}

void BadgeButton::setCompact(bool compact) {
  m_compact = compact;
  updateGeometry();
  update();
}

void BadgeButton::setOpens(bool opens) {
  m_opens = opens;
  setEnabled(opens);
  setFocusPolicy(opens ? Qt::TabFocus : Qt::NoFocus);
  updateGeometry();
}

QSize BadgeButton::sizeHint() const {
  const QFontMetrics strong(m_theme.font(FontRole::kData, QFont::Medium));
  const QFontMetrics plain(m_theme.font(FontRole::kCaption));
  const int icon = m_theme.scaled(16);
  const int caret = m_opens ? m_theme.scaled(12 + 8) : 0;
  const int gap = m_theme.scaled(8);
  if (m_compact) {
    const int detail = m_opens || m_detail.isEmpty() ? 0 : plain.horizontalAdvance(m_detail) + gap;
    return {gap + icon + gap + strong.horizontalAdvance(m_text) + detail + caret + gap,
            m_theme.size(QStringLiteral("control"))};
  }
  const int words =
      std::min(std::max(strong.horizontalAdvance(m_text), plain.horizontalAdvance(m_detail)), m_theme.scaled(230));
  return {m_theme.scaled(12) + icon + gap + words + gap + caret + m_theme.scaled(8), m_theme.scaled(44)};
}

void BadgeButton::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const double radius = m_theme.scaled(4);
  const bool hovered = m_opens && underMouse();
  if (!m_compact || hovered) {
    painter.setPen(m_compact ? Qt::NoPen : QPen(m_theme.colour(QStringLiteral("border.hairline")), 1));
    painter.setBrush(m_theme.colour(hovered ? QStringLiteral("state.hover") : QStringLiteral("surface.raised")));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
  }
  if (hasFocus()) {
    painter.setPen(QPen(m_theme.colour(QStringLiteral("state.focus")), 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), radius, radius);
  }
  const int icon = m_theme.scaled(16);
  const int gap = m_theme.scaled(8);
  const int caret = m_theme.scaled(12);
  int x = m_theme.scaled(m_compact ? 8 : 12);
  const int right = width() - m_theme.scaled(8) - (m_opens ? caret + m_theme.scaled(4) : 0);
  const double ratio = devicePixelRatioF();
  const QFont strong = m_theme.font(FontRole::kData, QFont::Medium);
  const QFont plain = m_theme.font(FontRole::kCaption);
  const bool twoLines = !m_compact && !m_detail.isEmpty();
  if (m_sign != VerdictSign::kNone) {
    const int middle = twoLines ? height() / 2 - m_theme.scaled(8) : height() / 2;
    painter.drawPixmap(QPoint(x, middle - icon / 2),
                       m_theme.iconPixmap(signIcon(m_sign), icon, signInk(m_theme, m_sign), ratio));
  }
  x += icon + gap;
  const QRect first(x, twoLines ? height() / 2 - m_theme.scaled(17) : 0, right - x,
                    twoLines ? m_theme.scaled(18) : height());
  painter.setFont(strong);
  painter.setPen(m_theme.colour(QStringLiteral("text.primary")));
  painter.drawText(first, Qt::AlignVCenter | Qt::AlignLeft, m_text);
  painter.setFont(plain);
  painter.setPen(m_theme.colour(QStringLiteral("text.secondary")));
  if (twoLines) {
    const QRect second(x, height() / 2 + m_theme.scaled(1), right - x, m_theme.scaled(15));
    painter.drawText(second, Qt::AlignVCenter | Qt::AlignLeft,
                     painter.fontMetrics().elidedText(m_detail, Qt::ElideRight, second.width()));
  } else if (!m_opens && !m_detail.isEmpty()) {
    const int used = QFontMetrics(strong).horizontalAdvance(m_text) + gap;
    painter.drawText(first.adjusted(used, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, m_detail);
  }
  if (m_opens) {
    painter.drawPixmap(QPoint(width() - m_theme.scaled(8) - caret, (height() - caret) / 2),
                       m_theme.iconPixmap(QStringLiteral("chevron_down"), caret,
                                          m_theme.colour(QStringLiteral("text.secondary")), ratio));
  }
}

}  // namespace attnscope::ui
