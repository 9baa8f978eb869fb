// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Fusion with what the window's look needs changed: no underlined shortcuts, no dotted focus frame (the sheet draws
// a ring), small icons of 16 px, splitters of 1 px. GUI thread.

#include <QProxyStyle>

namespace attnscope::ui {

class AttnscopeStyle : public QProxyStyle {
  Q_OBJECT

 public:
  AttnscopeStyle();

  int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                QStyleHintReturn* returned) const override;
  int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
};

}  // namespace attnscope::ui
