// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/MemoryHeading.h"

#include <algorithm>

#include <QPainter>

#include "ui/theme/Theme.h"

namespace attnscope::ui {

MemoryHeading::MemoryHeading(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void MemoryHeading::setEntries(std::vector<Entry> entries, const QString& words, const QString& brief) {
  if (entries == m_entries && words == m_words && brief == m_brief) return;
  m_entries = std::move(entries);
  m_words = words;
  m_brief = brief;
  QStringList names;
  for (const Entry& entry : m_entries) names << entry.letter + QLatin1Char(' ') + entry.title;
  setAccessibleName(names.join(QStringLiteral(", ")) + QStringLiteral(": ") + words);
  update();
}

QSize MemoryHeading::sizeHint() const { return {m_theme.scaled(240), m_theme.size(QStringLiteral("table_header"))}; }

void MemoryHeading::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), m_theme.colour(QStringLiteral("surface.pane")));
  const QFont plain = m_theme.font(FontRole::kData);
  const QFontMetrics metrics(plain);
  const int chip = m_theme.chipSize();
  const int gap = m_theme.scaled(6);
  int x = m_theme.scaled(12);
  const int right = width() - m_theme.scaled(12);
  // Names share the room that the brief words leave: that allocation is host time is always said.
  const QFont caption = m_theme.font(FontRole::kCaption);
  const int briefWidth = QFontMetrics(caption).horizontalAdvance(m_brief);
  const int each = m_entries.empty() ? 0 : (right - x - briefWidth) / static_cast<int>(m_entries.size());
  painter.setFont(plain);
  for (const Entry& entry : m_entries) {
    m_theme.drawChip(painter, QPointF(x, (height() - chip) / 2), entry.runNumber, entry.letter);
    x += chip + gap;
    const int valueWidth = entry.value.isEmpty() ? 0 : metrics.horizontalAdvance(entry.value) + gap;
    const QString title =
        metrics.elidedText(entry.title, Qt::ElideMiddle, std::max(0, each - chip - 3 * gap - valueWidth));
    painter.setPen(m_theme.colour(QStringLiteral("text.primary")));
    painter.drawText(QRect(x, 0, right - x, height()), Qt::AlignVCenter, title);
    x += metrics.horizontalAdvance(title) + gap;
    if (!entry.value.isEmpty()) {
      painter.setPen(m_theme.colour(QStringLiteral("text.secondary")));
      painter.drawText(QRect(x, 0, right - x, height()), Qt::AlignVCenter, entry.value);
      x += valueWidth;
    }
    x += gap;
  }
  painter.setFont(caption);
  painter.setPen(m_theme.colour(QStringLiteral("text.tertiary")));
  const bool fits = QFontMetrics(caption).horizontalAdvance(m_words) <= right - x;
  painter.drawText(QRect(x, 0, right - x, height()), Qt::AlignVCenter, fits ? m_words : m_brief);
}

}  // namespace attnscope::ui
