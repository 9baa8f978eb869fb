// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/RunCard.h"

#include <algorithm>
#include <cmath>

#include <QApplication>
#include <QContextMenuEvent>
#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include "ui/bridge/ErrorWords.h"
#include "ui/bridge/Format.h"
#include "ui/shell/IconButton.h"
#include "ui/theme/TextLabel.h"

namespace attnscope::ui {

namespace {

constexpr int kPad = 8;

}  // namespace

RunCard::RunCard(Session& session, const Theme& theme, Run* run, QWidget* parent)
    : QWidget(parent), m_session(session), m_theme(theme), m_run(run) {
  setFocusPolicy(Qt::TabFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  m_eye = new IconButton(theme, QStringLiteral("eye"), QString(), this);
  m_eye->setSmall(true);
  connect(m_eye, &QToolButton::clicked, this, [this] {
    const int position = m_session.positionOf(m_run);
    if (position < 0) return;
    if (m_run->state() == RunState::kLoading) {
      m_session.cancel(position);
    } else if (m_run->state() == RunState::kFailed) {
      m_session.closeRun(position);
    } else {
      m_session.setHidden(position, !m_run->isHidden());
    }
  });
  connect(run, &Run::changed, this, &RunCard::refresh);
  connect(&m_theme, &Theme::changed, this, &RunCard::refresh);
  refresh();
}

bool RunCard::isBaseline() const {
  return m_session.readyRuns().size() > 1 && m_session.baseline() == m_session.positionOf(m_run);
}

std::optional<PairedComparison> RunCard::timedVerdict() const {
  const int base = m_session.baseline();
  if (base < 0 || m_session.run(base) == m_run || m_run->measurement() == nullptr || m_run->isHidden()) return {};
  const Run* baseline = m_session.run(base);
  if (baseline->measurement() != m_run->measurement() || baseline->measuredAs() != 0) return {};
  const PairedComparison compared = comparedWithBaseline(*m_run->measurement(), m_run->measuredAs());
  const bool isClear = compared.verdict == TimingVerdict::kFaster || compared.verdict == TimingVerdict::kSlower;
  return isClear && compared.ratio ? std::optional(compared) : std::nullopt;
}

int RunCard::textLeft() const { return m_theme.scaled(12) + m_theme.chipSize() + m_theme.scaled(6); }

void RunCard::refresh() {
  m_figures = runFigures(*m_run, m_session.scopeWords());
  QString state;
  switch (m_run->state()) {
    case RunState::kLoading:
      m_eye->setIconName(QStringLiteral("close"));
      m_eye->setAccessibleName(tr("Stop reading %1").arg(m_run->fileName()));
      state = tr("being read");
      break;
    case RunState::kFailed:
      m_eye->setIconName(QStringLiteral("close"));
      m_eye->setAccessibleName(tr("Close %1").arg(m_run->fileName()));
      state = tr("could not be read");
      break;
    case RunState::kReady:
      m_eye->setIconName(m_run->isHidden() ? QStringLiteral("eye_off") : QStringLiteral("eye"));
      m_eye->setAccessibleName(m_run->isHidden() ? tr("Show run %1").arg(m_run->letter())
                                                 : tr("Hide run %1").arg(m_run->letter()));
      state = isBaseline() ? tr("baseline") : QString();
      break;
  }
  m_eye->setToolTip(m_eye->accessibleName());
  QStringList words{tr("Run %1, %2").arg(m_run->letter(), m_run->title())};
  if (!state.isEmpty()) words << state;
  for (const Figure& figure : m_figures) words << QStringLiteral("%1 %2").arg(figure.label, figure.value);
  setAccessibleName(words.join(QStringLiteral(", ")));
  // Why it could not be read stands where its timeline would.
  const bool isFailed = m_run->state() == RunState::kFailed;
  setToolTip(isFailed ? m_run->location() + u'\n' + whatHappened(m_run->error()) : m_run->location());
  updateGeometry();
  update();
}

void RunCard::refreshProgress() {
  if (m_run->state() == RunState::kLoading) update();
}

QSize RunCard::sizeHint() const {
  const int head = m_theme.scaled(kPad + 20 + 16);
  int body = 0;
  if (m_run->state() == RunState::kReady) {
    body = static_cast<int>(m_figures.size()) * m_theme.scaled(18) + m_theme.scaled(6);
  } else if (m_run->state() == RunState::kLoading) {
    body = m_theme.scaled(16);
  }
  return {m_theme.size(QStringLiteral("sidebar")), head + body + m_theme.scaled(kPad)};
}

void RunCard::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  m_eye->move(width() - m_eye->width() - m_theme.scaled(6), m_theme.scaled(kPad - 2));
}

void RunCard::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  const bool over = underMouse() && !m_isDragged;
  painter.fillRect(rect(), m_theme.colour(over ? QStringLiteral("state.hover") : QStringLiteral("surface.panel")));
  painter.fillRect(0, 0, m_theme.size(QStringLiteral("run_stripe")), height(), m_theme.run(m_run->number()));
  painter.fillRect(0, height() - 1, width(), 1, m_theme.colour(QStringLiteral("border.hairline")));
  if (hasFocus()) {
    painter.setPen(QPen(m_theme.colour(QStringLiteral("state.focus")), 2));
    painter.drawRect(rect().adjusted(1, 1, -1, -2));
  }
  paintHead(painter);
  paintBody(painter);
}

void RunCard::paintHead(QPainter& painter) const {
  const int pad = m_theme.scaled(kPad);
  m_theme.drawChip(painter, QPointF(m_theme.scaled(12), pad + m_theme.scaled(1)), m_run->number(), m_run->letter());
  const bool isDimmed = m_run->isHidden();
  const int left = textLeft();
  const int right = m_eye->geometry().left() - m_theme.scaled(4);
  QFont font = m_theme.font(FontRole::kUi, QFont::DemiBold);
  painter.setFont(font);
  painter.setPen(m_theme.colour(isDimmed ? QStringLiteral("text.tertiary") : QStringLiteral("text.primary")));
  painter.drawText(QRectF(left, pad, right - left, m_theme.scaled(18)), Qt::AlignLeft | Qt::AlignVCenter,
                   QFontMetricsF(font).elidedText(m_run->title(), Qt::ElideMiddle, right - left));

  font = m_theme.font(FontRole::kData);
  const QFontMetricsF metrics(font);
  painter.setFont(font);
  const double top = pad + m_theme.scaled(20);
  double room = width() - left - m_theme.scaled(10);
  if (isBaseline()) {
    const QString words = tr("baseline");
    const double wide = metrics.horizontalAdvance(words);
    painter.setPen(m_theme.colour(QStringLiteral("text.secondary")));
    painter.drawText(QRectF(width() - m_theme.scaled(10) - wide - 1, top, wide + 1, m_theme.scaled(16)),
                     Qt::AlignRight | Qt::AlignVCenter, words);
    const int icon = m_theme.scaled(12);
    painter.drawPixmap(QPointF(width() - m_theme.scaled(14) - wide - icon, top + m_theme.scaled(2)),
                       m_theme.iconPixmap(QStringLiteral("baseline"), icon,
                                          m_theme.colour(QStringLiteral("text.secondary")), devicePixelRatioF()));
    room -= wide + icon + m_theme.scaled(12);
  }
  if (const auto compared = timedVerdict()) {
    const bool isFaster = compared->verdict == TimingVerdict::kFaster;
    const QString amount = format::ratio(isFaster ? 1 / *compared->ratio : *compared->ratio);
    const QString words = isFaster ? tr("%1 faster").arg(amount) : tr("%1 slower").arg(amount);
    const double wide = metrics.horizontalAdvance(words);
    painter.setPen(m_theme.colour(isFaster ? QStringLiteral("delta.faster") : QStringLiteral("delta.slower")));
    painter.drawText(QRectF(width() - m_theme.scaled(10) - wide - 1, top, wide + 1, m_theme.scaled(16)),
                     Qt::AlignRight | Qt::AlignVCenter, words);
    room -= wide + m_theme.scaled(8);
  }
  painter.setPen(m_theme.colour(QStringLiteral("text.tertiary")));
  const Trace* trace = m_run->trace();
  // The file's name, but where the title is made of it: then what was read.
  const bool isTitled = !trace || !m_run->fileName().startsWith(m_run->title());
  QString second = m_run->state() == RunState::kLoading  ? progressWords(m_run->progress())
                   : m_run->state() == RunState::kFailed ? tr("Could not be read")
                   : m_run->measurement()
                       ? QString::fromStdString(m_run->measurement()->implementations[m_run->measuredAs()].id)
                       : m_run->fileName();
  if (trace && !isTitled && !m_run->measurement()) {
    for (const QString& words : loadWords(*trace)) {
      second = words;
      if (metrics.horizontalAdvance(words) <= room) break;
    }
  }
  painter.drawText(QRectF(left, top, room, m_theme.scaled(16)), Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.elidedText(second, Qt::ElideMiddle, room));
}

void RunCard::paintBody(QPainter& painter) const {
  const QFont font = m_theme.font(FontRole::kData);
  const QFontMetricsF metrics(font);
  painter.setFont(font);
  double top = m_theme.scaled(kPad + 20 + 16 + 4);
  const int left = m_theme.scaled(12);
  const int right = width() - m_theme.scaled(10);
  if (m_run->state() == RunState::kLoading) {
    const QRectF track(textLeft(), top + m_theme.scaled(4), right - textLeft(), 3);
    painter.fillRect(track, m_theme.colour(QStringLiteral("state.progress_track")));
    const double share = progressShare(m_run->progress());
    if (share >= 0) {
      painter.fillRect(QRectF(track.left(), track.top(), track.width() * share, 3),
                       m_theme.colour(QStringLiteral("state.progress")));
    }
    return;
  }
  const bool isDimmed = m_run->isHidden();
  for (const Figure& figure : m_figures) {
    const QRectF line(left, top, right - left, m_theme.scaled(16));
    const double valueWidth = m_theme.numberWidth(font, figure.value);
    painter.setPen(m_theme.colour(isDimmed ? QStringLiteral("text.tertiary") : QStringLiteral("text.secondary")));
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(figure.label, Qt::ElideRight, line.width() - valueWidth - 8));
    painter.setPen(m_theme.colour(isDimmed ? QStringLiteral("text.tertiary") : QStringLiteral("text.primary")));
    m_theme.drawNumber(painter, line, figure.value);
    top += m_theme.scaled(18);
  }
}

void RunCard::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) m_pressed = event->pos();
}

void RunCard::mouseMoveEvent(QMouseEvent* event) {
  if (!event->buttons().testFlag(Qt::LeftButton)) return;
  if (!m_isDragged && (event->pos() - m_pressed).manhattanLength() < QApplication::startDragDistance()) return;
  if (!m_isDragged) {
    m_isDragged = true;
    setCursor(Qt::ClosedHandCursor);
    update();
  }
  Q_EMIT dragMoved(m_run, event->globalPosition().toPoint().y());
}

void RunCard::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !m_isDragged) return;
  m_isDragged = false;
  unsetCursor();
  update();
  Q_EMIT dragEnded(m_run, event->globalPosition().toPoint().y());
}

void RunCard::contextMenuEvent(QContextMenuEvent* event) { Q_EMIT menuRequested(m_run, event->globalPos()); }

void RunCard::keyPressEvent(QKeyEvent* event) {
  const int position = m_session.positionOf(m_run);
  if (event->key() == Qt::Key_Menu || event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
    Q_EMIT menuRequested(m_run, mapToGlobal(QPoint(textLeft(), height() / 2)));
  } else if (event->modifiers() == Qt::ControlModifier && event->key() == Qt::Key_Up && position > 0) {
    m_session.moveRun(position, position - 1);
  } else if (event->modifiers() == Qt::ControlModifier && event->key() == Qt::Key_Down) {
    m_session.moveRun(position, position + 1);
  } else {
    QWidget::keyPressEvent(event);
  }
}

}  // namespace attnscope::ui
