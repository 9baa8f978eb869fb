// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/PageSwitch.h"

#include <QAction>
#include <QHBoxLayout>
#include <QToolButton>

#include "ui/theme/Surface.h"

namespace attnscope::ui {

PageSwitch::PageSwitch(const Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_row(new QHBoxLayout(this)) {
  setObjectName(QStringLiteral("segment"));  // the sheet's rule
  setAttribute(Qt::WA_StyledBackground);
  setAccessibleName(tr("Page"));
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  scaleLayout(m_theme, m_row, {2, 2, 2, 2}, 2);
  connect(&m_theme, &Theme::changed, this, &PageSwitch::applyTheme);
}

void PageSwitch::addPage(QAction* action, const QString& icon) {
  auto* button = new QToolButton(this);
  button->setText(action->text());
  button->setAccessibleName(tr("Page: %1").arg(action->text()));
  const QString keys = action->shortcut().toString(QKeySequence::NativeText);
  button->setToolTip(QStringLiteral("%1 (%2)").arg(action->text(), keys));
  button->setFocusPolicy(Qt::TabFocus);
  button->setCheckable(true);
  button->setChecked(action->isChecked());
  connect(action, &QAction::toggled, button, &QToolButton::setChecked);
  // A click sets the button's own state before the action has decided on it.
  connect(button, &QToolButton::clicked, action, [button, action] {
    action->trigger();
    button->setChecked(action->isChecked());
  });
  m_row->addWidget(button);
  m_pages.push_back({action, icon, button});
  applyTheme();
}

void PageSwitch::setCompact(bool isCompact) {
  m_isCompact = isCompact;
  applyTheme();
}

void PageSwitch::applyTheme() {
  const int side = m_theme.scaled(14);
  for (const Page& page : m_pages) {
    QIcon icon;
    icon.addPixmap(
        m_theme.iconPixmap(page.icon, side, m_theme.colour(QStringLiteral("text.secondary")), devicePixelRatioF()),
        QIcon::Normal, QIcon::Off);
    icon.addPixmap(
        m_theme.iconPixmap(page.icon, side, m_theme.colour(QStringLiteral("text.primary")), devicePixelRatioF()),
        QIcon::Normal, QIcon::On);
    page.button->setToolButtonStyle(m_isCompact ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
    page.button->setIcon(icon);
    page.button->setIconSize(QSize(side, side));
    page.button->setFixedHeight(m_theme.scaled(24));
  }
}

}  // namespace attnscope::ui
