// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/TopBar.h"

#include <QAction>
#include <QHBoxLayout>
#include <QMenuBar>

#include "ui/shell/FindField.h"
#include "ui/shell/IconButton.h"
#include "ui/shell/PageSwitch.h"

namespace attnscope::ui {

namespace {

constexpr int kLeastFind = 120;
constexpr int kCompactFind = 72;
constexpr int kWordsFrom = 860;
constexpr int kMostFind = 340;

}  // namespace

TopBar::TopBar(SliceSearch& search, const Theme& theme, QWidget* parent)
    : Surface(theme, QStringLiteral("surface.window"), Qt::BottomEdge, parent) {
  setObjectName(QStringLiteral("topBar"));
  auto* row = new QHBoxLayout(this);
  scaleLayout(theme, row, {8, 0, 6, 1}, 4);
  m_menus = new QMenuBar(this);
  m_menus->setNativeMenuBar(false);
  m_menus->setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Fixed);
  row->addWidget(m_menus, 0, Qt::AlignVCenter);
  m_pages = new PageSwitch(theme, this);
  row->addWidget(m_pages, 0, Qt::AlignVCenter);
  row->addStretch(1);
  m_find = new FindField(search, theme, this);
  row->addWidget(m_find, 2);
  row->addStretch(1);
  m_open = new IconButton(theme, QStringLiteral("open"), tr("Open traces"), this);
  m_open->setWords(tr("Open"));
  row->addWidget(m_open);
  row->addSpacing(theme.scaled(4));
  auto* line = new Surface(theme, QStringLiteral("border.hairline"), {}, this);
  row->addWidget(line, 0, Qt::AlignVCenter);
  row->addSpacing(theme.scaled(4));
  m_theme = new IconButton(theme, QStringLiteral("theme"), tr("Light or dark"), this);
  m_sidebar = new IconButton(theme, QStringLiteral("sidebar"), tr("Sidebar"), this);
  m_details = new IconButton(theme, QStringLiteral("details"), tr("Details"), this);
  for (IconButton* button : {m_theme, m_sidebar, m_details}) row->addWidget(button);
  const auto scale = [this, line] {
    const Theme& of = this->theme();
    setFixedHeight(of.size(QStringLiteral("top_bar")));
    m_find->setMinimumWidth(of.scaled(m_isCompact ? kCompactFind : kLeastFind));
    m_find->setMaximumWidth(of.scaled(kMostFind));
    line->setFixedSize(1, of.scaled(20));
  };
  connect(&theme, &Theme::changed, this, scale);
  scale();
}

// Where the row has no room for it all, words go before icons do.
void TopBar::resizeEvent(QResizeEvent* event) {
  Surface::resizeEvent(event);
  const bool isCompact = width() < theme().scaled(kWordsFrom);
  if (isCompact == m_isCompact) return;
  m_isCompact = isCompact;
  m_find->setMinimumWidth(theme().scaled(isCompact ? kCompactFind : kLeastFind));
  m_pages->setCompact(isCompact);
  m_open->setWords(isCompact ? QString() : tr("Open"));
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
