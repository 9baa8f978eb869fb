// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/PeakTable.h"

#include <algorithm>

#include <QClipboard>
#include <QContextMenuEvent>
#include <QCoreApplication>
#include <QGuiApplication>
#include <QMenu>
#include <QPainter>

#include "ui/bridge/Format.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {

namespace {

enum Cell : int { kName, kMeasured, kPredicted, kShare, kTracePeak, kChange, kHolder, kCellCount };

QString words(const char* text) { return QCoreApplication::translate("attnscope::ui::PeakTable", text); }

QString bytesOrUnknown(double bytes) { return bytes > 0 ? format::bytes(bytes) : format::unknown(); }

PeakCells::Line lineOf(const MemoryRun& run, const MemoryRun& first) {
  PeakCells::Line line{run.runNumber, run.letter, QStringList(kCellCount, format::unknown())};
  line.texts[kName] = run.title;
  line.texts[kMeasured] = bytesOrUnknown(run.measuredBytes);
  line.texts[kPredicted] = bytesOrUnknown(run.predictedBytes);
  if (run.measuredBytes > 0 && run.predictedBytes > 0) {
    line.texts[kShare] = format::percent(run.measuredBytes / run.predictedBytes);
  }
  if (run.hasPeak) line.texts[kTracePeak] = format::bytes(run.peakBytes);
  if (run.hasPeak && first.hasPeak && &run != &first && first.peakBytes > 0) {
    line.texts[kChange] = format::signedPercent(run.peakBytes / first.peakBytes - 1);
  }
  if (!run.holder.isEmpty()) line.texts[kHolder] = run.holder;
  return line;
}

// B × H × N × M × bytes a value, one for each problem that is measured: mostly one.
void addScoreMatrices(PeakCells& cells, const MemoryRuns& runs) {
  QStringList known;
  for (const MemoryRun& run : runs) {
    if (run.scoreMatrixBytes <= 0 || known.contains(run.scoreMatrixWords)) continue;
    known << run.scoreMatrixWords;
    PeakCells::Line line{-1, {}, QStringList(kCellCount, QString())};
    line.texts[kName] =
        words(QT_TRANSLATE_NOOP("attnscope::ui::PeakTable", "Score matrix: %1 B")).arg(run.scoreMatrixWords);
    line.texts[kPredicted] = format::bytes(run.scoreMatrixBytes);
    cells.lines.push_back(std::move(line));
  }
}

void dropEmptyColumns(PeakCells& cells) {
  for (int column = kCellCount - 1; column > kName; --column) {
    const bool isEmpty = std::all_of(cells.lines.begin(), cells.lines.end(), [column](const PeakCells::Line& line) {
      return line.texts[column].isEmpty() || line.texts[column] == format::unknown();
    });
    if (!isEmpty) continue;
    cells.heads.removeAt(column);
    if (column < cells.numbersUntil) --cells.numbersUntil;
    for (PeakCells::Line& line : cells.lines) line.texts.removeAt(column);
  }
}

}  // namespace

PeakCells peakCells(const MemoryRuns& runs) {
  PeakCells cells;
  if (runs.empty()) return cells;
  cells.heads = {words(QT_TRANSLATE_NOOP("attnscope::ui::PeakTable", "Run")),
                 words(QT_TRANSLATE_NOOP("attnscope::ui::PeakTable", "One call")),
                 words(QT_TRANSLATE_NOOP("attnscope::ui::PeakTable", "Predicted")),
                 words(QT_TRANSLATE_NOOP("attnscope::ui::PeakTable", "of it")),
                 words(QT_TRANSLATE_NOOP("attnscope::ui::PeakTable", "Peak in trace")),
                 words(QT_TRANSLATE_NOOP("attnscope::ui::PeakTable", "vs %1")).arg(runs.front().letter),
                 words(QT_TRANSLATE_NOOP("attnscope::ui::PeakTable", "Held then"))};
  cells.numbersUntil = kHolder;
  for (const MemoryRun& run : runs) cells.lines.push_back(lineOf(run, runs.front()));
  addScoreMatrices(cells, runs);
  dropEmptyColumns(cells);
  return cells;
}

PeakTable::PeakTable(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  connect(&theme, &Theme::changed, this, [this] {
    updateGeometry();
    update();
  });
}

void PeakTable::setRuns(const MemoryRuns& runs) {
  m_cells = peakCells(runs);
  setAccessibleName(tr("Peaks of memory"));
  setAccessibleDescription(asText());
  updateGeometry();
  update();
}

QString PeakTable::asText() const {
  QString text = m_cells.heads.join(u'\t') + u'\n';
  for (const PeakCells::Line& line : m_cells.lines) {
    text += (line.letter.isEmpty() ? QString() : line.letter + u' ') + line.texts.join(u'\t') + u'\n';
  }
  return text;
}

QSize PeakTable::sizeHint() const {
  const int lines = m_cells.lines.empty() ? 0 : static_cast<int>(m_cells.lines.size()) + 1;
  return {m_theme.scaled(240), lines * m_theme.scaled(20) + (lines > 0 ? m_theme.scaled(4) : 0)};
}

std::vector<int> PeakTable::columnWidths() const {
  const QFontMetrics metrics(m_theme.font(FontRole::kData));
  const int gap = m_theme.scaled(16);
  std::vector<int> widths{m_theme.scaled(150)};
  int used = widths.front() + m_theme.scaled(24);
  for (int column = 1; column < m_cells.heads.size(); ++column) {
    int needed = metrics.horizontalAdvance(m_cells.heads[column]);
    for (const PeakCells::Line& line : m_cells.lines) {
      needed = std::max(needed, metrics.horizontalAdvance(line.texts[column]));
    }
    needed += gap;
    if (used + needed > width()) break;
    widths.push_back(needed);
    used += needed;
  }
  widths.front() += std::max(0, width() - used);
  return widths;
}

void PeakTable::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), m_theme.colour(QStringLiteral("surface.pane")));
  if (m_cells.lines.empty()) return;
  const std::vector<int> widths = columnWidths();
  const int height = m_theme.scaled(20);
  painter.fillRect(QRect(0, 0, width(), 1), m_theme.colour(QStringLiteral("border.hairline")));
  paintLine(painter, 1, {-1, {}, m_cells.heads}, widths);
  int top = 1 + height;
  for (const PeakCells::Line& line : m_cells.lines) {
    painter.fillRect(QRect(0, top, width(), 1), m_theme.colour(QStringLiteral("border.hairline")));
    paintLine(painter, top, line, widths);
    top += height;
  }
}

void PeakTable::paintLine(QPainter& painter, int top, const PeakCells::Line& line,
                          const std::vector<int>& widths) const {
  const bool isHead = line.texts == m_cells.heads;
  const QFont font = m_theme.font(isHead ? FontRole::kCaption : FontRole::kData);
  const QFontMetrics metrics(font);
  const int height = m_theme.scaled(20);
  const int gap = m_theme.scaled(16);
  int x = m_theme.scaled(12);
  painter.setFont(font);
  painter.setPen(
      m_theme.colour(isHead || line.runNumber < 0 ? QStringLiteral("text.secondary") : QStringLiteral("text.primary")));
  for (std::size_t column = 0; column < widths.size(); ++column) {
    int left = x;
    const QString& text = line.texts[static_cast<qsizetype>(column)];
    if (column == 0) {
      if (line.runNumber >= 0) {
        const int chip = m_theme.chipSize();
        m_theme.drawChip(painter, QPointF(left, top + (height - chip) / 2), line.runNumber, line.letter);
        left += chip + m_theme.scaled(6);
      }
      int room = x + widths[0] - left;
      // Words of no run take the room of the cells that they leave empty.
      for (std::size_t next = 1; next < widths.size() && line.texts[static_cast<qsizetype>(next)].isEmpty(); ++next) {
        room += widths[next];
      }
      painter.drawText(QRect(left, top, room, height), Qt::AlignVCenter | Qt::AlignLeft,
                       metrics.elidedText(text, Qt::ElideRight, room));
    } else if (isHead || static_cast<int>(column) >= m_cells.numbersUntil) {
      painter.drawText(QRect(left + gap, top, widths[column] - gap, height), Qt::AlignVCenter | Qt::AlignRight, text);
    } else {
      m_theme.drawNumber(painter, QRectF(left + gap, top, widths[column] - gap, height), text,
                         Qt::AlignRight | Qt::AlignVCenter);
    }
    x += widths[column];
  }
}

void PeakTable::contextMenuEvent(QContextMenuEvent* event) {
  QMenu menu(this);
  menu.addAction(tr("Copy the peaks"), this, [this] { QGuiApplication::clipboard()->setText(asText()); });
  menu.exec(event->globalPos());
}

}  // namespace attnscope::ui
