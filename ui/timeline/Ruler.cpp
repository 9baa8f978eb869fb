// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/Ruler.h"

#include <algorithm>
#include <cmath>

#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

namespace attnscope::ui {

Ruler::Ruler(TimelineControl& control, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_control(control), m_theme(theme) {
  setMouseTracking(true);
  setAttribute(Qt::WA_OpaquePaintEvent);
  const auto refresh = [this] { update(); };
  connect(&control.view(), &ViewState::viewChanged, this, refresh);
  connect(&control.view(), &ViewState::cursorChanged, this, refresh);
  connect(&control.state(), &TimelineState::measureChanged, this, refresh);
  connect(&control.state(), &TimelineState::layoutChanged, this, refresh);
  connect(&control.session(), &Session::alignmentChanged, this, refresh);
  connect(&control.session(), &Session::scopeChanged, this, refresh);
  connect(&control.session(), &Session::runsChanged, this, refresh);
}

QString Ruler::zeroWords() const { return tr("0 = %1").arg(m_control.session().zeroWords()); }

double Ruler::trackX(QPointF position) const { return position.x() - m_control.state().headerWidth(); }

QRectF Ruler::chip(QPainter& painter, double x, const QString& words) {
  const QFont font = m_theme.font(FontRole::kCaption, QFont::DemiBold);
  const double padded = m_theme.numberWidth(font, words) + 14;
  const double left =
      std::clamp(x - padded / 2, m_control.state().headerWidth() + 1.0, std::max(1.0, width() - padded - 1.0));
  const QRectF box(std::round(left), 2, std::ceil(padded), height() - 5);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(m_theme.colour(QStringLiteral("timeline.cursor")));
  painter.drawRoundedRect(box, 3, 3);
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setFont(font);
  painter.setPen(m_theme.colour(QStringLiteral("timeline.cursor_text")));
  m_theme.drawNumber(painter, box, words, Qt::AlignHCenter);
  return box;
}

void Ruler::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const int header = m_control.state().headerWidth();
  const double ratio = devicePixelRatioF();
  painter.fillRect(rect(), m_theme.colour(QStringLiteral("surface.panel")));
  const TimeScale scale =
      TimeScale::of(m_control.view().startNs(), m_control.view().spanNs(), std::max(1, width() - header), ratio);
  const auto xOf = [&](double ns) { return header + std::floor(scale.deviceXOf(ns)) / ratio; };

  // Chips first as boxes: a label under one is left out.
  std::vector<QRectF> taken;
  painter.setClipRect(QRect(header, 0, width() - header, height()));
  const auto& measure = m_control.state().measure();
  const QColor ink = m_theme.colour(QStringLiteral("timeline.cursor"));
  if (measure) {
    const double from = std::clamp(xOf(measure->fromNs), -10.0, width() + 10.0);
    const double to = std::clamp(xOf(measure->toNs), -10.0, width() + 10.0);
    painter.fillRect(QRectF(from, height() / 2, to - from, 1), ink);
    painter.fillRect(QRectF(from, 2, 1, height() - 2), ink);
    painter.fillRect(QRectF(to, 2, 1, height() - 2), ink);
    taken.push_back(chip(painter, (from + to) / 2, m_control.measureWords()));
  }
  if (m_control.view().hasCursor()) {
    const double x = xOf(m_control.view().cursorNs());
    const QString words = placeText(m_control.view().cursorNs(), scale.nsPerPixel());
    const bool isCovered = !taken.empty() && x > taken.front().left() - 40 && x < taken.front().right() + 40;
    if (x >= header && x <= width()) {
      if (!isCovered) taken.push_back(chip(painter, x, words));
      painter.fillRect(QRectF(x, height() - 4, 1, 4), ink);
    }
  }

  const Ticks ticks = chooseTicks(scale.nsPerPixel());
  const QFont font = m_theme.font(FontRole::kCaption);
  const QFont zeroFont = m_theme.font(FontRole::kCaption, QFont::DemiBold);
  const QColor tickInk = m_theme.colour(QStringLiteral("border.control"));
  const QColor labelInk = m_theme.colour(QStringLiteral("text.secondary"));
  for (const double at : tickTimes({ticks.stepNs / ticks.minor, 1}, scale.startNs, scale.endNs())) {
    painter.fillRect(QRectF(xOf(at), height() - 5, 1, 4), tickInk);
  }
  for (const double at : tickTimes(ticks, scale.startNs - ticks.stepNs, scale.endNs())) {
    const double x = xOf(at);
    painter.fillRect(QRectF(x, height() - 9, 1, 8), tickInk);
    const QString words = tickText(at, ticks.stepNs);
    const bool isZero = words == QLatin1String("0");
    painter.setFont(isZero ? zeroFont : font);
    const QRectF box(x + 4, 0, m_theme.numberWidth(painter.font(), words) + 2, height() - 4);
    const bool isHidden = std::any_of(taken.begin(), taken.end(),
                                      [&](const QRectF& other) { return other.adjusted(-3, 0, 3, 0).intersects(box); });
    if (isHidden || x < header) continue;
    painter.setPen(isZero ? m_theme.colour(QStringLiteral("text.primary")) : labelInk);
    m_theme.drawNumber(painter, box, words, Qt::AlignLeft);
  }
  painter.setClipping(false);
  painter.fillRect(QRect(0, height() - 1, width(), 1), m_theme.colour(QStringLiteral("border.hairline")));
  painter.fillRect(QRect(header - 1, 0, 1, height()), m_theme.colour(QStringLiteral("border.hairline")));
  painter.setFont(font);
  painter.setPen(m_theme.colour(QStringLiteral("text.tertiary")));
  painter.drawText(QRect(m_theme.scaled(12), 0, header - m_theme.scaled(16), height() - 1),
                   Qt::AlignLeft | Qt::AlignVCenter, zeroWords());
}

void Ruler::mousePressEvent(QMouseEvent* event) {
  if (event->position().x() < m_control.state().headerWidth() || event->button() == Qt::RightButton) return;
  const auto drag = event->button() == Qt::MiddleButton ? TimelineControl::Drag::kPan : TimelineControl::Drag::kMeasure;
  m_control.press(trackX(event->position()), drag, Measure{});
}

void Ruler::mouseMoveEvent(QMouseEvent* event) {
  if (m_control.drag() != TimelineControl::Drag::kNone && event->buttons() != Qt::NoButton) {
    m_control.moveTo(trackX(event->position()));
  } else if (event->position().x() >= m_control.state().headerWidth()) {
    m_control.pointAt(trackX(event->position()));
  }
}

void Ruler::mouseReleaseEvent(QMouseEvent* event) {
  if (m_control.drag() == TimelineControl::Drag::kNone) return;
  if (m_control.release(trackX(event->position()))) m_control.state().setMeasure(std::nullopt);
}

void Ruler::mouseDoubleClickEvent(QMouseEvent*) { m_control.view().showAll(); }

void Ruler::wheelEvent(QWheelEvent* event) {
  const double most = std::max(1, m_control.state().trackWidth());
  m_control.wheel(*event, std::clamp(trackX(event->position()), 0.0, most), true);
  event->accept();
}

void Ruler::leaveEvent(QEvent*) { m_control.leave(); }

}  // namespace attnscope::ui
