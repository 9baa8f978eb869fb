// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/LinkButton.h"

#include <algorithm>
#include <cmath>

#include <QFontMetricsF>
#include <QPainter>

namespace attnscope::ui {

LinkButton::LinkButton(const Theme& theme, const QString& words, QWidget* parent)
    : QAbstractButton(parent), m_theme(theme) {
  setText(words);
  setAccessibleName(words);
  setToolTip(words);
  setFocusPolicy(Qt::TabFocus);
  setCursor(Qt::PointingHandCursor);
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  connect(&m_theme, &Theme::changed, this, [this] {
    updateGeometry();
    update();
  });
}

void LinkButton::setSwatch(WorkKind kind) {
  m_swatch = kind;
  update();
}

void LinkButton::setRun(int number, const QString& letter) {
  m_runNumber = number;
  m_letter = letter;
  update();
}

void LinkButton::setRemark(const QString& remark) {
  m_remark = remark;
  setAccessibleName(text() + u' ' + remark);
  updateGeometry();
  update();
}

QSize LinkButton::sizeHint() const {
  const QFontMetricsF metrics(m_theme.font(FontRole::kData));
  const double words = metrics.horizontalAdvance(text()) + metrics.horizontalAdvance(m_remark);
  return {static_cast<int>(std::ceil(words)) + m_theme.scaled(32), m_theme.scaled(20)};
}

QSize LinkButton::minimumSizeHint() const { return {m_theme.scaled(60), m_theme.scaled(20)}; }

void LinkButton::enterEvent(QEnterEvent* event) {
  QAbstractButton::enterEvent(event);
  update();
}

void LinkButton::leaveEvent(QEvent* event) {
  QAbstractButton::leaveEvent(event);
  update();
}

void LinkButton::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  int left = 0;
  if (m_swatch) {
    const KindColours kind = m_theme.kind(*m_swatch);
    const int side = m_theme.scaled(10);
    const QRect box(0, (height() - side) / 2, side, side);
    painter.fillRect(box, kind.edge);
    painter.fillRect(box.adjusted(1, 1, -1, -1), kind.fill);
    left = side + m_theme.scaled(6);
  }
  if (m_runNumber >= 0) {
    m_theme.drawChip(painter, QPointF(0, (height() - m_theme.chipSize()) / 2), m_runNumber, m_letter);
    left = m_theme.chipSize() + m_theme.scaled(6);
  }
  const QFont font = m_theme.font(FontRole::kData);
  const QFontMetricsF metrics(font);
  painter.setFont(font);
  const double remarkWidth = m_remark.isEmpty() ? 0 : metrics.horizontalAdvance(m_remark) + m_theme.scaled(8);
  // A long name is cut before its remark is, which holds the figure.
  const double room = std::max(0.0, width() - left - remarkWidth - 1);
  const QString shown = metrics.elidedText(text(), Qt::ElideRight, room);
  const double advance = metrics.horizontalAdvance(shown);
  const double baseline = (height() + metrics.ascent() - metrics.descent()) / 2;
  painter.setPen(m_theme.colour(QStringLiteral("text.primary")));
  painter.drawText(QPointF(left, baseline), shown);
  if (isEnabled()) {
    const bool strong = underMouse() || hasFocus();
    const QColor line = m_theme.colour(hasFocus() ? QStringLiteral("state.focus")
                                       : strong   ? QStringLiteral("text.primary")
                                                  : QStringLiteral("border.strong"));
    painter.fillRect(QRectF(left, std::floor(baseline) + 3, advance, hasFocus() ? 2 : 1), line);
  }
  if (!m_remark.isEmpty()) {
    painter.setPen(m_theme.colour(QStringLiteral("text.tertiary")));
    painter.drawText(QPointF(left + advance + m_theme.scaled(8), baseline), m_remark);
  }
}

}  // namespace attnscope::ui
