// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Which page the window shows: one button an action of the window, the checked one raised.

#include <vector>

#include <QWidget>

#include "ui/theme/Theme.h"

class QAction;
class QHBoxLayout;
class QToolButton;

namespace attnscope::ui {

class PageSwitch : public QWidget {
  Q_OBJECT

 public:
  explicit PageSwitch(const Theme& theme, QWidget* parent = nullptr);
  // The action is checkable and outlives the switch; `icon` names its icon.
  void addPage(QAction* action, const QString& icon);
  void setCompact(bool isCompact);  // icons alone

 private:
  struct Page {
    QAction* action;
    QString icon;
    QToolButton* button;
  };
  void applyTheme();

  const Theme& m_theme;
  QHBoxLayout* m_row;
  bool m_isCompact = false;
  std::vector<Page> m_pages;
};

}  // namespace attnscope::ui
