// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/findings/FindingDelegate.h"

#include <algorithm>

#include <QPainter>

#include "ui/bridge/Format.h"
#include "ui/findings/FindingsModel.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {
namespace {

constexpr int kHeight = 44;
constexpr int kInset = 10;
constexpr int kIcon = 16;

}  // namespace

FindingDelegate::FindingDelegate(const Theme& theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}

QSize FindingDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
  return {m_theme.scaled(200), m_theme.scaled(kHeight)};
}

void FindingDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const auto* model = qobject_cast<const FindingsModel*>(index.model());
  if (model == nullptr) return;
  const Finding& finding = model->at(index.row());
  const QRect box = option.rect;
  const bool isSelected = option.state.testFlag(QStyle::State_Selected);
  painter->save();
  painter->fillRect(box,
                    m_theme.colour(isSelected                                       ? QStringLiteral("state.selected")
                                   : option.state.testFlag(QStyle::State_MouseOver) ? QStringLiteral("state.hover")
                                                                                    : QStringLiteral("surface.pane")));
  painter->fillRect(QRect(box.left(), box.bottom(), box.width(), 1), m_theme.colour(QStringLiteral("border.row")));
  if (isSelected) {
    painter->fillRect(QRect(box.left(), box.top(), 2, box.height()),
                      m_theme.colour(QStringLiteral("state.selected_bar")));
  }
  const int inset = m_theme.scaled(kInset);
  const int side = m_theme.scaled(kIcon);
  const QRect inner = box.adjusted(inset, m_theme.scaled(5), -inset, -m_theme.scaled(5));
  painter->drawPixmap(
      QPoint(inner.left(), inner.top() + m_theme.scaled(1)),
      m_theme.iconPixmap(severityIcon(finding.severity), side, m_theme.colour(severityToken(finding.severity)),
                         painter->device()->devicePixelRatioF()));
  const int half = inner.height() / 2;
  QRect upper(inner.left() + side + m_theme.scaled(8), inner.top(), 0, half);
  upper.setRight(inner.right());
  QRect lower = upper.translated(0, half);
  const auto atRight = [&](QRect& line, const QString& text, int weight, const QString& token) {
    painter->setFont(m_theme.font(FontRole::kData, weight));
    painter->setPen(m_theme.colour(token));
    painter->drawText(line, Qt::AlignRight | Qt::AlignVCenter, text);
    line.setRight(line.right() - painter->fontMetrics().horizontalAdvance(text) - m_theme.scaled(10));
  };
  if (finding.savingNs) {
    atRight(upper, QStringLiteral("≤ %1").arg(format::time(static_cast<double>(*finding.savingNs))), QFont::Medium,
            QStringLiteral("text.primary"));
    const std::int64_t whole = model->findings()->wholeNs;
    if (whole > 0) {
      atRight(lower, format::percent(static_cast<double>(*finding.savingNs) / static_cast<double>(whole)),
              QFont::Normal, QStringLiteral("text.tertiary"));
    }
  } else {
    atRight(upper, format::unknown(), QFont::Normal, QStringLiteral("text.tertiary"));
  }
  painter->setFont(m_theme.font(FontRole::kData, QFont::Medium));
  painter->setPen(m_theme.colour(QStringLiteral("text.primary")));
  painter->drawText(upper, Qt::AlignLeft | Qt::AlignVCenter,
                    painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, upper.width()));
  painter->setFont(m_theme.font(FontRole::kCaption));
  painter->setPen(m_theme.colour(QStringLiteral("text.tertiary")));
  painter->drawText(lower, Qt::AlignLeft | Qt::AlignVCenter,
                    QString::fromUtf8(finding.rule.data(), static_cast<qsizetype>(finding.rule.size())));
  painter->restore();
}

}  // namespace attnscope::ui
