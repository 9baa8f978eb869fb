// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/TableDelegate.h"

#include <algorithm>
#include <cmath>

#include <QPainter>

#include "ui/tables/RowTable.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {
namespace {

constexpr int kInset = 8;
constexpr int kSwatch = 9;
constexpr int kGroupIndent = 18;

QColor toneText(const Theme& theme, Tone tone) {
  switch (tone) {
    case Tone::kFaster:
      return theme.colour(QStringLiteral("delta.faster"));
    case Tone::kSlower:
      return theme.colour(QStringLiteral("delta.slower"));
    case Tone::kNeutral:
      break;
  }
  return theme.colour(QStringLiteral("delta.neutral"));
}

QColor toneBar(const Theme& theme, Tone tone) {
  switch (tone) {
    case Tone::kFaster:
      return theme.colour(QStringLiteral("delta.faster_bar"));
    case Tone::kSlower:
      return theme.colour(QStringLiteral("delta.slower_bar"));
    case Tone::kNeutral:
      break;
  }
  return theme.colour(QStringLiteral("delta.neutral_bar"));
}

}  // namespace

struct TableDelegate::Cell {
  QPainter& painter;
  const RowTable& model;
  const Column& column;
  int line;
  int section;
  QRect rect;  // the whole cell
  QRect text;  // within the insets
  bool isGroup;
};

TableDelegate::TableDelegate(const Theme& theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}

QSize TableDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
  return {m_theme.scaled(60), m_theme.size(QStringLiteral("table_row"))};
}

void TableDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const auto* model = qobject_cast<const RowTable*>(index.model());
  if (model == nullptr) return;
  const bool group = model->isGroup(index.row());
  const int inset = m_theme.scaled(kInset);
  const Cell cell{*painter,
                  *model,
                  model->rows().columns[static_cast<std::size_t>(index.column())],
                  index.row(),
                  index.column(),
                  option.rect,
                  option.rect.adjusted(inset, 0, -inset, -1),
                  group};
  painter->save();
  painter->setClipRect(option.rect);
  paintGround(cell, option);
  painter->setFont(m_theme.font(FontRole::kData, group ? QFont::DemiBold : QFont::Normal));
  painter->setPen(m_theme.colour(QStringLiteral("text.primary")));
  switch (cell.column.role) {
    case ColumnRole::kName:
      paintName(cell);
      break;
    case ColumnRole::kText: {
      const QString text = model->data(index).toString();
      painter->setPen(m_theme.colour(QStringLiteral("text.secondary")));
      painter->drawText(cell.text, Qt::AlignVCenter | Qt::AlignLeft,
                        painter->fontMetrics().elidedText(text, Qt::ElideRight, cell.text.width()));
      break;
    }
    case ColumnRole::kTimeWithBar:
      paintBar(cell);
      paintNumber(cell);
      break;
    case ColumnRole::kDelta:
    case ColumnRole::kDeltaShare:
      paintDelta(cell);
      break;
    case ColumnRole::kDistribution:
      paintSpreads(cell);
      break;
    default:
      paintNumber(cell);
      break;
  }
  painter->restore();
}

void TableDelegate::paintGround(const Cell& cell, const QStyleOptionViewItem& option) const {
  QString token = QStringLiteral("surface.pane");
  if (cell.isGroup) token = QStringLiteral("surface.header");
  if (cell.line == m_hovered) token = QStringLiteral("state.hover");
  const bool selected = option.state.testFlag(QStyle::State_Selected);
  if (selected) {
    token = option.state.testFlag(QStyle::State_Active) ? QStringLiteral("state.selected")
                                                        : QStringLiteral("state.selected_inactive");
  }
  cell.painter.fillRect(cell.rect, m_theme.colour(token));
  cell.painter.fillRect(QRect(cell.rect.left(), cell.rect.bottom(), cell.rect.width(), 1),
                        m_theme.colour(QStringLiteral("border.row")));
  if (selected && cell.section == m_first) {
    cell.painter.fillRect(QRect(cell.rect.left(), cell.rect.top(), 2, cell.rect.height()),
                          m_theme.colour(QStringLiteral("state.selected_bar")));
  }
}

void TableDelegate::paintName(const Cell& cell) const {
  QRect rect = cell.text;
  const TableRows& rows = cell.model.rows();
  if (cell.isGroup) {
    rect.setLeft(rect.left() + paintCaret(cell, rect.left()));
  } else {
    if (rows.isTree()) {
      rect.setLeft(rect.left() + indentOf(cell.model.depthOf(cell.line)));
      // Rows of one level stand under one another, with something under them or not.
      rect.setLeft(rect.left() + (cell.model.canFold(cell.line) ? paintCaret(cell, rect.left()) : indentOf(1)));
    }
    if (cell.model.order().grouped && !rows.groupOf.empty()) rect.setLeft(rect.left() + m_theme.scaled(kGroupIndent));
    if (!rows.kinds.empty()) {
      const KindColours colours = m_theme.kind(rows.kinds[cell.model.rowAt(cell.line)]);
      const int side = m_theme.scaled(kSwatch);
      const QRect swatch(rect.left(), rect.center().y() - side / 2, side, side);
      cell.painter.fillRect(swatch, colours.edge);
      cell.painter.fillRect(swatch.adjusted(1, 1, -1, -1), colours.fill);
      rect.setLeft(swatch.right() + 1 + m_theme.scaled(6));
    }
  }
  // Long names of kernels differ in their middle rarely and at their ends often: both ends stay.
  const QString text = cell.model.data(cell.model.index(cell.line, cell.section)).toString();
  cell.painter.drawText(rect, Qt::AlignVCenter | Qt::AlignLeft,
                        cell.painter.fontMetrics().elidedText(text, Qt::ElideMiddle, rect.width()));
}

int TableDelegate::indentOf(int depth) const {
  constexpr int kDeepest = 24;  // levels below share one place, so that names stay in their column
  return m_theme.scaled(16) * std::min(depth, kDeepest);
}

int TableDelegate::paintCaret(const Cell& cell, int left) const {
  const int side = m_theme.scaled(12);
  const QString icon =
      cell.model.isFolded(cell.line) ? QStringLiteral("chevron_right") : QStringLiteral("chevron_down");
  cell.painter.drawPixmap(QPoint(left - 2, cell.text.center().y() - side / 2),
                          m_theme.iconPixmap(icon, side, m_theme.colour(QStringLiteral("text.secondary")),
                                             cell.painter.device()->devicePixelRatioF()));
  return side + m_theme.scaled(4);
}

void TableDelegate::paintNumber(const Cell& cell) const {
  if (cell.isGroup && cell.column.sum == SumRule::kNone) return;
  const double value = cell.model.number(cell.line, cell.section);
  if (std::isnan(value)) cell.painter.setPen(m_theme.colour(QStringLiteral("text.tertiary")));
  m_theme.drawNumber(cell.painter, cell.text, numberText(cell.column, value));
}

void TableDelegate::paintBar(const Cell& cell) const {
  const double value = cell.model.number(cell.line, cell.section);
  if (std::isnan(value) || cell.column.barScale <= 0 || value <= 0) return;
  const int height = m_theme.scaled(12);
  const int width = static_cast<int>(std::lround(cell.text.width() * std::min(1.0, value / cell.column.barScale)));
  cell.painter.fillRect(QRect(cell.text.left(), cell.text.center().y() - height / 2 + 1, width, height),
                        m_theme.colour(QStringLiteral("timeline.counter_fill")));
}

void TableDelegate::paintDelta(const Cell& cell) const {
  const double value = cell.model.number(cell.line, cell.section);
  const QString text = numberText(cell.column, value);
  // What is written as no difference is not coloured as one, nor is a share of a difference, which has no two sides.
  const bool hasSides = cell.column.baseColumn >= 0 && cell.column.otherColumn >= 0;
  const Tone tone = !hasSides || text.startsWith(QChar(0x00B1))
                        ? Tone::kNeutral
                        : toneOf(cell.model.number(cell.line, cell.column.baseColumn),
                                 cell.model.number(cell.line, cell.column.otherColumn));
  const double span = cell.column.most - cell.column.least;
  if (cell.column.role == ColumnRole::kDelta && span > 0) {
    // The axis stands where the largest fall and the largest rise of the column both fit; the number keeps its place.
    const int numberWidth = static_cast<int>(
        std::ceil(m_theme.numberWidth(m_theme.font(FontRole::kData, QFont::DemiBold), QStringLiteral("−0 000.0"))));
    const int room = std::max(m_theme.scaled(16), cell.text.width() - numberWidth - m_theme.scaled(4));
    const int axis = cell.text.left() + static_cast<int>(std::lround(room * (-cell.column.least / span)));
    const int height = m_theme.scaled(12);
    const int top = cell.text.center().y() - height / 2 + 1;
    if (!std::isnan(value)) {
      const int length = static_cast<int>(std::lround(room * std::min(1.0, std::abs(value) / span)));
      cell.painter.fillRect(QRect(value < 0 ? axis - length : axis, top, length, height), toneBar(m_theme, tone));
    }
    cell.painter.fillRect(QRect(axis, cell.rect.top() + 2, 1, cell.rect.height() - 5),
                          m_theme.colour(QStringLiteral("border.strong")));
  }
  cell.painter.setPen(std::isnan(value) ? m_theme.colour(QStringLiteral("text.tertiary")) : toneText(m_theme, tone));
  m_theme.drawNumber(cell.painter, cell.text, text);
}

void TableDelegate::paintSpreads(const Cell& cell) const {
  if (cell.isGroup) return;
  const std::vector<std::vector<Spread>>& all = cell.model.rows().spreads;
  const std::uint32_t row = cell.model.rowAt(cell.line);
  if (row >= all.size() || cell.column.most <= 0) return;
  const std::vector<Spread>& spreads = all[row];
  const bool oneRun = cell.model.rows().slices.size() < 2;
  const int lanes = std::max<int>(1, static_cast<int>(spreads.size()));
  const QRect area = cell.text.adjusted(0, m_theme.scaled(3), 0, -m_theme.scaled(2));
  const auto x = [&](std::int64_t ns) {
    const double part = std::clamp(static_cast<double>(ns) / cell.column.most, 0.0, 1.0);
    return area.left() + static_cast<int>(std::lround(part * (area.width() - 2)));
  };
  for (int lane = 0; lane < static_cast<int>(spreads.size()); ++lane) {
    const Spread& spread = spreads[static_cast<std::size_t>(lane)];
    const QColor ink = oneRun ? m_theme.colour(QStringLiteral("timeline.counter_line")) : m_theme.run(spread.runNumber);
    const int height = area.height() / lanes;
    const int middle = area.top() + lane * height + height / 2;
    cell.painter.fillRect(QRect(area.left(), middle, area.width(), 1),
                          m_theme.colour(QStringLiteral("border.hairline")));
    const int half = std::clamp(height / 2 - 1, 1, m_theme.scaled(4));
    if (!spread.ticks.empty()) {
      for (const std::int64_t ns : spread.ticks)
        cell.painter.fillRect(QRect(x(ns), middle - half, 2, 2 * half + 1), ink);
      continue;
    }
    const int box = std::min(half, m_theme.scaled(2));
    QColor quiet = ink;
    quiet.setAlphaF(0.45F);
    cell.painter.fillRect(QRect(x(spread.p5), middle, std::max(1, x(spread.p95) - x(spread.p5)), 1), ink);
    cell.painter.fillRect(QRect(x(spread.q1), middle - box, std::max(2, x(spread.q3) - x(spread.q1)), 2 * box + 1),
                          quiet);
    cell.painter.fillRect(QRect(x(spread.median), middle - half, 2, 2 * half + 1), ink);
  }
}

}  // namespace attnscope::ui
