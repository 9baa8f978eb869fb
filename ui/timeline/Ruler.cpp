// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/Ruler.h"

#include <algorithm>
#include <cmath>

#include <QContextMenuEvent>
#include <QLocale>
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
  if (control.state().notes()) connect(control.state().notes(), &Notes::changed, this, refresh);
}

void Ruler::setRun(int run) {
  m_run = run;
  update();
}

TimeScale Ruler::scale() const {
  const TimelineControl::Window window = m_control.windowOf(m_run);
  return TimeScale::of(window.startNs, window.spanNs, std::max(1, width() - m_control.state().headerWidth()),
                       devicePixelRatioF());
}

std::vector<Ruler::Flag> Ruler::flags() const {
  std::vector<Flag> shown;
  const Notes* notes = m_control.state().notes();
  if (!notes) return shown;
  const int header = m_control.state().headerWidth();
  const TimeScale scale = this->scale();
  const Session& session = m_control.session();
  const QFont font = m_theme.font(FontRole::kCaption, QFont::DemiBold);
  for (int note = 0; note < static_cast<int>(notes->all().size()); ++note) {
    const Note& each = notes->all()[static_cast<std::size_t>(note)];
    const int run = session.positionOf(each.run);
    if (run < 0 || (m_run >= 0 && run != m_run) || !session.run(run)->trace()) continue;
    const double x = header + scale.xOf(static_cast<double>(each.range.startNs - session.anchorNs(run)));
    if (x < header || x > width()) continue;
    const double flag = m_theme.numberWidth(font, QString::number(note + 1)) + m_theme.scaled(8);
    shown.push_back({note, QRectF(std::floor(x), 2, std::ceil(flag), height() - 5)});
  }
  return shown;
}

int Ruler::noteAt(QPointF position) const {
  for (const Flag& flag : flags()) {
    if (flag.box.contains(position)) return flag.note;
  }
  return -1;
}

void Ruler::paintFlags(QPainter& painter, std::vector<QRectF>& taken) {
  const QFont font = m_theme.font(FontRole::kCaption, QFont::DemiBold);
  const double radius = m_theme.number(QStringLiteral("radius.chip"));
  for (const Flag& flag : flags()) {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(m_theme.colour(QStringLiteral("timeline.cursor")));
    painter.setBrush(m_theme.colour(QStringLiteral("surface.raised")));
    painter.drawRoundedRect(flag.box.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setFont(font);
    painter.setPen(m_theme.colour(QStringLiteral("text.primary")));
    painter.drawText(flag.box, Qt::AlignCenter, QString::number(flag.note + 1));
    painter.fillRect(QRectF(flag.box.left(), 2, 1, height() - 2), m_theme.colour(QStringLiteral("timeline.cursor")));
    taken.push_back(flag.box);
  }
}

QString Ruler::zeroWords() const {
  const QString zero = tr("0 = %1").arg(m_control.session().zeroWords());
  if (m_control.axes() != TimelineControl::Axes::kStretched || m_run < 0) return zero;
  const double stretch = m_control.stretchOf(m_run);
  return stretch == 1 ? zero : tr("%1× stretched, %2").arg(QLocale().toString(stretch, 'g', 3), zero);
}

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
  const double radius = m_theme.number(QStringLiteral("radius.chip"));
  painter.drawRoundedRect(box, radius, radius);
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setFont(font);
  painter.setPen(m_theme.colour(QStringLiteral("timeline.cursor_text")));
  m_theme.drawNumber(painter, box, words, Qt::AlignHCenter);
  return box;
}

void Ruler::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const int header = m_control.state().headerWidth();
  painter.fillRect(rect(), m_theme.colour(QStringLiteral("surface.panel")));
  const TimeScale scale = this->scale();
  const auto xOf = [&](double ns) { return header + std::floor(scale.deviceXOf(ns)) / devicePixelRatioF(); };

  // Flags and chips first as boxes: a label under one is left out.
  std::vector<QRectF> taken;
  painter.setClipRect(QRect(header, 0, width() - header, height()));
  paintFlags(painter, taken);
  const auto& measure = m_control.state().measure();
  const QColor ink = m_theme.colour(QStringLiteral("timeline.cursor"));
  QRectF measured;
  if (measure) {
    const double from = std::clamp(xOf(measure->fromNs), -10.0, width() + 10.0);
    const double to = std::clamp(xOf(measure->toNs), -10.0, width() + 10.0);
    painter.fillRect(QRectF(from, height() / 2, to - from, 1), ink);
    painter.fillRect(QRectF(from, 2, 1, height() - 2), ink);
    painter.fillRect(QRectF(to, 2, 1, height() - 2), ink);
    measured = chip(painter, (from + to) / 2, m_control.measureWords());
    taken.push_back(measured);
  }
  if (m_control.view().hasCursor()) {
    const double x = xOf(m_control.view().cursorNs());
    const QString words = placeText(m_control.view().cursorNs(), scale.nsPerPixel());
    const bool isCovered = !measured.isNull() && x > measured.left() - 40 && x < measured.right() + 40;
    if (x >= header && x <= width()) {
      if (!isCovered) taken.push_back(chip(painter, x, words));
      painter.fillRect(QRectF(x, height() - 4, 1, 4), ink);
    }
  }
  paintTicks(painter, taken);
  painter.setClipping(false);
  painter.fillRect(QRect(0, height() - 1, width(), 1), m_theme.colour(QStringLiteral("border.hairline")));
  painter.fillRect(QRect(header - 1, 0, 1, height()), m_theme.colour(QStringLiteral("border.hairline")));
  painter.setFont(m_theme.font(FontRole::kCaption));
  painter.setPen(m_theme.colour(QStringLiteral("text.tertiary")));
  painter.drawText(QRect(m_theme.scaled(12), 0, header - m_theme.scaled(16), height() - 1),
                   Qt::AlignLeft | Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(zeroWords(), Qt::ElideRight, header - m_theme.scaled(16)));
}

void Ruler::paintTicks(QPainter& painter, const std::vector<QRectF>& taken) {
  const int header = m_control.state().headerWidth();
  const TimeScale scale = this->scale();
  const auto xOf = [&](double ns) { return header + std::floor(scale.deviceXOf(ns)) / devicePixelRatioF(); };
  const Ticks ticks = chooseTicks(scale.nsPerPixel(), m_theme.scaled(kLeastTickPixels));
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
}

void Ruler::mousePressEvent(QMouseEvent* event) {
  m_control.activate(m_run);
  if (event->position().x() < m_control.state().headerWidth() || event->button() == Qt::RightButton) return;
  if (event->button() == Qt::LeftButton && noteAt(event->position()) >= 0) {
    Q_EMIT noteActivated(noteAt(event->position()));
    return;
  }
  if (event->button() == Qt::MiddleButton) {
    m_control.press(trackX(event->position()), TimelineControl::Drag::kPan, Measure{});
  } else if ((event->modifiers() & Qt::ShiftModifier) != 0) {
    m_control.pressToExtend(trackX(event->position()));
  } else {
    m_control.press(trackX(event->position()), TimelineControl::Drag::kMeasure, Measure{});
  }
}

void Ruler::mouseMoveEvent(QMouseEvent* event) {
  if (m_control.drag() != TimelineControl::Drag::kNone && event->buttons() != Qt::NoButton) {
    m_control.moveTo(trackX(event->position()));
  } else if (event->position().x() >= m_control.state().headerWidth()) {
    m_control.activate(m_run);
    m_control.pointAt(trackX(event->position()));
  }
  const int note = noteAt(event->position());
  setToolTip(note < 0 ? QString() : m_control.state().notes()->all()[static_cast<std::size_t>(note)].text);
}

void Ruler::mouseReleaseEvent(QMouseEvent* event) {
  if (m_control.drag() == TimelineControl::Drag::kNone) return;
  const bool isClick = m_control.release(trackX(event->position()));
  if (!isClick || event->button() != Qt::LeftButton) return;
  m_control.state().setMeasure(std::nullopt);
  m_control.putCursor(trackX(event->position()));
}

void Ruler::contextMenuEvent(QContextMenuEvent* event) { Q_EMIT menuWanted(noteAt(event->pos()), event->globalPos()); }

void Ruler::mouseDoubleClickEvent(QMouseEvent*) { m_control.view().showAll(); }

void Ruler::wheelEvent(QWheelEvent* event) {
  m_control.activate(m_run);
  const double most = std::max(1, m_control.state().trackWidth());
  m_control.wheel(*event, std::clamp(trackX(event->position()), 0.0, most), true);
  event->accept();
}

void Ruler::leaveEvent(QEvent*) { m_control.leave(); }

}  // namespace attnscope::ui
