// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lab/ResultsMatrix.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <QClipboard>
#include <QGuiApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include "ui/theme/TextLabel.h"

namespace attnscope::ui {

namespace {

constexpr int kWrap = Qt::TextWordWrap;
constexpr int kInset = 16;
constexpr int kRow = 29;
constexpr int kTitleLeast = 118;
constexpr int kStateWidth = 80;
// By MatrixColumn.
constexpr std::array<int, kMatrixColumns> kWidths = {66, 38, 54, 68, 66, 62, 60, 62, 88, 62, 66, 62};
// What gives way first when there is little room.
constexpr std::array<int, 9> kFirstToGo = {kEnergy, kProfiled, kResident,  kAtBest, kPredicted,
                                           kRate,   kShare,    kPlusMinus, kPeak};

QString tokenOf(RowTone tone) {
  switch (tone) {
    case RowTone::kPlain:
      return QStringLiteral("text.primary");
    case RowTone::kQuiet:
      return QStringLiteral("text.tertiary");
    case RowTone::kFaster:
      return QStringLiteral("delta.faster");
    case RowTone::kSlower:
      return QStringLiteral("delta.slower");
    case RowTone::kWrong:
      return QStringLiteral("severity.problem");
    case RowTone::kGood:
      return QStringLiteral("severity.ok");
  }
  return {};
}

QString iconColour(const QString& icon) {
  if (icon == QLatin1String("check")) return QStringLiteral("severity.ok");
  return icon == QLatin1String("refused") ? QStringLiteral("severity.warning") : QStringLiteral("severity.problem");
}

}  // namespace

ResultsMatrix::ResultsMatrix(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Results"));
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
  connect(&m_theme, &Theme::changed, this, &ResultsMatrix::fit);
}

void ResultsMatrix::setMatrix(Matrix matrix) {
  m_matrix = std::move(matrix);
  if (m_selected >= static_cast<int>(m_matrix.rows.size())) m_selected = -1;
  QStringList texts;
  for (std::size_t i = 0; i < m_matrix.rows.size(); ++i) texts << rowText(i);
  setAccessibleDescription(m_selected >= 0 ? rowText(static_cast<std::size_t>(m_selected)) : texts.join(u'\n'));
  fit();
}

void ResultsMatrix::fit() {
  if (const int height = heightForWidth(width()); height != this->height() || height != minimumHeight()) {
    setFixedHeight(height);
  }
  update();
}

QString ResultsMatrix::rowText(std::size_t row) const {
  const MatrixRow& of = m_matrix.rows[row];
  QStringList parts{QStringLiteral("%1, %2: %3").arg(of.letter, of.title, of.state)};
  for (std::size_t i = 0; i < kMatrixColumns; ++i) {
    if (of.cells[i].text != format::unknown()) parts << m_matrix.heads[i] + u' ' + of.cells[i].text;
  }
  if (!of.sentence.isEmpty()) parts << of.sentence;
  return parts.join(QStringLiteral(", "));
}

void ResultsMatrix::copy() const { QGuiApplication::clipboard()->setText(tabSeparated(m_matrix)); }

// --- Geometry ----------------------------------------------------------------------------------------------------

std::vector<ResultsMatrix::Column> ResultsMatrix::columnsFor(int width) const {
  std::array<bool, kMatrixColumns> shown;
  for (std::size_t i = 0; i < kMatrixColumns; ++i) shown[i] = !m_matrix.heads[i].isEmpty();
  const auto needed = [&] {
    int sum = 2 * kInset + m_theme.scaled(kTitleLeast + kStateWidth);
    for (std::size_t i = 0; i < kMatrixColumns; ++i) sum += shown[i] ? m_theme.scaled(kWidths[i]) : 0;
    return sum;
  };
  for (const int column : kFirstToGo) {
    if (needed() <= width) break;
    shown[static_cast<std::size_t>(column)] = false;
  }
  std::vector<Column> columns;
  int right = width - kInset;
  for (int i = kMatrixColumns - 1; i >= 0; --i) {
    if (!shown[static_cast<std::size_t>(i)]) continue;
    const int wide = m_theme.scaled(kWidths[static_cast<std::size_t>(i)]);
    right -= wide;
    columns.push_back({i, right, wide});
  }
  std::reverse(columns.begin(), columns.end());
  return columns;
}

int ResultsMatrix::sentenceHeight(const MatrixRow& row, int width) const {
  if (row.sentence.isEmpty()) return 0;
  const int left = kInset + m_theme.scaled(24);
  const QFontMetricsF metrics(m_theme.font(FontRole::kData));
  const QRectF bounds =
      metrics.boundingRect(QRectF(0, 0, std::max(width - left - kInset, 1), 1e6), kWrap, row.sentence);
  return static_cast<int>(std::ceil(bounds.height())) + m_theme.scaled(6);
}

int ResultsMatrix::rowHeight(const MatrixRow& row, int width) const {
  return m_theme.scaled(kRow) + sentenceHeight(row, width);
}

int ResultsMatrix::heightForWidth(int width) const {
  int height = m_theme.size(QStringLiteral("table_header"));
  for (const MatrixRow& row : m_matrix.rows) height += rowHeight(row, width);
  return height;
}

QSize ResultsMatrix::sizeHint() const { return {m_theme.scaled(700), heightForWidth(width())}; }

QSize ResultsMatrix::minimumSizeHint() const { return {m_theme.scaled(380), heightForWidth(width())}; }

void ResultsMatrix::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fit();
}

// --- Painting ----------------------------------------------------------------------------------------------------

void ResultsMatrix::paintHead(QPainter& painter, const std::vector<Column>& columns) const {
  const int height = m_theme.size(QStringLiteral("table_header"));
  painter.fillRect(0, 0, width(), height, m_theme.colour(QStringLiteral("surface.header")));
  painter.fillRect(0, height - 1, width(), 1, m_theme.colour(QStringLiteral("border.strong")));
  painter.setFont(m_theme.font(FontRole::kCaption, QFont::Medium));
  painter.setPen(m_theme.colour(QStringLiteral("text.secondary")));
  const int stateLeft = (columns.empty() ? width() : columns.front().left) - m_theme.scaled(kStateWidth);
  painter.drawText(QRect(kInset, 0, stateLeft, height), Qt::AlignLeft | Qt::AlignVCenter, tr("Implementation"));
  painter.drawText(QRect(stateLeft, 0, m_theme.scaled(kStateWidth), height), Qt::AlignLeft | Qt::AlignVCenter,
                   tr("State"));
  for (const Column& column : columns) {
    painter.drawText(QRect(column.left, 0, column.width, height), Qt::AlignRight | Qt::AlignVCenter,
                     m_matrix.heads[static_cast<std::size_t>(column.column)]);
  }
}

void ResultsMatrix::paintRow(QPainter& painter, const MatrixRow& row, std::size_t number, const QRect& box,
                             const std::vector<Column>& columns) const {
  const bool selected = hasFocus() && m_selected == static_cast<int>(number);
  painter.fillRect(box, m_theme.colour(selected        ? QStringLiteral("state.selected")
                                       : row.isCurrent ? QStringLiteral("state.hover")
                                                       : QStringLiteral("surface.pane")));
  painter.fillRect(QRect(box.left(), box.bottom(), box.width(), 1), m_theme.colour(QStringLiteral("border.row")));
  if (selected)
    painter.fillRect(QRect(0, box.top(), 2, box.height()), m_theme.colour(QStringLiteral("state.selected_bar")));
  const int line = m_theme.scaled(kRow);
  m_theme.drawChip(painter, QPointF(kInset, box.top() + (line - m_theme.chipSize()) / 2), static_cast<int>(number),
                   row.letter);
  const int stateLeft = (columns.empty() ? width() : columns.front().left) - m_theme.scaled(kStateWidth);
  const int titleLeft = kInset + m_theme.scaled(24);
  painter.setFont(m_theme.font(FontRole::kData, QFont::Medium));
  painter.setPen(m_theme.colour(QStringLiteral("text.primary")));
  const int room = std::max(stateLeft - titleLeft - m_theme.scaled(6), 0);
  painter.drawText(QRect(titleLeft, box.top(), room, line), Qt::AlignLeft | Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(row.title, Qt::ElideRight, room));

  const int icon = m_theme.scaled(12);
  int stateText = stateLeft;
  if (!row.stateIcon.isEmpty()) {
    painter.drawPixmap(
        stateLeft, box.top() + (line - icon) / 2,
        m_theme.iconPixmap(row.stateIcon, icon, m_theme.colour(iconColour(row.stateIcon)), devicePixelRatioF()));
    stateText += icon + m_theme.scaled(4);
  } else if (row.isCurrent) {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_theme.colour(QStringLiteral("text.primary")));
    const double radius = m_theme.scaled(7) / 2.0;
    painter.drawEllipse(QPointF(stateLeft + radius, box.top() + line / 2.0), radius, radius);
    painter.setRenderHint(QPainter::Antialiasing, false);
    stateText += m_theme.scaled(12);
  }
  painter.setFont(m_theme.font(FontRole::kData));
  painter.setPen(m_theme.colour(row.isCurrent ? QStringLiteral("text.primary") : QStringLiteral("text.secondary")));
  painter.drawText(QRect(stateText, box.top(), m_theme.scaled(kStateWidth), line), Qt::AlignLeft | Qt::AlignVCenter,
                   row.state);

  for (const Column& column : columns) {
    const MatrixCell& cell = row.cells[static_cast<std::size_t>(column.column)];
    const QRect place(column.left, box.top(), column.width, line);
    if (column.column == kShare) {
      const int bar = m_theme.scaled(24);
      const int high = m_theme.scaled(8);
      const QRectF track(column.left + m_theme.scaled(8), box.top() + (line - high) / 2.0, bar, high);
      painter.fillRect(track, m_theme.colour(QStringLiteral("state.progress_track")));
      if (row.roofShare > 0) {
        const QRectF filled(track.left(), track.top(), bar * std::min(row.roofShare, 1.0), high);
        painter.fillRect(filled, m_theme.colour(QStringLiteral("timeline.counter_line")));
      }
    }
    painter.setPen(m_theme.colour(tokenOf(cell.tone)));
    m_theme.drawNumber(painter, place, cell.text);
  }

  if (row.sentence.isEmpty()) return;
  painter.setPen(m_theme.colour(QStringLiteral("text.secondary")));
  painter.drawText(QRect(titleLeft, box.top() + line - m_theme.scaled(3), width() - titleLeft - kInset,
                         box.height() - line + m_theme.scaled(3)),
                   kWrap | Qt::AlignTop, row.sentence);
}

void ResultsMatrix::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.fillRect(rect(), m_theme.colour(QStringLiteral("surface.pane")));
  const std::vector<Column> columns = columnsFor(width());
  paintHead(painter, columns);
  int top = m_theme.size(QStringLiteral("table_header"));
  for (std::size_t i = 0; i < m_matrix.rows.size(); ++i) {
    const int height = rowHeight(m_matrix.rows[i], width());
    paintRow(painter, m_matrix.rows[i], i, QRect(0, top, width(), height), columns);
    top += height;
  }
  if (hasFocus()) {
    painter.fillRect(0, 0, width(), m_theme.size(QStringLiteral("focus_ring")),
                     m_theme.colour(QStringLiteral("state.focus")));
  }
}

// --- Keys --------------------------------------------------------------------------------------------------------

void ResultsMatrix::select(int row) {
  m_selected = std::clamp(row, 0, static_cast<int>(m_matrix.rows.size()) - 1);
  if (m_matrix.rows.empty()) m_selected = -1;
  if (m_selected >= 0) setAccessibleDescription(rowText(static_cast<std::size_t>(m_selected)));
  update();
}

bool ResultsMatrix::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  QString tip;
  if (help->pos().y() < m_theme.size(QStringLiteral("table_header"))) {
    for (const Column& column : columnsFor(width())) {
      if (help->x() >= column.left && help->x() < column.left + column.width) {
        tip = columnTip(static_cast<MatrixColumn>(column.column));
      }
    }
  }
  if (tip.isEmpty()) {
    QToolTip::hideText();
  } else {
    QToolTip::showText(help->globalPos(), tip, this);
  }
  return true;
}

void ResultsMatrix::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy)) {
    copy();
  } else if (event->key() == Qt::Key_Down) {
    select(m_selected + 1);
  } else if (event->key() == Qt::Key_Up) {
    select(m_selected - 1);
  } else {
    QWidget::keyPressEvent(event);
  }
}

void ResultsMatrix::mousePressEvent(QMouseEvent* event) {
  int top = m_theme.size(QStringLiteral("table_header"));
  for (std::size_t i = 0; i < m_matrix.rows.size(); ++i) {
    const int height = rowHeight(m_matrix.rows[i], width());
    if (event->pos().y() >= top && event->pos().y() < top + height) select(static_cast<int>(i));
    top += height;
  }
}

void ResultsMatrix::focusInEvent(QFocusEvent* event) {
  QWidget::focusInEvent(event);
  if (m_selected < 0) select(0);
}

}  // namespace attnscope::ui
