// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lab/NumberField.h"

#include <algorithm>

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

namespace attnscope::ui {

NumberField::NumberField(const Theme& theme, std::int64_t step, QWidget* parent)
    : QLineEdit(parent), m_theme(theme), m_step(step) {
  setAlignment(Qt::AlignRight);
  setMaxLength(18);
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  connect(this, &QLineEdit::textEdited, this, &NumberField::edited);
  connect(&m_theme, &Theme::changed, this, &NumberField::applyTheme);
  applyTheme();
}

void NumberField::applyTheme() {
  setFixedWidth(m_theme.scaled(92));
  setTextMargins(0, 0, m_theme.scaled(14), 0);
}

std::optional<std::int64_t> NumberField::value() const {
  bool isNumber = false;
  const qint64 number = text().trimmed().toLongLong(&isNumber);
  if (!isNumber) return std::nullopt;
  return number;
}

void NumberField::setValue(std::int64_t value) { setText(QString::number(value)); }

void NumberField::setInvalid(bool invalid) {
  if (invalid == m_invalid) return;
  m_invalid = invalid;
  update();
}

void NumberField::stepBy(std::int64_t steps) {
  if (isReadOnly() || !isEnabled()) return;
  const std::int64_t now = value().value_or(0);
  // Onto the next multiple of the step: 100 up by 64 is 128.
  const std::int64_t next =
      steps > 0 ? (now / m_step + steps) * m_step : ((now + m_step - 1) / m_step + steps) * m_step;
  setValue(std::max<std::int64_t>(next, m_step == 1 ? 0 : 1));
  Q_EMIT edited();
}

QRect NumberField::arrows() const {
  const int wide = m_theme.scaled(18);
  return {width() - wide, 0, wide, height()};
}

void NumberField::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down) {
    stepBy(event->key() == Qt::Key_Up ? 1 : -1);
    return;
  }
  QLineEdit::keyPressEvent(event);
}

void NumberField::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton && arrows().contains(event->pos())) {
    stepBy(event->pos().y() < height() / 2 ? 1 : -1);
    return;
  }
  QLineEdit::mousePressEvent(event);
}

void NumberField::mouseMoveEvent(QMouseEvent* event) {
  setCursor(arrows().contains(event->pos()) ? Qt::ArrowCursor : Qt::IBeamCursor);
  QLineEdit::mouseMoveEvent(event);
}

void NumberField::wheelEvent(QWheelEvent* event) {
  // Without focus the wheel scrolls the form.
  if (!hasFocus() || event->angleDelta().y() == 0) {
    event->ignore();
    return;
  }
  stepBy(event->angleDelta().y() > 0 ? 1 : -1);
  event->accept();
}

void NumberField::paintEvent(QPaintEvent* event) {
  QLineEdit::paintEvent(event);
  {
    QPainter painter(this);
    const int side = m_theme.scaled(10);
    const QColor ink = m_theme.colour(isEnabled() ? QStringLiteral("text.secondary") : QStringLiteral("text.disabled"));
    const double left = arrows().left() + (arrows().width() - side) / 2.0 - 1;
    const double middle = height() / 2.0;
    painter.drawPixmap(QPointF(left, middle - side),
                       m_theme.iconPixmap(QStringLiteral("chevron_up"), side, ink, devicePixelRatioF()));
    painter.drawPixmap(QPointF(left, middle),
                       m_theme.iconPixmap(QStringLiteral("chevron_down"), side, ink, devicePixelRatioF()));
  }
  if (m_invalid) drawInvalidRing(m_theme, *this);
}

void drawInvalidRing(const Theme& theme, QWidget& field) {
  QPainter painter(&field);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(theme.colour(QStringLiteral("severity.problem")), theme.size(QStringLiteral("focus_ring"))));
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(QRectF(field.rect()).adjusted(1, 1, -1, -1),
                          theme.number(QStringLiteral("radius.control")) - 1,
                          theme.number(QStringLiteral("radius.control")) - 1);
}

}  // namespace attnscope::ui
