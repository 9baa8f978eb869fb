// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The one row at the top: menus, the switch of pages, the field that finds, opening, theme, sidebar and details.

#include "ui/theme/Surface.h"

class QAction;
class QMenuBar;

namespace attnscope::ui {

class FindField;
class IconButton;
class PageSwitch;
class SliceSearch;

class TopBar : public Surface {
  Q_OBJECT

 public:
  TopBar(SliceSearch& search, const Theme& theme, QWidget* parent = nullptr);

  [[nodiscard]] QMenuBar* menus() const { return m_menus; }
  [[nodiscard]] PageSwitch* pages() const { return m_pages; }
  [[nodiscard]] FindField* find() const { return m_find; }
  // The buttons do what the menus' entries do, and show their state.
  void bindButtons(QAction* open, QAction* theme, QAction* sidebar, QAction* details);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void bind(IconButton* button, QAction* action);
  QMenuBar* m_menus;
  PageSwitch* m_pages;
  FindField* m_find;
  IconButton* m_open;
  IconButton* m_theme;
  IconButton* m_sidebar;
  IconButton* m_details;
  bool m_isCompact = false;
};

}  // namespace attnscope::ui
