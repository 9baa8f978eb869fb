// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lab/DotPlot.h"

#include <algorithm>
#include <cmath>

#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QMenu>
#include <QPainter>

#include "core/session/Statistics.h"
#include "ui/lab/Choice.h"
#include "ui/lab/DotPlotGeometry.h"

namespace attnscope::ui {

namespace {

constexpr int kLeft = 52;  // room for the chip
constexpr int kRight = 32;
constexpr int kAxis = 24;
constexpr int kTallestRow = 52;
constexpr int kLeastRow = 26;
constexpr int kTickApart = 80;

}  // namespace

std::vector<DotRow> dotRowsOf(const RunResult& result, const QStringList& words) {
  std::vector<DotRow> rows;
  for (std::size_t i = 0; i < result.implementations.size(); ++i) {
    const ImplementationResult& implementation = result.implementations[i];
    DotRow row;
    row.letter = labLetter(static_cast<int>(i));
    row.words = words.value(static_cast<qsizetype>(i));
    const bool isWrong = implementation.error && !implementation.error->passed();
    for (const Sample& sample : implementation.samples) {
      if (isWrong) break;
      row.rounds.push_back(sample.round);
      row.ns.push_back(sample.perCallNs(result.plan.metric()));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

DotPlot::DotPlot(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  setAccessibleName(tr("Timed samples"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  connect(&m_theme, &Theme::changed, this, [this] {
    updateGeometry();
    update();
  });
}

void DotPlot::setRows(std::vector<DotRow> rows) {
  m_rows = std::move(rows);
  updateGeometry();
  refresh();
}

void DotPlot::append(std::size_t row, int round, double ns) {
  if (row >= m_rows.size()) return;
  m_rows[row].rounds.push_back(round);
  m_rows[row].ns.push_back(ns);
  update();  // texts and unit follow with the next setRows()
}

void DotPlot::refresh() {
  const format::TimeUnit before = m_unit;
  m_unit = unit();
  QStringList texts;
  for (const DotRow& row : m_rows) {
    texts
        << (row.ns.empty()
                ? tr("%1: %2").arg(row.letter, row.words)
                : tr("%1: median %2 of %3 samples").arg(row.letter, format::time(medianOf(row.ns))).arg(row.ns.size()));
  }
  setAccessibleDescription(texts.join(u'\n'));
  if (before != m_unit) Q_EMIT unitChanged();
  update();
}

double DotPlot::limitNs() const {
  std::vector<std::vector<double>> values;
  values.reserve(m_rows.size());
  for (const DotRow& row : m_rows) values.push_back(row.ns);
  return dotLimit(values) * 1.04;  // the last dots are not cut by the end
}

format::TimeUnit DotPlot::unit() const {
  const double limit = limitNs();
  return limit > 0 ? format::unitFor(static_cast<std::int64_t>(limit)) : format::TimeUnit::kUs;
}

QString DotPlot::dataText() const {
  QString text = tr("letter\tround\tns per call") + u'\n';
  for (const DotRow& row : m_rows) {
    for (std::size_t i = 0; i < row.ns.size(); ++i) {
      text += QStringLiteral("%1\t%2\t%3\n").arg(row.letter).arg(row.rounds[i]).arg(row.ns[i], 0, 'f', 1);
    }
  }
  return text;
}

QSize DotPlot::sizeHint() const {
  return {m_theme.scaled(500), static_cast<int>(m_rows.size()) * m_theme.scaled(kTallestRow) + m_theme.scaled(kAxis)};
}

QSize DotPlot::minimumSizeHint() const {
  const int rows = std::max<int>(static_cast<int>(m_rows.size()), 1);
  return {m_theme.scaled(280), rows * m_theme.scaled(kLeastRow) + m_theme.scaled(kAxis)};
}

void DotPlot::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.fillRect(rect(), m_theme.colour(QStringLiteral("surface.pane")));
  if (m_rows.empty()) return;
  const int left = m_theme.scaled(kLeft);
  const double wide = std::max(width() - left - m_theme.scaled(kRight), 20);
  const double room = height() - m_theme.scaled(kAxis);
  const double each =
      std::min<double>(std::floor(room / static_cast<double>(m_rows.size())), m_theme.scaled(kTallestRow));
  const double bottom = each * static_cast<double>(m_rows.size());
  const DotAxis axis = dotAxisFor(limitNs(), wide, m_theme.scaled(kTickApart));
  const bool hasDots = limitNs() > 0;

  const QColor grid = m_theme.colour(QStringLiteral("chart.grid"));
  for (std::size_t i = 0; i < m_rows.size(); ++i) {
    painter.fillRect(QRectF(left, each * static_cast<double>(i + 1) - 1, wide, 1), grid);
  }
  painter.setFont(m_theme.font(FontRole::kCaption));
  const int ticks = hasDots ? static_cast<int>(std::lround(axis.endNs / axis.stepNs)) : 0;
  for (int tick = 0; tick <= ticks && hasDots; ++tick) {
    const double ns = tick * axis.stepNs;
    const double x = std::round(dotX(axis, ns, left, wide));
    if (tick > 0) painter.fillRect(QRectF(x, 0, 1, bottom), grid);
    QString label = format::timeIn(ns, axis.unit, axis.decimals);
    if (tick == ticks) label += u' ' + format::unitName(axis.unit);
    const double labelWidth = m_theme.numberWidth(painter.font(), label);
    const double labelLeft = std::min(x - labelWidth / 2, width() - labelWidth - 2);
    painter.setPen(m_theme.colour(QStringLiteral("chart.label")));
    m_theme.drawNumber(painter, QRectF(labelLeft, bottom + m_theme.scaled(4), labelWidth, m_theme.scaled(14)), label,
                       Qt::AlignLeft);
  }
  const QColor line = m_theme.colour(QStringLiteral("chart.axis"));
  painter.fillRect(QRectF(left, 0, 1, bottom), line);
  painter.fillRect(QRectF(left, bottom - 1, wide, 1), line);
  for (std::size_t i = 0; i < m_rows.size(); ++i) {
    paintRow(painter, i, QRectF(left, each * static_cast<double>(i), wide, each), axis);
  }
}

void DotPlot::paintRow(QPainter& painter, std::size_t number, const QRectF& area, const DotAxis& axis) const {
  const DotRow& row = m_rows[number];
  const double middle = area.center().y();
  const int chip = m_theme.chipSize();
  // A row without a dot yet has its chip faint.
  painter.setOpacity(row.ns.empty() ? 0.4 : 1.0);
  m_theme.drawChip(painter, QPointF(m_theme.scaled(24), std::round(middle - chip / 2.0)), static_cast<int>(number),
                   row.letter);
  painter.setOpacity(1.0);
  painter.setFont(m_theme.font(FontRole::kData));
  if (row.ns.empty()) {
    painter.setPen(m_theme.colour(QStringLiteral("text.tertiary")));
    painter.drawText(QRectF(area.left() + m_theme.scaled(10), area.top(), area.width(), area.height()),
                     Qt::AlignLeft | Qt::AlignVCenter, row.words);
    return;
  }
  const QColor ink = m_theme.run(static_cast<int>(number));
  const double spread = std::min(area.height() * 0.18, m_theme.scaled(8) * 1.0);
  painter.setRenderHint(QPainter::Antialiasing);
  QColor dot = ink;
  dot.setAlphaF(0.55F);
  painter.setPen(Qt::NoPen);
  painter.setBrush(dot);
  double last = area.left();
  int beyond = 0;
  const double radius = m_theme.scaled(4) / 2.0;
  for (std::size_t i = 0; i < row.ns.size(); ++i) {
    const double x = dotX(axis, row.ns[i], area.left(), area.width());
    if (x > area.right()) {
      ++beyond;
      continue;
    }
    painter.drawEllipse(QPointF(x, middle + dotOffset(row.rounds[i]) * spread), radius, radius);
    last = std::max(last, x);
  }
  if (beyond > 0) {
    const double tip = area.right() + m_theme.scaled(6);
    const double half = m_theme.scaled(4);
    painter.drawPolygon(
        QPolygonF{{QPointF(tip, middle), QPointF(tip - half, middle - half), QPointF(tip - half, middle + half)}});
  }
  painter.setRenderHint(QPainter::Antialiasing, false);

  const TimeStatistics statistics = statisticsOf(row.ns);
  if (statistics.lowNs && statistics.highNs) {
    const double low = dotX(axis, *statistics.lowNs, area.left(), area.width());
    const double high = dotX(axis, *statistics.highNs, area.left(), area.width());
    const double y = std::round(middle + spread + m_theme.scaled(6));
    painter.fillRect(QRectF(low, y, std::max(high - low, 2.0), 3), ink);
  }
  const double median = std::round(dotX(axis, statistics.medianNs, area.left(), area.width()));
  painter.fillRect(QRectF(median - 1, middle - spread - m_theme.scaled(3), 2, 2 * spread + m_theme.scaled(6)), ink);

  const QString label = format::timeIn(statistics.medianNs, axis.unit);
  const double labelWidth = m_theme.numberWidth(painter.font(), label);
  double x = last + m_theme.scaled(8);
  if (x + labelWidth > width() - m_theme.scaled(8)) {
    // No room behind the last dot: before the first.
    const double least = dotX(axis, statistics.leastNs, area.left(), area.width());
    x = least - m_theme.scaled(8) - labelWidth;
  }
  painter.setPen(m_theme.colour(QStringLiteral("text.primary")));
  m_theme.drawNumber(painter, QRectF(x, middle - m_theme.scaled(8), labelWidth, m_theme.scaled(16)), label,
                     Qt::AlignLeft);
  if (beyond > 0) {
    painter.setFont(m_theme.font(FontRole::kCaption));
    painter.setPen(m_theme.colour(QStringLiteral("text.tertiary")));
    painter.drawText(QRectF(area.right() - m_theme.scaled(80), area.top() + 1, m_theme.scaled(80), m_theme.scaled(14)),
                     Qt::AlignRight, tr("%1 beyond").arg(beyond));
  }
}

void DotPlot::contextMenuEvent(QContextMenuEvent* event) {
  QMenu menu(this);
  connect(menu.addAction(tr("Copy data")), &QAction::triggered, this,
          [this] { QGuiApplication::clipboard()->setText(dataText()); });
  menu.exec(event->globalPos());
}

}  // namespace attnscope::ui
