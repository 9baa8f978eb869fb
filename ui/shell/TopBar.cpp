// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/TopBar.h"

#include <QAction>
#include <QHBoxLayout>
#include <QMenuBar>

#include "ui/shell/FindField.h"
#include "ui/shell/IconButton.h"

namespace attnscope::ui {

TopBar::TopBar(SliceSearch& search, const Theme& theme, QWidget* parent)
    : Surface(theme, QStringLiteral("surface.window"), Qt::BottomEdge, parent) {
  setObjectName(QStringLiteral("topBar"));
  setFixedHeight(theme.size(QStringLiteral("top_bar")));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(theme.scaled(8), 0, theme.scaled(6), 1);
  row->setSpacing(theme.scaled(4));
  m_menus = new QMenuBar(this);
  m_menus->setNativeMenuBar(false);
  m_menus->setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Fixed);
  row->addWidget(m_menus, 0, Qt::AlignVCenter);
  row->addStretch(1);
  m_find = new FindField(search, theme, this);
  m_find->setMinimumWidth(theme.scaled(160));
  m_find->setMaximumWidth(theme.scaled(340));
  row->addWidget(m_find, 2);
  row->addStretch(1);
  m_open = new IconButton(theme, QStringLiteral("open"), tr("Open traces"), this);
  m_open->setWords(tr("Open"));
  row->addWidget(m_open);
  row->addSpacing(theme.scaled(4));
  auto* line = new Surface(theme, QStringLiteral("border.hairline"), {}, this);
  line->setFixedSize(1, theme.scaled(20));
  row->addWidget(line, 0, Qt::AlignVCenter);
  row->addSpacing(theme.scaled(4));
  m_theme = new IconButton(theme, QStringLiteral("theme"), tr("Light or dark"), this);
  m_sidebar = new IconButton(theme, QStringLiteral("sidebar"), tr("Sidebar"), this);
  m_details = new IconButton(theme, QStringLiteral("details"), tr("Details"), this);
  for (IconButton* button : {m_theme, m_sidebar, m_details}) row->addWidget(button);
  connect(&theme, &Theme::changed, this, [this] { setFixedHeight(this->theme().size(QStringLiteral("top_bar"))); });
}

void TopBar::bind(IconButton* button, QAction* action) {
  connect(button, &QToolButton::clicked, action, &QAction::trigger);
  const QString keys = action->shortcut().toString(QKeySequence::NativeText);
  button->setToolTip(keys.isEmpty() ? button->accessibleName()
                                    : QStringLiteral("%1 (%2)").arg(button->accessibleName(), keys));
  if (!action->isCheckable()) return;
  button->setCheckable(true);
  button->setChecked(action->isChecked());
  // A click sets the button's own state before the action has decided on it.
  connect(action, &QAction::changed, button, [button, action] {
    button->setChecked(action->isChecked());
    button->setEnabled(action->isEnabled());
  });
  connect(button, &QToolButton::clicked, action, [button, action] { button->setChecked(action->isChecked()); });
}

void TopBar::bindButtons(QAction* open, QAction* theme, QAction* sidebar, QAction* details) {
  bind(m_open, open);
  bind(m_theme, theme);
  bind(m_sidebar, sidebar);
  bind(m_details, details);
}

}  // namespace attnscope::ui
