// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lab/LabLabel.h"

#include <algorithm>
#include <cmath>

#include <QFontDatabase>
#include <QFontMetricsF>
#include <QPainter>
#include <QResizeEvent>

namespace attnscope::ui {

namespace {
constexpr int kWrap = Qt::TextWordWrap;
}

int labLineHeight(const Theme& theme, FontRole role) {
  switch (role) {
    case FontRole::kCaption:
      return theme.scaled(14);
    case FontRole::kData:
      return theme.scaled(16);
    case FontRole::kUi:
      return theme.scaled(18);
    case FontRole::kTitle:
      return theme.scaled(20);
    case FontRole::kVerdict:
      return theme.scaled(24);
    case FontRole::kDisplay:
      return theme.scaled(32);
  }
  return theme.scaled(16);
}

QFont labCodeFont(const Theme& theme) {
  QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  font.setPixelSize(theme.font(FontRole::kCaption).pixelSize());
  return font;
}

LabLabel::LabLabel(const Theme& theme, LabLook look, const QString& text, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_look(std::move(look)), m_text(text) {
  setAccessibleName(text);
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  connect(&m_theme, &Theme::changed, this, &LabLabel::refresh);
}

QFont LabLabel::labelFont() const {
  return m_look.isCode ? labCodeFont(m_theme) : m_theme.font(m_look.role, m_look.weight);
}

int LabLabel::lineHeight() const { return labLineHeight(m_theme, m_look.role); }

int LabLabel::indent() const { return m_icon.isEmpty() ? 0 : m_theme.scaled(14 + 4); }

void LabLabel::refresh() {
  // A wrapped label keeps the height of its text as its minimum: layouts ask for it once.
  if (m_wrapped && width() > 0) setMinimumHeight(heightForWidth(width()));
  updateGeometry();
  update();
}

void LabLabel::setText(const QString& text) {
  if (text == m_text) return;
  m_text = text;
  setAccessibleName(text);
  refresh();
}

void LabLabel::setIcon(const QString& icon, const QString& colour) {
  m_icon = icon;
  m_iconColour = colour;
  refresh();
}

void LabLabel::setColour(const QString& token) {
  m_look.colour = token;
  update();
}

void LabLabel::setWrapped(bool wrapped) {
  m_wrapped = wrapped;
  QSizePolicy policy(QSizePolicy::Preferred, wrapped ? QSizePolicy::Minimum : QSizePolicy::Fixed);
  policy.setHeightForWidth(wrapped);
  setSizePolicy(policy);
  refresh();
}

QSize LabLabel::sizeHint() const {
  const int wanted = indent() + static_cast<int>(std::ceil(QFontMetricsF(labelFont()).horizontalAdvance(m_text))) + 1;
  if (!m_wrapped) return {wanted, lineHeight()};
  const int shown = std::min(wanted, m_theme.scaled(160));
  return {shown, heightForWidth(width() > 0 ? width() : shown)};
}

QSize LabLabel::minimumSizeHint() const { return {m_theme.scaled(24), lineHeight()}; }

int LabLabel::heightForWidth(int width) const {
  if (!m_wrapped) return lineHeight();
  const QFontMetricsF metrics(labelFont());
  const QRectF bounds = metrics.boundingRect(QRectF(0, 0, std::max(width - indent(), 1), 1e6), kWrap, m_text);
  const double lines = std::max(1.0, std::round(bounds.height() / metrics.lineSpacing()));
  return static_cast<int>(std::ceil(std::max(lines * lineHeight(), bounds.height())));
}

void LabLabel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (m_wrapped && event->oldSize().width() != event->size().width()) {
    setMinimumHeight(heightForWidth(event->size().width()));
  }
}

void LabLabel::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  const QFont font = labelFont();
  painter.setFont(font);
  if (!m_icon.isEmpty()) {
    const int side = m_theme.scaled(14);
    const QPixmap pixmap = m_theme.iconPixmap(m_icon, side, m_theme.colour(m_iconColour), devicePixelRatioF());
    painter.drawPixmap(QPointF(0, (lineHeight() - side) / 2), pixmap);
  }
  painter.setPen(m_theme.colour(isEnabled() ? m_look.colour : QStringLiteral("text.disabled")));
  const QRectF box = QRectF(rect()).adjusted(indent(), 0, 0, 0);
  if (m_wrapped) {
    painter.drawText(box, Qt::AlignLeft | Qt::AlignTop | kWrap, m_text);
    return;
  }
  painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                   QFontMetricsF(font).elidedText(m_text, Qt::ElideRight, box.width()));
}

}  // namespace attnscope::ui
