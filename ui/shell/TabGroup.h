// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A row of tabs 32 px high, with room for controls at its right, over the page that is chosen.

#include <vector>

#include <QWidget>

#include "ui/theme/Theme.h"

class QHBoxLayout;
class QStackedWidget;
class QTabBar;

namespace attnscope::ui {

class Surface;

class TabGroup : public QWidget {
  Q_OBJECT

 public:
  TabGroup(const Theme& theme, QWidget* parent = nullptr);

  void addPage(QWidget* page, const QString& text);
  void removePage(QWidget* page);  // it stays alive and has no parent then
  void setPageText(QWidget* page, const QString& text);
  [[nodiscard]] bool holds(const QWidget* page) const;
  [[nodiscard]] int pageCount() const { return static_cast<int>(m_pages.size()); }
  [[nodiscard]] QWidget* currentPage() const;
  void setCurrentPage(QWidget* page);
  void addControl(QWidget* control);
  void setFolded(bool isFolded);
  [[nodiscard]] QTabBar* tabs() const { return m_tabs; }

 Q_SIGNALS:
  void currentChanged();
  void tabClicked();  // also on the tab that is current
  void tabDoubleClicked();

 private:
  [[nodiscard]] int positionOf(const QWidget* page) const;
  const Theme& m_theme;
  Surface* m_bar;
  QTabBar* m_tabs;
  QHBoxLayout* m_controls;
  QStackedWidget* m_stack;
  std::vector<QWidget*> m_pages;  // as the tabs
};

}  // namespace attnscope::ui
