// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/AttnscopeStyle.h"

namespace attnscope::ui {

AttnscopeStyle::AttnscopeStyle() : QProxyStyle(QStringLiteral("Fusion")) {}

int AttnscopeStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                              QStyleHintReturn* returned) const {
  if (hint == SH_UnderlineShortcut) return 0;
  if (hint == SH_Menu_SupportsSections) return 0;
  if (hint == SH_ComboBox_Popup) return 0;
  return QProxyStyle::styleHint(hint, option, widget, returned);
}

int AttnscopeStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
  if (metric == PM_SmallIconSize || metric == PM_ButtonIconSize || metric == PM_ToolBarIconSize) return 16;
  if (metric == PM_SplitterWidth) return 1;
  return QProxyStyle::pixelMetric(metric, option, widget);
}

void AttnscopeStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                                   const QWidget* widget) const {
  if (element == PE_FrameFocusRect) return;
  QProxyStyle::drawPrimitive(element, option, painter, widget);
}

}  // namespace attnscope::ui
