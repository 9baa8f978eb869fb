// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/KindLegend.h"

#include <algorithm>

#include <QEvent>
#include <QFocusEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>

namespace attnscope::ui {

namespace {
std::uint32_t bitOf(WorkKind kind) { return 1u << static_cast<unsigned>(kind); }
}  // namespace

KindLegend::KindLegend(Session& session, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_session(session), m_theme(theme) {
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAccessibleName(tr("Kinds of work"));
  setFocusPolicy(Qt::TabFocus);
  connect(&session, &Session::kindFilterChanged, this, [this] { update(); });
}

void KindLegend::setKinds(std::vector<WorkKind> kinds) {
  if (kinds == m_kinds) return;
  m_kinds = std::move(kinds);
  QStringList names;
  for (const WorkKind kind : m_kinds) names << m_theme.kindTitle(kind);
  setAccessibleDescription(names.join(QStringLiteral(", ")));
  update();
}

QSize KindLegend::sizeHint() const { return {m_theme.scaled(600), m_theme.scaled(24)}; }

QSize KindLegend::minimumSizeHint() const { return {0, m_theme.scaled(24)}; }

std::vector<KindLegend::Entry> KindLegend::entries(QRect& rest) const {
  std::vector<Entry> shown;
  rest = {};
  const QFontMetrics metrics(m_theme.font(FontRole::kData));
  const int swatch = m_theme.scaled(10) + m_theme.scaled(6);
  const int gap = m_theme.scaled(14);
  const int restWidth = metrics.horizontalAdvance(QStringLiteral("+ 99")) + m_theme.scaled(8);
  int x = 0;
  for (std::size_t at = 0; at < m_kinds.size(); ++at) {
    const int width = swatch + metrics.horizontalAdvance(m_theme.kindTitle(m_kinds[at]));
    const bool isLast = at + 1 == m_kinds.size();
    if (x + width + (isLast ? 0 : restWidth) > this->width()) {
      rest = QRect(x, 0, restWidth, height());
      break;
    }
    shown.push_back({m_kinds[at], QRect(x, 0, width, height())});
    x += width + gap;
  }
  return shown;
}

void KindLegend::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  QRect rest;
  const std::vector<Entry> shown = entries(rest);
  const QFont font = m_theme.font(FontRole::kData);
  painter.setFont(font);
  const int side = m_theme.scaled(10);
  const std::uint32_t filter = m_session.kindFilter();
  for (std::size_t at = 0; at < shown.size(); ++at) {
    const auto& [kind, box] = shown[at];
    const bool isOn = filter == 0 || (filter & bitOf(kind)) != 0;
    const KindColours colours = m_theme.kind(kind);
    const QRect square(box.left(), (height() - side) / 2, side, side);
    painter.fillRect(square, colours.edge);
    painter.fillRect(square.adjusted(1, 1, -1, -1),
                     isOn ? colours.fill : m_theme.colour(QStringLiteral("surface.window")));
    const bool isHovered = static_cast<int>(at) == m_hovered;
    painter.setPen(m_theme.colour(!isOn       ? QStringLiteral("text.tertiary")
                                  : isHovered ? QStringLiteral("text.primary")
                                              : QStringLiteral("text.secondary")));
    painter.drawText(box.adjusted(side + m_theme.scaled(6), 0, m_theme.scaled(2), 0), Qt::AlignLeft | Qt::AlignVCenter,
                     m_theme.kindTitle(kind));
  }
  if (!rest.isNull()) {
    painter.setPen(m_theme.colour(QStringLiteral("text.tertiary")));
    painter.drawText(rest, Qt::AlignLeft | Qt::AlignVCenter, tr("+ %1").arg(m_kinds.size() - shown.size()));
  }
  if (m_focused < 0) return;
  const bool isRest = m_focused >= static_cast<int>(shown.size());
  const QRect box = isRest ? rest : shown[static_cast<std::size_t>(m_focused)].box;
  if (box.isNull()) return;
  const int ring = m_theme.size(QStringLiteral("focus_ring"));
  painter.fillRect(QRect(box.left(), height() - ring, box.width(), ring),
                   m_theme.colour(QStringLiteral("state.focus")));
}

// The arrows stop at both ends, so that Tab goes on to the next control.
void KindLegend::keyPressEvent(QKeyEvent* event) {
  QRect rest;
  const std::vector<Entry> shown = entries(rest);
  const int last = static_cast<int>(shown.size()) - (rest.isNull() ? 1 : 0);
  const bool adds = (event->modifiers() & Qt::ControlModifier) != 0;
  switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
      m_focused = std::clamp(m_focused + (event->key() == Qt::Key_Left ? -1 : 1), 0, std::max(0, last));
      setAccessibleName(nameOf(m_focused));
      update();
      return;
    case Qt::Key_Space:
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (m_focused >= 0 && m_focused < static_cast<int>(shown.size())) {
        choose(shown[static_cast<std::size_t>(m_focused)].kind, adds);
      } else if (m_focused >= 0 && !rest.isNull()) {
        showRest(mapToGlobal(rest.bottomLeft()), shown.size());
      }
      return;
    default:
      QWidget::keyPressEvent(event);
  }
}

QString KindLegend::nameOf(int entry) const {
  if (entry < 0 || entry >= static_cast<int>(m_kinds.size())) return tr("Kinds of work");
  const WorkKind kind = m_kinds[static_cast<std::size_t>(entry)];
  const bool isOn = m_session.kindFilter() == 0 || (m_session.kindFilter() & bitOf(kind)) != 0;
  return tr("Kinds of work: %1, %2").arg(m_theme.kindTitle(kind), isOn ? tr("shown") : tr("not shown"));
}

void KindLegend::focusInEvent(QFocusEvent* event) {
  m_focused = event->reason() == Qt::MouseFocusReason ? -1 : std::max(0, m_focused);
  QWidget::focusInEvent(event);
}

void KindLegend::focusOutEvent(QFocusEvent* event) {
  m_focused = -1;
  setAccessibleName(tr("Kinds of work"));
  QWidget::focusOutEvent(event);
}

void KindLegend::choose(WorkKind kind, bool adds) {
  const std::uint32_t filter = m_session.kindFilter();
  if (adds) {
    m_session.setKindFilter(filter ^ bitOf(kind));
  } else {
    m_session.setKindFilter(filter == bitOf(kind) ? 0 : bitOf(kind));
  }
}

void KindLegend::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  QRect rest;
  const std::vector<Entry> shown = entries(rest);
  for (const Entry& entry : shown) {
    if (!entry.box.contains(event->pos())) continue;
    choose(entry.kind, (event->modifiers() & Qt::ControlModifier) != 0);
    return;
  }
  if (rest.contains(event->pos())) showRest(event->globalPosition().toPoint(), shown.size());
}

void KindLegend::showRest(QPoint globalPosition, std::size_t from) {
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  for (std::size_t at = from; at < m_kinds.size(); ++at) {
    const WorkKind kind = m_kinds[at];
    QAction* action = menu->addAction(m_theme.kindTitle(kind));
    action->setCheckable(true);
    action->setChecked((m_session.kindFilter() & bitOf(kind)) != 0);
    connect(action, &QAction::triggered, this, [this, kind] { choose(kind, true); });
  }
  menu->popup(globalPosition);
}

void KindLegend::mouseMoveEvent(QMouseEvent* event) {
  QRect rest;
  const std::vector<Entry> shown = entries(rest);
  int hovered = -1;
  for (std::size_t at = 0; at < shown.size(); ++at) {
    if (shown[at].box.contains(event->pos())) hovered = static_cast<int>(at);
  }
  if (hovered == m_hovered) return;
  m_hovered = hovered;
  update();
}

void KindLegend::leaveEvent(QEvent*) {
  m_hovered = -1;
  update();
}

bool KindLegend::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) setToolTip(tr("Click: this kind alone. Ctrl+click: add it or take it away."));
  return QWidget::event(event);
}

}  // namespace attnscope::ui
