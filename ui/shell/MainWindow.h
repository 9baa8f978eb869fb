// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The window: where the regions stand at which size, the menus, and what comes in from outside (files, drops). What
// the regions show is theirs. GUI thread.

#include <functional>
#include <optional>
#include <vector>

#include <QMainWindow>
#include <QStringList>

#include "ui/bridge/Session.h"
#include "ui/bridge/ViewState.h"
#include "ui/shell/AppSettings.h"
#include "ui/shell/CommandLine.h"
#include "ui/shell/KeysDialog.h"
#include "ui/theme/Theme.h"

class QMenu;
class QSplitter;
class QStackedWidget;

namespace attnscope::ui {

class Details;
class DropOverlay;
class LowerArea;
class RunRail;
class RunStateView;
class Sidebar;
class SliceSearch;
class StartPage;
class StatusLine;
class TimelineView;
class TopBar;
class VerdictStrip;

class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  // Asks the user for traces; empty: none were chosen.
  using FileChooser = std::function<QStringList(QWidget* parent, const QString& title)>;

  MainWindow(Theme& theme, AppSettings& settings, QWidget* parent = nullptr);
  ~MainWindow() override;

  void setFileChooser(FileChooser chooser) { m_chooseFiles = std::move(chooser); }
  void openFiles(const QStringList& paths);
  void openSample();
  void showView(ViewName view);
  void startPreview();  // what may wait until the window is visible
  [[nodiscard]] bool isSettled() const;
  [[nodiscard]] Session& session() { return m_session; }
  [[nodiscard]] ViewState& view() { return m_view; }
  [[nodiscard]] QAction* action(const QString& name) const;  // by its objectName

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dragLeaveEvent(QDragLeaveEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  // layout
  void buildRegions();
  void connectRegions();
  void arrange();  // by the window's size and what is open
  void placeDetails();
  void shareHeights();
  void whenRunsChange();
  void whenSelectionChanges();
  void fitNewExtent();
  void setSidebarOpen(bool isOpen);
  void setDetailsOpen(bool isOpen);
  [[nodiscard]] int unscaled(int px) const;  // the size at text 100 %, by which regions give way
  [[nodiscard]] bool isSidebarWide() const;
  [[nodiscard]] bool canDetailsStandAside() const;
  void restore();
  void save();

  // menus
  void buildMenus();
  void buildFileMenu();
  void buildEditMenu();
  void buildViewMenu();
  void buildCompareMenu();
  void buildHelpMenu();
  QAction* addAction(QMenu* menu, const QString& name, const QString& words, const QList<QKeySequence>& keys,
                     std::function<void()> act);
  void dropClashingKeys();
  void refreshActions();
  void fillRecentMenu();
  void fillBaselineMenu();
  void chooseAndOpen(const QString& title);
  void setTheme(ThemeChoice choice);
  void setTextScale(int percent);
  void letGo();
  void nextRegion(int direction);
  void showKeys();
  void goToTime();
  void fitSlice(int run, SliceId slice);
  void showSliceMenu(int run, SliceId slice, const QPoint& globalPosition);
  void selectLongest();

  Theme& m_theme;
  AppSettings& m_settings;
  Session m_session;
  ViewState m_view;
  FileChooser m_chooseFiles;

  SliceSearch* m_search;
  TopBar* m_top = nullptr;
  RunRail* m_rail = nullptr;
  Sidebar* m_sidebar = nullptr;
  QSplitter* m_across = nullptr;
  QSplitter* m_down = nullptr;
  QStackedWidget* m_pages = nullptr;
  QStackedWidget* m_centre = nullptr;
  StartPage* m_start = nullptr;
  QWidget* m_work = nullptr;
  VerdictStrip* m_verdict = nullptr;
  TimelineView* m_timeline = nullptr;
  RunStateView* m_states = nullptr;
  LowerArea* m_lower = nullptr;
  Details* m_details = nullptr;
  StatusLine* m_status = nullptr;
  DropOverlay* m_drop = nullptr;

  QMenu* m_recentMenu = nullptr;
  QMenu* m_baselineMenu = nullptr;
  QMenu* m_scopeMenu = nullptr;
  std::vector<KeyGroup> m_keyGroups;
  std::optional<bool> m_sidebarChoice;  // the user's, until the window crosses the width at which it folds
  bool m_wasWide = true;
  bool m_detailsClosed = false;  // by the user: it does not open by itself again
  bool m_lowerSized = false;
  TimeRange m_shownExtent;
  bool m_startedPreview = false;
};

}  // namespace attnscope::ui
