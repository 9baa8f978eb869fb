// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/TableHeader.h"

#include <algorithm>
#include <functional>
#include <vector>

#include <QPainter>

#include "ui/tables/RowTable.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {

TableHeader::TableHeader(const RowTable& model, const Theme& theme, QWidget* parent)
    : QHeaderView(Qt::Horizontal, parent), m_model(model), m_theme(theme) {
  setSectionsClickable(true);
  setHighlightSections(false);
  setSectionResizeMode(QHeaderView::Fixed);
  setMinimumSectionSize(0);
}

QSize TableHeader::sizeHint() const { return {0, m_theme.size(QStringLiteral("table_header"))}; }

void TableHeader::paintEvent(QPaintEvent* event) {
  QHeaderView::paintEvent(event);
  // What is right of the last column is head as well.
  QPainter painter(viewport());
  const int end = length() - offset();
  const QRect rest(end, 0, viewport()->width() - end, height());
  if (rest.width() <= 0) return;
  painter.fillRect(rest, m_theme.colour(QStringLiteral("surface.header")));
  painter.fillRect(QRect(rest.left(), rest.bottom(), rest.width(), 1), m_theme.colour(QStringLiteral("border.strong")));
}

void TableHeader::paintSection(QPainter* painter, const QRect& rect, int section) const {
  if (section >= m_model.columnCount()) return;
  const Column& column = m_model.rows().columns[static_cast<std::size_t>(section)];
  const int place = m_model.placeInOrder(section);
  const bool sorted = place >= 0;
  painter->save();
  painter->fillRect(rect, m_theme.colour(QStringLiteral("surface.header")));
  painter->fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1),
                    m_theme.colour(QStringLiteral("border.strong")));
  painter->setClipRect(rect.adjusted(2, 0, 0, 0));

  const QFont plain = m_theme.font(FontRole::kCaption);
  const QFont strong = m_theme.font(FontRole::kCaption, sorted ? QFont::Medium : QFont::Normal);
  const QColor ink = m_theme.colour(sorted ? QStringLiteral("text.primary") : QStringLiteral("text.secondary"));
  const QColor quiet = m_theme.colour(QStringLiteral("text.tertiary"));
  const double chip = m_theme.scaled(13);
  const int arrow = m_theme.scaled(12);
  const double gap = m_theme.scaled(4);

  // The pieces from left to right, each with its width: arrow, title, chip, unit.
  struct Piece {
    double width;
    std::function<void(double)> paint;
  };
  std::vector<Piece> pieces;
  const auto text = [&](const QString& words, const QFont& font, const QColor& colour) {
    if (words.isEmpty()) return;
    const double width = QFontMetricsF(font).horizontalAdvance(words);
    pieces.push_back({width, [=](double x) {
                        painter->setFont(font);
                        painter->setPen(colour);
                        painter->drawText(QRectF(x, rect.top(), width + 1, rect.height() - 1), Qt::AlignVCenter, words);
                      }});
  };
  if (sorted) {
    pieces.push_back({static_cast<double>(arrow), [=, this](double x) {
                        const bool down = m_model.orderOf(section) == Qt::DescendingOrder;
                        const QString icon = down ? QStringLiteral("sort_down") : QStringLiteral("sort_up");
                        painter->drawPixmap(
                            QPointF(x, rect.center().y() - arrow / 2),
                            m_theme.iconPixmap(icon, arrow, ink, painter->device()->devicePixelRatioF()));
                      }});
  }
  text(column.title, strong, ink);
  if (sorted && !m_model.order().then.empty()) text(QString::number(place + 1), plain, quiet);
  if (!column.runLetter.isEmpty()) {
    pieces.push_back({chip, [=, this](double x) {
                        painter->save();
                        painter->translate(x, rect.center().y() - chip / 2);
                        const double scale = chip / m_theme.chipSize();
                        painter->scale(scale, scale);
                        m_theme.drawChip(*painter, {0, 0}, column.runNumber, column.runLetter);
                        painter->restore();
                      }});
  }
  text(column.unitText(), plain, quiet);

  double width = gap * static_cast<double>(pieces.empty() ? 0 : pieces.size() - 1);
  for (const Piece& piece : pieces) width += piece.width;
  const double inset = m_theme.scaled(8);
  double x = column.isRightAligned() ? rect.right() + 1 - inset - width : rect.left() + inset;
  // The arrow of a text column follows its title, so that titles stay over their cells.
  if (!column.isRightAligned() && sorted) std::rotate(pieces.begin(), pieces.begin() + 1, pieces.end());
  for (const Piece& piece : pieces) {
    piece.paint(x);
    x += piece.width + gap;
  }
  painter->restore();
}

}  // namespace attnscope::ui
