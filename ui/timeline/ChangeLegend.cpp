// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/ChangeLegend.h"

#include <QFontMetricsF>
#include <QPainter>

#include "core/compare/ChangeClasses.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {
namespace {

constexpr int kSwatch = 14;

struct Words {
  QString faster = ChangeLegend::tr("faster by a third");
  QString slower = ChangeLegend::tr("slower by half");
  QString alone = ChangeLegend::tr("one side alone");
};

}  // namespace

ChangeLegend::ChangeLegend(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  setAccessibleName(tr("Colours by difference: blue took less time, orange more, outlined is one side alone"));
  setToolTip(tr("Ratio to the baseline: under 1/1.5, 1/1.2, 1/1.02, the same, over 1.02, 1.2, 1.5"));
  connect(&theme, &Theme::changed, this, [this] {
    updateGeometry();
    update();
  });
}

QSize ChangeLegend::sizeHint() const {
  const QFontMetricsF metrics(m_theme.font(FontRole::kCaption));
  const Words words;
  const double text = metrics.horizontalAdvance(words.faster + words.slower + words.alone);
  return {static_cast<int>(text) + m_theme.scaled(kSwatch * (kChangeClassCount + 4)),
          m_theme.size(QStringLiteral("control_small"))};
}

void ChangeLegend::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setFont(m_theme.font(FontRole::kCaption));
  const QFontMetricsF metrics(painter.font());
  const double side = m_theme.scaled(kSwatch);
  const double gap = m_theme.scaled(6);
  double x = 0;
  const auto say = [&](const QString& text) {
    painter.setPen(m_theme.colour(QStringLiteral("text.secondary")));
    const double width = metrics.horizontalAdvance(text);
    painter.drawText(QRectF(x, 0, width + 1, height()), Qt::AlignVCenter | Qt::AlignLeft, text);
    x += width + gap;
  };
  const auto swatch = [&](const QColor& fill, const QColor& edge) {
    const QRectF box(x + 0.5, (height() - side) / 2 + 0.5, side - 1, side - 1);
    painter.fillRect(box, fill);
    painter.setPen(edge);
    painter.drawRect(box);
    x += side;
  };
  const Words words;
  say(words.faster);
  for (int step = 0; step < kChangeSteps; ++step) {
    swatch(m_theme.deltaStep(step), m_theme.colour(QStringLiteral("border.control")));
  }
  x += gap;
  say(words.slower);
  x += gap;
  swatch(m_theme.colour(QStringLiteral("surface.pane")), m_theme.colour(QStringLiteral("text.primary")));
  x += gap;
  say(words.alone);
}

}  // namespace attnscope::ui
