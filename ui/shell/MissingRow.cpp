// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/MissingRow.h"

#include <algorithm>

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>

#include "core/problem/Cards.h"
#include "ui/lab/LabFigures.h"
#include "ui/theme/TextLabel.h"

namespace attnscope::ui {

namespace {

constexpr int kPad = 8;
constexpr int kLine = 16;

}  // namespace

MissingWords missingWords(const WithoutTrace& missing) {
  const ImplementationResult& result = missing.measurement->implementations[missing.position];
  const Card* card = findCard(result.id);
  MissingWords words;
  words.letter = QString::fromStdString(letterOf(static_cast<std::size_t>(missing.number)));
  words.title = QString::fromStdString(card ? std::string(card->title) : result.id);
  words.sentence = sentenceOf(result);
  words.isFailure = result.failure.has_value();
  if (words.sentence.isEmpty()) {
    words.sentence =
        QCoreApplication::translate("attnscope::ui::MissingRow", "It was not profiled: it has times and no trace.");
  }
  return words;
}

MissingRow::MissingRow(const WithoutTrace& missing, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_number(missing.number), m_words(missingWords(missing)) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAccessibleName(tr("%1, %2: %3").arg(m_words.letter, m_words.title, m_words.sentence));
  setToolTip(m_words.sentence);
  connect(&m_theme, &Theme::changed, this, [this] {
    updateGeometry();
    update();
  });
}

int MissingRow::textLeft() const { return m_theme.scaled(12) + m_theme.chipSize() + m_theme.scaled(6); }

int MissingRow::sentenceHeight() const {
  const int room = std::max(width(), m_theme.scaled(200)) - textLeft() - m_theme.scaled(10);
  return wrappedHeight(m_theme.font(FontRole::kData), m_words.sentence, room, m_theme.scaled(kLine));
}

QSize MissingRow::sizeHint() const {
  return {m_theme.size(QStringLiteral("sidebar")), m_theme.scaled(kPad + 18 + 2 + kPad) + sentenceHeight()};
}

void MissingRow::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  updateGeometry();
}

void MissingRow::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.fillRect(0, height() - 1, width(), 1, m_theme.colour(QStringLiteral("border.hairline")));
  const int pad = m_theme.scaled(kPad);
  painter.setOpacity(0.45);
  m_theme.drawChip(painter, QPointF(m_theme.scaled(12), pad + m_theme.scaled(1)), m_number, m_words.letter);
  painter.setOpacity(1);
  const int left = textLeft();
  const int right = width() - m_theme.scaled(10);
  const int icon = m_theme.scaled(14);
  const QFont title = m_theme.font(FontRole::kUi, QFont::DemiBold);
  painter.setFont(title);
  painter.setPen(m_theme.colour(QStringLiteral("text.tertiary")));
  const double room = right - left - icon - m_theme.scaled(6);
  painter.drawText(QRectF(left, pad, room, m_theme.scaled(18)), Qt::AlignLeft | Qt::AlignVCenter,
                   QFontMetricsF(title).elidedText(m_words.title, Qt::ElideMiddle, room));
  painter.drawPixmap(QPointF(right - icon, pad + m_theme.scaled(2)),
                     m_theme.iconPixmap(m_words.isFailure ? QStringLiteral("problem") : QStringLiteral("refused"), icon,
                                        m_theme.colour(m_words.isFailure ? QStringLiteral("severity.problem")
                                                                         : QStringLiteral("severity.warning")),
                                        devicePixelRatioF()));
  painter.setFont(m_theme.font(FontRole::kData));
  painter.setPen(m_theme.colour(QStringLiteral("text.secondary")));
  const double top = pad + m_theme.scaled(20);
  drawWrapped(painter, QRectF(left, top, right - left, height() - top - m_theme.scaled(4)), m_words.sentence,
              Qt::AlignLeft);
}

}  // namespace attnscope::ui
