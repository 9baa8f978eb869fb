// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lab/ImplementationDelegate.h"

#include <cmath>

#include <QPainter>

#include "ui/lab/Choice.h"
#include "ui/lab/ImplementationModel.h"
#include "ui/theme/TextLabel.h"

namespace attnscope::ui {

namespace {

constexpr int kWrap = Qt::TextWordWrap;
constexpr int kRow = 27;    // one line
constexpr int kGroup = 24;  // a group's head
constexpr int kInset = 12;
constexpr int kCheck = 14;
constexpr int kChipLeft = 34;
constexpr int kTitleLeft = 58;  // where the letter stands before it
constexpr int kBelow = 7;       // under the last line of a reason

QString refusedWords(const QModelIndex& index) {
  const QString reason = index.data(ImplementationModel::kRefusal).toString();
  return reason.isEmpty() ? QString() : ImplementationModel::tr("Refused: %1").arg(reason);
}

}  // namespace

ImplementationDelegate::ImplementationDelegate(const Theme& theme, QWidget* view)
    : QStyledItemDelegate(view), m_theme(theme), m_view(view) {}

int ImplementationDelegate::viewWidth() const { return m_view->width(); }

int ImplementationDelegate::noteHeight(const QString& text, int indent) const {
  if (text.isEmpty()) return 0;
  const QFontMetricsF metrics(m_theme.font(FontRole::kData));
  const double width = viewWidth() - m_theme.scaled(indent) - kInset;
  const QRectF bounds = metrics.boundingRect(QRectF(0, 0, std::max(width, 1.0), 1e6), kWrap, text);
  return static_cast<int>(std::ceil(bounds.height()));
}

QSize ImplementationDelegate::sizeHint(const QStyleOptionViewItem& /*option*/, const QModelIndex& index) const {
  if (index.data(ImplementationModel::kIsGroup).toBool()) return {10, m_theme.scaled(kGroup)};
  const int reason = noteHeight(refusedWords(index), kChipLeft + 18);
  const int remark = noteHeight(index.data(ImplementationModel::kRemark).toString(), kTitleLeft);
  const int below = reason + remark > 0 ? m_theme.scaled(kBelow) - m_theme.scaled(3) : 0;
  return {10, m_theme.scaled(kRow) + reason + remark + below};
}

void ImplementationDelegate::paintGroup(QPainter& painter, const QRect& box, const QModelIndex& index) const {
  painter.fillRect(box, m_theme.colour(QStringLiteral("surface.header")));
  painter.fillRect(QRect(box.left(), box.bottom(), box.width(), 1), m_theme.colour(QStringLiteral("border.row")));
  const QRect text = box.adjusted(kInset, 0, -kInset, 0);
  painter.setFont(m_theme.font(FontRole::kCaption, QFont::DemiBold));
  painter.setPen(m_theme.colour(QStringLiteral("text.secondary")));
  const QString title = index.data().toString();
  painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, title);
  const int used = painter.fontMetrics().horizontalAdvance(title) + m_theme.scaled(12);
  painter.setFont(m_theme.font(FontRole::kCaption));
  painter.setPen(m_theme.colour(QStringLiteral("text.tertiary")));
  const QRect rest = text.adjusted(used, 0, 0, 0);
  painter.drawText(rest, Qt::AlignRight | Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(index.data(ImplementationModel::kNote).toString(), Qt::ElideRight,
                                                    rest.width()));
}

void ImplementationDelegate::paintCheck(QPainter& painter, const QRect& box, bool checked, bool refused) const {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  const QColor ink = m_theme.colour(refused ? QStringLiteral("border.strong") : QStringLiteral("border.control"));
  const QColor on = m_theme.colour(refused ? QStringLiteral("text.disabled") : QStringLiteral("state.primary"));
  painter.setPen(checked ? on : ink);
  painter.setBrush(
      checked ? on : m_theme.colour(refused ? QStringLiteral("surface.sunken") : QStringLiteral("surface.raised")));
  painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
  if (checked) {
    const int side = box.width() - 2;
    painter.drawPixmap(
        box.topLeft() + QPoint(1, 1),
        m_theme.iconPixmap(QStringLiteral("check"), side, m_theme.colour(QStringLiteral("state.primary_text")),
                           m_view->devicePixelRatioF()));
  }
  painter.restore();
}

void ImplementationDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                                   const QModelIndex& index) const {
  const QRect box = option.rect;
  painter->save();
  if (index.data(ImplementationModel::kIsGroup).toBool()) {
    paintGroup(*painter, box, index);
    painter->restore();
    return;
  }
  const bool selected = option.state.testFlag(QStyle::State_Selected) && option.state.testFlag(QStyle::State_HasFocus);
  const bool hovered = option.state.testFlag(QStyle::State_MouseOver);
  const QString refusal = refusedWords(index);
  const QString remark = index.data(ImplementationModel::kRemark).toString();
  const bool refused = !refusal.isEmpty();
  const int position = index.data(ImplementationModel::kPosition).toInt();
  painter->fillRect(box, m_theme.colour(selected  ? QStringLiteral("state.selected")
                                        : hovered ? QStringLiteral("state.hover")
                                                  : QStringLiteral("surface.pane")));
  painter->fillRect(QRect(box.left(), box.bottom(), box.width(), 1), m_theme.colour(QStringLiteral("border.row")));
  if (selected) {
    painter->fillRect(QRect(box.left(), box.top(), 2, box.height()),
                      m_theme.colour(QStringLiteral("state.selected_bar")));
  }
  const int row = m_theme.scaled(kRow);
  const int check = m_theme.scaled(kCheck);
  paintCheck(*painter, QRect(box.left() + kInset, box.top() + (row - check) / 2, check, check), position >= 0, refused);

  // A letter stands before the title of what is chosen; titles keep one edge, but where the row is refused.
  int left = m_theme.scaled(refused && position < 0 ? kChipLeft : kTitleLeft);
  if (position >= 0) {
    m_theme.drawChip(*painter,
                     QPointF(box.left() + m_theme.scaled(kChipLeft), box.top() + (row - m_theme.chipSize()) / 2),
                     position, labLetter(position));
  }
  const QRect line(box.left() + left, box.top(), box.width() - left - kInset, row);
  painter->setFont(m_theme.font(FontRole::kCaption));
  const QString id = index.data(ImplementationModel::kId).toString();
  const int idWidth = painter->fontMetrics().horizontalAdvance(id);
  painter->setPen(m_theme.colour(QStringLiteral("text.tertiary")));
  painter->drawText(line, Qt::AlignRight | Qt::AlignVCenter, id);
  const QString baseline = position == 0 ? ImplementationModel::tr("baseline") : QString();
  const int gap = m_theme.scaled(8);
  const int icon = m_theme.scaled(12);
  const int baselineWidth =
      baseline.isEmpty() ? 0 : gap + icon + m_theme.scaled(4) + painter->fontMetrics().horizontalAdvance(baseline);
  painter->setFont(m_theme.font(FontRole::kData, refused ? QFont::Normal : QFont::Medium));
  painter->setPen(m_theme.colour(refused ? QStringLiteral("text.tertiary") : QStringLiteral("text.primary")));
  const int room = line.width() - idWidth - gap - baselineWidth;
  const QString title = painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, std::max(room, 0));
  painter->drawText(line, Qt::AlignLeft | Qt::AlignVCenter, title);
  if (!baseline.isEmpty()) {
    const int x = line.left() + painter->fontMetrics().horizontalAdvance(title) + gap;
    const QColor ink = m_theme.colour(QStringLiteral("text.tertiary"));
    painter->drawPixmap(x, box.top() + (row - icon) / 2,
                        m_theme.iconPixmap(QStringLiteral("baseline"), icon, ink, m_view->devicePixelRatioF()));
    painter->setFont(m_theme.font(FontRole::kCaption));
    painter->setPen(ink);
    painter->drawText(QRect(x + icon + m_theme.scaled(4), box.top(), baselineWidth, row),
                      Qt::AlignLeft | Qt::AlignVCenter, baseline);
  }

  int top = box.top() + row - m_theme.scaled(3);
  painter->setFont(m_theme.font(FontRole::kData));
  if (refused) {
    const int side = m_theme.scaled(12);
    painter->drawPixmap(
        box.left() + m_theme.scaled(kChipLeft), top + m_theme.scaled(1),
        m_theme.iconPixmap(QStringLiteral("refused"), side, m_theme.colour(QStringLiteral("severity.warning")),
                           m_view->devicePixelRatioF()));
    const int height = noteHeight(refusal, kChipLeft + 18);
    const int x = box.left() + m_theme.scaled(kChipLeft + 18);
    painter->setPen(m_theme.colour(QStringLiteral("text.secondary")));
    painter->drawText(QRect(x, top, box.right() - kInset - x + 1, height), kWrap | Qt::AlignTop, refusal);
    top += height;
  }
  if (!remark.isEmpty()) {
    const int x = box.left() + m_theme.scaled(kTitleLeft);
    painter->setPen(m_theme.colour(QStringLiteral("text.tertiary")));
    painter->drawText(QRect(x, top, box.right() - kInset - x + 1, noteHeight(remark, kTitleLeft)), kWrap | Qt::AlignTop,
                      remark);
  }
  painter->restore();
}

}  // namespace attnscope::ui
