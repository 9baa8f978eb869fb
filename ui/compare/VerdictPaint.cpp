// SPDX-License-Identifier: GPL-3.0-or-later

// How the strip is drawn: the sentence with its figure in the difference's colour, the note, the figures.

#include <algorithm>
#include <cmath>

#include <QPainter>

#include "ui/compare/BadgeButton.h"
#include "ui/compare/VerdictStrip.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {
namespace {

constexpr int kInset = 16;
constexpr int kChip = 13;

QFont sentenceFont(const Theme& theme, bool oneLine) {
  return oneLine ? theme.font(FontRole::kTitle, QFont::DemiBold) : theme.font(FontRole::kVerdict, QFont::DemiBold);
}

// "601 → 185 MiB", or with three runs "601, 185, 345 MiB".
QString joined(const VerdictFigure& figure) {
  QStringList numbers;
  for (const VerdictFigure::Value& value : figure.values) numbers << value.number;
  const QString text = numbers.join(numbers.size() == 2 ? QStringLiteral(" → ") : QStringLiteral(", "));
  return figure.unit.isEmpty() ? text : text + QLatin1Char(' ') + figure.unit;
}

// Only a chip and a change: how a run of several stands against the baseline.
bool isChipOnly(const VerdictFigure& figure) { return figure.values.size() == 1 && figure.values[0].text.isEmpty(); }

QString valuesInLine(const VerdictFigure& figure) {
  return figure.values.size() == 1 ? figure.values.front().text : joined(figure);
}

}  // namespace

QColor VerdictStrip::toneInk(VerdictTone tone, const QString& plain) const {
  switch (tone) {
    case VerdictTone::kFaster:
      return m_theme.colour(QStringLiteral("delta.faster"));
    case VerdictTone::kSlower:
      return m_theme.colour(QStringLiteral("delta.slower"));
    case VerdictTone::kPlain:
      break;
  }
  return m_theme.colour(plain);
}

int VerdictStrip::sentenceWidth() const {
  const int sentence = static_cast<int>(
      std::ceil(QFontMetricsF(sentenceFont(m_theme, isOneLine())).horizontalAdvance(m_verdict.sentenceText())));
  const int sign = m_verdict.noteSign == VerdictSign::kNone ? 0 : m_theme.scaled(14 + 5);
  const int note = m_verdict.note.isEmpty()
                       ? 0
                       : sign + static_cast<int>(std::ceil(
                                    QFontMetricsF(m_theme.font(FontRole::kData)).horizontalAdvance(m_verdict.note)));
  if (!isOneLine()) return std::max(sentence, note);
  return sentence + (note > 0 ? note + m_theme.scaled(16) : 0);
}

int VerdictStrip::figureWidth(const VerdictFigure& figure) const {
  const QFontMetricsF metrics(m_theme.font(FontRole::kData));
  const double chip = m_theme.scaled(kChip + 6);
  const double gap = m_theme.scaled(8);
  const double title = metrics.horizontalAdvance(figure.title);
  const double change = figure.change.isEmpty() ? 0 : metrics.horizontalAdvance(figure.change) + gap;
  double width = 0;
  if (isChipOnly(figure)) {
    width = std::max(chip + metrics.horizontalAdvance(figure.change), isOneLine() ? 0 : title);
  } else if (isOneLine()) {
    width = title + gap + metrics.horizontalAdvance(valuesInLine(figure)) + change;
  } else if (figure.values.size() > 2) {
    width = std::max(title, metrics.horizontalAdvance(joined(figure)));
  } else {
    double values = 0;
    for (const VerdictFigure::Value& value : figure.values)
      values = std::max(values, metrics.horizontalAdvance(value.text));
    width = std::max(title, chip + values + change);
  }
  return static_cast<int>(std::ceil(width)) + 2;
}

int VerdictStrip::paintSentence(QPainter& painter, int x) const {
  const QFont font = sentenceFont(m_theme, isOneLine());
  const bool hasNote = !m_verdict.note.isEmpty();
  const int line = isOneLine() ? height() : m_theme.scaled(24);
  const int top = isOneLine() ? 0 : hasNote ? m_theme.scaled(10) : (height() - line) / 2;
  const int right = m_badge->isVisible() ? m_badge->x() - m_theme.scaled(12) : width() - m_theme.scaled(kInset);
  painter.setFont(font);
  const QFontMetricsF metrics(font);
  double at = x;
  for (const SentencePart& part : m_verdict.sentence) {
    painter.setPen(toneInk(part.tone, QStringLiteral("text.primary")));
    const QString text =
        painter.fontMetrics().elidedText(part.text, Qt::ElideRight, std::max(0, right - static_cast<int>(at)));
    painter.drawText(QRectF(at, top, right - at, line), Qt::AlignVCenter | Qt::AlignLeft, text);
    at += metrics.horizontalAdvance(part.text);
  }
  if (!hasNote) return static_cast<int>(at);
  double noteX = isOneLine() ? at + m_theme.scaled(16) : x;
  const int noteTop = isOneLine() ? 0 : m_theme.scaled(36);
  const int noteLine = isOneLine() ? height() : m_theme.scaled(16);
  if (m_verdict.noteSign != VerdictSign::kNone) {
    const int icon = m_theme.scaled(14);
    if (noteX + icon < right) {
      painter.drawPixmap(QPointF(noteX, noteTop + (noteLine - icon) / 2.0),
                         m_theme.iconPixmap(signIcon(m_verdict.noteSign), icon, signInk(m_theme, m_verdict.noteSign),
                                            devicePixelRatioF()));
    }
    noteX += icon + m_theme.scaled(5);
  }
  painter.setFont(m_theme.font(FontRole::kData));
  painter.setPen(m_theme.colour(QStringLiteral("text.secondary")));
  const int room = std::max(0, right - static_cast<int>(noteX));
  painter.drawText(QRectF(noteX, noteTop, room, noteLine), Qt::AlignVCenter | Qt::AlignLeft,
                   painter.fontMetrics().elidedText(m_verdict.note, Qt::ElideRight, room));
  return static_cast<int>(noteX);
}

void VerdictStrip::paintFigureInLine(QPainter& painter, const VerdictFigure& figure, int x) const {
  const QFontMetricsF metrics(m_theme.font(FontRole::kData));
  painter.setFont(m_theme.font(FontRole::kData));
  double at = x;
  const auto put = [&](const QString& text, const QColor& ink) {
    painter.setPen(ink);
    painter.drawText(QRectF(at, 0, metrics.horizontalAdvance(text) + 2, height()), Qt::AlignVCenter | Qt::AlignLeft,
                     text);
    at += metrics.horizontalAdvance(text) + m_theme.scaled(8);
  };
  if (isChipOnly(figure)) {
    const double scale = static_cast<double>(m_theme.scaled(kChip)) / m_theme.chipSize();
    painter.save();
    painter.translate(at, (height() - m_theme.scaled(kChip)) / 2.0);
    painter.scale(scale, scale);
    m_theme.drawChip(painter, {0, 0}, figure.values[0].runNumber, figure.values[0].letter);
    painter.restore();
    at += m_theme.scaled(kChip + 6);
  } else {
    put(figure.title, m_theme.colour(QStringLiteral("text.secondary")));
    put(valuesInLine(figure), m_theme.colour(QStringLiteral("text.primary")));
  }
  if (!figure.change.isEmpty()) put(figure.change, toneInk(figure.tone, QStringLiteral("delta.neutral")));
}

void VerdictStrip::paintFigure(QPainter& painter, const VerdictFigure& figure, int x) const {
  if (isOneLine()) {
    paintFigureInLine(painter, figure, x);
    return;
  }
  const QFont font = m_theme.font(FontRole::kData);
  const QFontMetricsF metrics(font);
  const int line = m_theme.scaled(17);
  const bool twoLines = figure.values.size() > 2 || isChipOnly(figure);
  const int lines = twoLines ? 2 : static_cast<int>(figure.values.size()) + 1;
  int y = (height() - lines * line) / 2;
  painter.setFont(font);
  painter.setPen(m_theme.colour(QStringLiteral("text.secondary")));
  painter.drawText(QRectF(x, y, metrics.horizontalAdvance(figure.title) + 2, line), Qt::AlignVCenter, figure.title);
  y += line;
  if (figure.values.size() > 2) {
    painter.setPen(m_theme.colour(QStringLiteral("text.primary")));
    painter.drawText(QRectF(x, y, width(), line), Qt::AlignVCenter | Qt::AlignLeft, joined(figure));
    return;
  }
  double valueWidth = 0;
  for (const VerdictFigure::Value& value : figure.values) {
    valueWidth = std::max(valueWidth, metrics.horizontalAdvance(value.text));
  }
  for (std::size_t i = 0; i < figure.values.size(); ++i) {
    const VerdictFigure::Value& value = figure.values[i];
    const int chip = m_theme.scaled(kChip);
    const double scale = static_cast<double>(chip) / m_theme.chipSize();
    painter.save();
    painter.translate(x, y + (line - chip) / 2.0);
    painter.scale(scale, scale);
    m_theme.drawChip(painter, {0, 0}, value.runNumber, value.letter);
    painter.restore();
    const double at = x + m_theme.scaled(kChip + 6);
    painter.setFont(font);
    painter.setPen(m_theme.colour(QStringLiteral("text.primary")));
    painter.drawText(QRectF(at, y, valueWidth + 2, line), Qt::AlignVCenter | Qt::AlignLeft, value.text);
    if (i + 1 == figure.values.size() && !figure.change.isEmpty()) {
      painter.setPen(toneInk(figure.tone, QStringLiteral("delta.neutral")));
      const double changeX = value.text.isEmpty() ? at : at + valueWidth + m_theme.scaled(8);
      painter.drawText(QRectF(changeX, y, metrics.horizontalAdvance(figure.change) + 2, line),
                       Qt::AlignVCenter | Qt::AlignLeft, figure.change);
    }
    y += line;
  }
}

void VerdictStrip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), m_theme.colour(QStringLiteral("surface.panel")));
  const QColor hairline = m_theme.colour(QStringLiteral("border.hairline"));
  painter.fillRect(QRect(0, height() - 1, width(), 1), hairline);
  const int inset = m_theme.scaled(kInset);
  paintSentence(painter, inset);
  if (m_shownFigures == 0) return;
  const int gap = m_theme.scaled(24);
  int x = inset + sentenceWidth() + gap;
  painter.fillRect(QRect(x - gap / 2, m_theme.scaled(12), 1, height() - 2 * m_theme.scaled(12)), hairline);
  for (int i = 0; i < m_shownFigures; ++i) {
    const VerdictFigure& figure = m_verdict.figures[static_cast<std::size_t>(i)];
    paintFigure(painter, figure, x);
    x += figureWidth(figure) + gap;
  }
}

}  // namespace attnscope::ui
