// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/TabGroup.h"

#include <algorithm>

#include <QHBoxLayout>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>

#include "ui/theme/Surface.h"

namespace attnscope::ui {

TabGroup::TabGroup(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  m_bar = new Surface(theme, QStringLiteral("surface.window"), Qt::BottomEdge, this);
  m_bar->setFixedHeight(theme.size(QStringLiteral("tab_bar")));
  auto* row = new QHBoxLayout(m_bar);
  row->setContentsMargins(theme.scaled(6), 0, theme.scaled(6), 1);
  row->setSpacing(theme.scaled(6));
  m_tabs = new QTabBar(m_bar);
  m_tabs->setDrawBase(false);
  m_tabs->setExpanding(false);
  m_tabs->setUsesScrollButtons(true);
  m_tabs->setElideMode(Qt::ElideNone);
  m_tabs->setFocusPolicy(Qt::TabFocus);
  m_tabs->setAccessibleName(tr("Lower area"));
  // Of the bar's height from the start: a bar without tabs would be laid out with none.
  m_tabs->setFixedHeight(theme.size(QStringLiteral("tab_bar")) - 1);
  row->addWidget(m_tabs, 1);
  m_controls = new QHBoxLayout;
  m_controls->setSpacing(theme.scaled(6));
  row->addLayout(m_controls);
  column->addWidget(m_bar);
  m_stack = new QStackedWidget(this);
  column->addWidget(m_stack, 1);
  connect(m_tabs, &QTabBar::currentChanged, this, [this](int position) {
    if (position >= 0 && position < pageCount()) m_stack->setCurrentWidget(m_pages[static_cast<std::size_t>(position)]);
    Q_EMIT currentChanged();
  });
  connect(m_tabs, &QTabBar::tabBarClicked, this, &TabGroup::tabClicked);
  connect(m_tabs, &QTabBar::tabBarDoubleClicked, this, &TabGroup::tabDoubleClicked);
  connect(&m_theme, &Theme::changed, this, [this] {
    m_bar->setFixedHeight(m_theme.size(QStringLiteral("tab_bar")));
    m_tabs->setFixedHeight(m_theme.size(QStringLiteral("tab_bar")) - 1);
  });
}

int TabGroup::positionOf(const QWidget* page) const {
  const auto found = std::find(m_pages.begin(), m_pages.end(), page);
  return found == m_pages.end() ? -1 : static_cast<int>(found - m_pages.begin());
}

void TabGroup::addPage(QWidget* page, const QString& text) {
  if (holds(page)) return;
  m_pages.push_back(page);
  m_stack->addWidget(page);
  m_tabs->addTab(text);
  if (pageCount() == 1) m_stack->setCurrentWidget(page);
}

void TabGroup::removePage(QWidget* page) {
  const int position = positionOf(page);
  if (position < 0) return;
  m_pages.erase(m_pages.begin() + position);
  m_stack->removeWidget(page);
  page->setParent(nullptr);
  m_tabs->removeTab(position);
}

void TabGroup::setPageText(QWidget* page, const QString& text) {
  if (const int position = positionOf(page); position >= 0) m_tabs->setTabText(position, text);
}

bool TabGroup::holds(const QWidget* page) const { return positionOf(page) >= 0; }

QWidget* TabGroup::currentPage() const { return m_pages.empty() ? nullptr : m_stack->currentWidget(); }

void TabGroup::setCurrentPage(QWidget* page) {
  if (const int position = positionOf(page); position >= 0) m_tabs->setCurrentIndex(position);
}

void TabGroup::addControl(QWidget* control) { m_controls->addWidget(control, 0, Qt::AlignVCenter); }
void TabGroup::setFolded(bool isFolded) { m_stack->setVisible(!isFolded); }

}  // namespace attnscope::ui
