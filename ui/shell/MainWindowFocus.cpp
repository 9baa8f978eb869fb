// SPDX-License-Identifier: GPL-3.0-or-later
// Where the focus goes in the main window: from stop to stop, from region to region, and back to the timelines.
#include <algorithm>
#include <array>
#include <vector>

#include <QApplication>

#include "ui/compare/VerdictStrip.h"
#include "ui/lab/LabPage.h"
#include "ui/shell/Details.h"
#include "ui/shell/FindField.h"
#include "ui/shell/LowerArea.h"
#include "ui/shell/MainWindow.h"
#include "ui/shell/PageSwitch.h"
#include "ui/shell/RunRail.h"
#include "ui/shell/Sidebar.h"
#include "ui/shell/StartPage.h"
#include "ui/shell/StatusLine.h"
#include "ui/shell/TopBar.h"
#include "ui/timeline/TimelineView.h"

namespace attnscope::ui {

bool MainWindow::focusNextPrevChild(bool next) {
  orderFocus();
  return QMainWindow::focusNextPrevChild(next);
}

// Qt puts what is made or moved later at the end of the chain, behind the status line. Here regions follow one another
// as they stand in the window, and each keeps its own order.
void MainWindow::orderFocus() {
  // The pages stand first in the top bar and are added to it last.
  const std::array<const QWidget*, 11> regions{m_top->pages(), m_top,      m_lab,   m_rail,    m_sidebar, m_start,
                                               m_verdict,      m_timeline, m_lower, m_details, m_status};
  std::array<std::vector<QWidget*>, regions.size()> stops;
  for (QWidget* each = nextInFocusChain(); each != this; each = each->nextInFocusChain()) {
    if ((each->focusPolicy() & Qt::TabFocus) == 0 || each->window() != this) continue;
    for (const QWidget* at = each; at != nullptr; at = at->parentWidget()) {
      const auto region = std::find(regions.begin(), regions.end(), at);
      if (region == regions.end()) continue;
      stops[static_cast<std::size_t>(region - regions.begin())].push_back(each);
      break;
    }
  }
  QWidget* last = nullptr;
  for (const std::vector<QWidget*>& region : stops) {
    for (QWidget* each : region) {
      if (last != nullptr) setTabOrder(last, each);
      last = each;
    }
  }
}

void MainWindow::letGo() {
  if (m_session.scope().kind == ScopeKind::kRange) {
    m_session.setScope(Scope{});
  } else if (!m_session.selection().isEmpty()) {
    m_session.clearSelection();
  } else if (m_session.kindFilter() != 0) {
    m_session.setKindFilter(0);
  } else if (m_lower->hasFilter()) {
    m_lower->clearFilter();
  } else if (m_session.scope().kind == ScopeKind::kStep) {
    m_session.setScope(Scope{});
  }
}

void MainWindow::nextRegion(int direction) {
  QList<QWidget*> regions{m_top, m_lab, m_sidebar, m_start, m_timeline, m_lower, m_details};
  regions.removeIf([](const QWidget* region) { return !region->isVisible(); });
  if (regions.isEmpty()) return;
  const QWidget* focused = QApplication::focusWidget();
  int at = -1;
  for (int i = 0; i < regions.size(); ++i) {
    // The innermost: Details may stand in the lower area.
    if (focused && (regions[i] == focused || regions[i]->isAncestorOf(focused))) at = i;
  }
  for (int tried = 1; tried <= regions.size(); ++tried) {
    const auto count = static_cast<int>(regions.size());
    QWidget* region = regions[((at + direction * tried) % count + count) % count];
    if (region->focusPolicy() & Qt::TabFocus) {
      region->setFocus(Qt::TabFocusReason);
      return;
    }
    for (QWidget* child : region->findChildren<QWidget*>()) {
      if (child->isVisible() && child->isEnabled() && (child->focusPolicy() & Qt::TabFocus)) {
        child->setFocus(Qt::TabFocusReason);
        return;
      }
    }
  }
}

}  // namespace attnscope::ui
