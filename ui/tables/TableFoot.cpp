// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/TableFoot.h"

#include <algorithm>
#include <cmath>

#include <QHeaderView>
#include <QPainter>

#include "ui/tables/RowTable.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {

TableFoot::TableFoot(const RowTable& model, const QHeaderView& header, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_model(model), m_header(header), m_theme(theme) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void TableFoot::setTitle(const QString& title, const QString& note) {
  m_title = title;
  m_note = note;
  setAccessibleName(title);
  update();
}

void TableFoot::setProblem(const QString& words) {
  if (words == m_problem) return;
  m_problem = words;
  setAccessibleName(words.isEmpty() ? m_title : words);
  setToolTip(words);
  update();
}

QSize TableFoot::sizeHint() const { return {200, m_theme.size(QStringLiteral("table_header"))}; }

void TableFoot::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), m_theme.colour(QStringLiteral("surface.pane")));
  painter.fillRect(QRect(0, 0, width(), 1), m_theme.colour(QStringLiteral("border.strong")));
  const int inset = m_theme.scaled(8);
  if (!m_problem.isEmpty()) {
    const int side = m_theme.scaled(14);
    const QColor ink = m_theme.colour(QStringLiteral("severity.problem"));
    painter.drawPixmap(QPoint(inset, (height() - side) / 2),
                       m_theme.iconPixmap(QStringLiteral("problem"), side, ink, devicePixelRatioF()));
    painter.setFont(m_theme.font(FontRole::kData));
    painter.setPen(m_theme.colour(QStringLiteral("text.primary")));
    const QRect words = rect().adjusted(inset + side + m_theme.scaled(6), 1, -inset, 0);
    painter.drawText(words, Qt::AlignVCenter | Qt::AlignLeft,
                     painter.fontMetrics().elidedText(m_problem, Qt::ElideRight, words.width()));
    return;
  }
  int firstNumber = width();
  painter.setFont(m_theme.font(FontRole::kData, QFont::DemiBold));
  for (int section = 0; section < m_model.columnCount(); ++section) {
    const Column& column = m_model.rows().columns[static_cast<std::size_t>(section)];
    if (column.sum == SumRule::kNone || m_header.isSectionHidden(section)) continue;
    if (static_cast<std::size_t>(section) >= m_model.arrangement().totals.size()) continue;
    const double value = m_model.arrangement().totals[static_cast<std::size_t>(section)];
    const QString text = numberText(column, value);
    QRect cell(m_header.sectionViewportPosition(section), 1, m_header.sectionSize(section), height() - 1);
    cell.adjust(inset, 0, -inset, 0);
    QColor ink = m_theme.colour(QStringLiteral("text.primary"));
    if (std::isnan(value)) ink = m_theme.colour(QStringLiteral("text.tertiary"));
    if (column.baseColumn >= 0 && column.otherColumn >= 0) {
      const std::vector<double>& totals = m_model.arrangement().totals;
      switch (toneOf(totals[static_cast<std::size_t>(column.baseColumn)],
                     totals[static_cast<std::size_t>(column.otherColumn)])) {
        case Tone::kFaster:
          ink = m_theme.colour(QStringLiteral("delta.faster"));
          break;
        case Tone::kSlower:
          ink = m_theme.colour(QStringLiteral("delta.slower"));
          break;
        case Tone::kNeutral:
          ink = m_theme.colour(QStringLiteral("delta.neutral"));
          break;
      }
    }
    painter.setPen(ink);
    m_theme.drawNumber(painter, cell, text);
    const double width = m_theme.numberWidth(painter.font(), text);
    firstNumber = std::min(firstNumber, cell.right() - static_cast<int>(std::ceil(width)));
  }
  const int room = firstNumber - 2 * inset;
  const QFontMetrics metrics = painter.fontMetrics();
  const QString title = metrics.elidedText(m_title, Qt::ElideRight, std::max(room, 0));
  painter.setPen(m_theme.colour(QStringLiteral("text.primary")));
  painter.drawText(QRect(inset, 1, room, height() - 1), Qt::AlignVCenter | Qt::AlignLeft, title);
  const int used = metrics.horizontalAdvance(title) + m_theme.scaled(6);
  painter.setFont(m_theme.font(FontRole::kData));
  painter.setPen(m_theme.colour(QStringLiteral("text.tertiary")));
  // The note is left out rather than cut.
  if (painter.fontMetrics().horizontalAdvance(m_note) > room - used) return;
  painter.drawText(QRect(inset + used, 1, room - used, height() - 1), Qt::AlignVCenter | Qt::AlignLeft, m_note);
}

}  // namespace attnscope::ui
