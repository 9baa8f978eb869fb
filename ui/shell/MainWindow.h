// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The window: where the regions stand at which size, the menus, and what comes in from outside (files, drops). What
// the regions show is theirs. GUI thread.

#include <functional>
#include <optional>
#include <vector>

#include <QMainWindow>
#include <QStringList>

#include "ui/bridge/FileWatch.h"
#include "ui/bridge/Jobs.h"
#include "ui/bridge/LabRunner.h"
#include "ui/bridge/Session.h"
#include "ui/bridge/ViewState.h"
#include "ui/shell/AppSettings.h"
#include "ui/shell/CommandLine.h"
#include "ui/shell/KeysDialog.h"
#include "ui/shell/Shortcuts.h"
#include "ui/theme/Theme.h"

class QMenu;
class QSplitter;
class QStackedWidget;

namespace attnscope::ui {

class Details;
class DropOverlay;
class KeptPairs;
class LabPage;
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

enum class WindowPage : std::uint8_t { kTraces, kLab };

class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  // Asks the user for traces; empty: none were chosen.
  using FileChooser = std::function<QStringList(QWidget* parent, const QString& title)>;
  // Asks where to save; empty: nowhere.
  using SaveChooser = std::function<QString(QWidget* parent, const QString& title, const QString& suggestion)>;

  // `runnerPath`: attnscope-runner; empty: beside this program.
  MainWindow(Theme& theme, AppSettings& settings, const QString& runnerPath = {}, QWidget* parent = nullptr);
  ~MainWindow() override;

  void setFileChooser(FileChooser chooser) { m_chooseFiles = std::move(chooser); }
  // Asks for a folder; empty: none was chosen.
  using FolderChooser = std::function<QString(QWidget* parent, const QString& title)>;
  void setFolderChooser(FolderChooser chooser) { m_chooseFolder = std::move(chooser); }
  void setSaveChooser(SaveChooser chooser) { m_chooseSave = std::move(chooser); }
  void openFiles(const QStringList& paths);
  void openSample();  // the session of the lab that comes with the program
  void showView(ViewName view);
  void showPage(WindowPage page);
  [[nodiscard]] WindowPage page() const;
  // Fills the lab's form from the recorded inputs of an attention call, and shows it.
  void runShape(int run, SliceId slice);
  void startPreview();  // what may wait until the window is visible
  [[nodiscard]] bool isSettled() const;
  [[nodiscard]] Session& session() { return m_session; }
  [[nodiscard]] ViewState& view() { return m_view; }
  [[nodiscard]] LabRunner& runner() { return m_runner; }
  [[nodiscard]] LabPage& lab() { return *m_lab; }
  [[nodiscard]] TimelineView& timeline() { return *m_timeline; }
  [[nodiscard]] Shortcuts& shortcuts() { return m_shortcuts; }
  [[nodiscard]] QAction* action(const QString& name) const;  // by its objectName

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dragLeaveEvent(QDragLeaveEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  bool focusNextPrevChild(bool next) override;

 private:
  // layout
  void buildRegions();
  void connectRegions();
  void arrange();  // by the window's size and what is open
  void orderFocus();
  void placeDetails();
  void shareHeights();
  void whenRunsChange();
  void whenSelectionChanges();
  void placeCentre();
  void setSidebarOpen(bool isOpen);
  void setDetailsOpen(bool isOpen);
  [[nodiscard]] int unscaled(int px) const;  // the size at text 100 %, by which regions give way
  [[nodiscard]] bool isSidebarWide() const;
  [[nodiscard]] bool canDetailsStandAside() const;
  [[nodiscard]] QSize firstSize() const;
  void restore();
  void save();
  [[nodiscard]] QStringList filesOpenLast() const;  // when the window was closed, those that are still there
  void refreshTitle();

  // the lab (MainWindowLab.cpp)
  void connectLab();
  void showMeasurement(const std::shared_ptr<const RunResult>& result);
  bool showInLab(const std::shared_ptr<const RunResult>& result, const QString& path);  // false: the lab is taken
  void openComparison();
  void runMorePairs(const std::shared_ptr<const RunResult>& result, int pairs);
  void fillAnnotationMenu();
  void moveAlignment(double pixels);  // of the run that leads the selection, else of the last one
  void fitScope();
  void refreshRunState();
  void saveSession();
  void saveMeasurement(const std::shared_ptr<const RunResult>& result, std::function<void()> whenSaved);
  [[nodiscard]] bool mayClose();  // else the person is asked, and the answer closes the window
  void askBeforeClosing(const QString& title, const QString& words, const QString& close,
                        const std::shared_ptr<const RunResult>& toSave);
  [[nodiscard]] std::shared_ptr<const RunResult> measurementToSave() const;
  [[nodiscard]] SliceId selectedCall() const;
  [[nodiscard]] QAction* labAction(const char* name) const;

  // files that traces come from and go to (MainWindowTraces.cpp)
  void connectFiles();
  void saveTrace();
  void watchFolder();
  void refreshOffer();
  void showHealth();

  // menus
  void buildMenus();
  void buildFileMenu();
  void buildEditMenu();
  void buildViewMenu();
  void buildRunMenu();
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
  void showCommands();
  void fillNotesMenu();
  void showTrackMenu(int run, int track, const QPoint& globalPosition);
  void goToTime();
  void fitSlice(int run, SliceId slice);
  void showSliceMenu(int run, SliceId slice, const QPoint& globalPosition);
  void selectLongest();

  Theme& m_theme;
  AppSettings& m_settings;
  Session m_session;
  ViewState m_view;
  LabRunner m_runner;
  Jobs m_jobs;
  FileChooser m_chooseFiles;
  SaveChooser m_chooseSave;
  FolderChooser m_chooseFolder;
  FileWatch m_folderWatch;
  QStringList m_offered;  // traces that came into the watched folder

  SliceSearch* m_search;
  TopBar* m_top = nullptr;
  RunRail* m_rail = nullptr;
  Sidebar* m_sidebar = nullptr;
  QStackedWidget* m_screens = nullptr;
  QWidget* m_traces = nullptr;
  LabPage* m_lab = nullptr;
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
  QMenu* m_annotationMenu = nullptr;
  QMenu* m_baselineMenu = nullptr;
  QMenu* m_scopeMenu = nullptr;
  QMenu* m_notesMenu = nullptr;
  KeptPairs* m_pairs = nullptr;
  std::shared_ptr<const RunResult> m_measured;  // the lab's, whose runs stand in the session
  std::vector<KeyGroup> m_keyGroups;
  Shortcuts m_shortcuts;
  QStringList m_recentCommands;         // object names of actions, the last used first
  std::optional<bool> m_sidebarChoice;  // the user's, until the window crosses the width at which it folds
  bool m_wasWide = true;
  bool m_detailsClosed = false;  // by the user: it does not open by itself again
  bool m_lowerSized = false;
  bool m_isClosing = false;  // the person was asked
  bool m_startedPreview = false;
};

}  // namespace attnscope::ui
