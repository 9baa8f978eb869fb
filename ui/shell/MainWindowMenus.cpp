// SPDX-License-Identifier: GPL-3.0-or-later
// The menus of the main window: every action, its keys, and when it can be used.
#include <algorithm>
#include <array>
#include <cmath>

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QMenu>
#include <QMenuBar>
#include <QStandardPaths>

#include "ui/charts/InsidePage.h"
#include "ui/charts/MemoryPage.h"
#include "ui/shell/AboutDialog.h"
#include "ui/shell/CommandPalette.h"
#include "ui/shell/DesktopMotion.h"
#include "ui/shell/Details.h"
#include "ui/shell/FindField.h"
#include "ui/shell/GoToDialog.h"
#include "ui/shell/LowerArea.h"
#include "ui/shell/MainWindow.h"
#include "ui/shell/PageSwitch.h"
#include "ui/shell/RunRail.h"
#include "ui/shell/SampleFiles.h"
#include "ui/shell/ScopeChip.h"
#include "ui/shell/Sidebar.h"
#include "ui/shell/SliceFacts.h"
#include "ui/shell/SliceSearch.h"
#include "ui/shell/StatusLine.h"
#include "ui/shell/TopBar.h"
#include "ui/timeline/TimelineView.h"

namespace attnscope::ui {

namespace {

constexpr int kTextStep = 25;
constexpr int kMostTabs = 9;

}  // namespace

QAction* MainWindow::addAction(QMenu* menu, const QString& name, const QString& words, const QList<QKeySequence>& keys,
                               std::function<void()> act) {
  auto* action = new QAction(words, this);
  action->setObjectName(name);
  action->setShortcuts(keys);
  connect(action, &QAction::triggered, this, std::move(act));
  menu->addAction(action);
  QMainWindow::addAction(action);
  m_keyGroups.back().actions << action;
  return action;
}

QAction* MainWindow::action(const QString& name) const { return findChild<QAction*>(name, Qt::FindDirectChildrenOnly); }

void MainWindow::buildMenus() {
  buildFileMenu();
  buildEditMenu();
  buildViewMenu();
  buildRunMenu();
  buildCompareMenu();
  buildHelpMenu();
  m_top->bindButtons(action(QStringLiteral("open")), action(QStringLiteral("toggleTheme")),
                     action(QStringLiteral("sidebar")), action(QStringLiteral("details")));
  m_top->pages()->addPage(action(QStringLiteral("pageTraces")), QStringLiteral("timeline"));
  m_top->pages()->addPage(action(QStringLiteral("pageLab")), QStringLiteral("lab"));
  dropClashingKeys();
  for (const KeyGroup& group : m_keyGroups) {
    for (QAction* each : group.actions) m_shortcuts.adopt(each);
  }
  for (QAction* each : m_lower->tableActions()) {
    QAction* leader = m_shortcuts.named(each->objectName());
    if (leader != nullptr && leader != each) m_shortcuts.follow(leader, each);
  }
}

void MainWindow::buildFileMenu() {
  QMenu* menu = m_top->menus()->addMenu(tr("&File"));
  m_keyGroups.push_back({tr("Files"), {}});
  addAction(menu, QStringLiteral("open"), tr("Open traces…"), {QKeySequence(Qt::CTRL | Qt::Key_O)},
            [this] { chooseAndOpen(tr("Open traces")); });
  addAction(menu, QStringLiteral("compare"), tr("Compare two runs…"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O)},
            [this] { chooseAndOpen(tr("Choose two traces to compare")); });
  m_recentMenu = menu->addMenu(tr("Open recent"));
  connect(m_recentMenu, &QMenu::aboutToShow, this, &MainWindow::fillRecentMenu);
  addAction(menu, QStringLiteral("reopen"), tr("Open what was open last"),
            {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_T)}, [this] { openFiles(filesOpenLast()); });
  addAction(menu, QStringLiteral("sample"), tr("Open the sample comparison"), {}, [this] {
    openSample();
  })->setEnabled(!sampleSession().isEmpty());
  addAction(menu, QStringLiteral("sampleTraces"), tr("Open the sample traces"), {}, [this] {
    openFiles(sampleTraces());
  })->setEnabled(!sampleTraces().isEmpty());
  menu->addSeparator();
  addAction(menu, QStringLiteral("reload"), tr("Read all files again"), {QKeySequence(Qt::Key_F5)}, [this] {
    for (int i = 0; i < m_session.runCount(); ++i) m_session.reload(i);
  });
  addAction(menu, QStringLiteral("follow"), tr("Follow files that grow"), {QKeySequence(Qt::SHIFT | Qt::Key_F5)},
            [this] { m_session.setFollowing(!m_session.isFollowing()); })
      ->setCheckable(true);
  addAction(menu, QStringLiteral("watchFolder"), tr("Watch a folder for traces…"), {}, [this] {
    watchFolder();
  })->setCheckable(true);
  menu->addSeparator();
  addAction(menu, QStringLiteral("saveSession"), tr("Save as session…"), {QKeySequence(Qt::CTRL | Qt::Key_S)},
            [this] { saveSession(); });
  addAction(menu, QStringLiteral("saveRange"), tr("Save range as trace…"),
            {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S)}, [this] { saveTrace(); });
  addAction(menu, QStringLiteral("keepPersonal"), tr("Keep names and home folders in saved traces"), {}, [] {
  })->setCheckable(true);
  menu->addSeparator();
  addAction(menu, QStringLiteral("closeRun"), tr("Close the run"), {QKeySequence(Qt::CTRL | Qt::Key_W)}, [this] {
    // The run that is selected, else the last: what was added last goes first.
    const int lead = m_session.selection().leadRun;
    const int position = lead >= 0 ? lead : m_session.runCount() - 1;
    if (position >= 0) m_session.closeRun(position);
  });
  addAction(menu, QStringLiteral("closeAll"), tr("Close all runs"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_W)},
            [this] { m_session.closeAll(); });
  menu->addSeparator();
  addAction(menu, QStringLiteral("quit"), tr("Quit"), {QKeySequence(Qt::CTRL | Qt::Key_Q)}, [this] { close(); });
}

void MainWindow::buildEditMenu() {
  QMenu* menu = m_top->menus()->addMenu(tr("&Edit"));
  m_keyGroups.push_back({tr("Find and copy"), {}});
  addAction(menu, QStringLiteral("find"), tr("Find slices"),
            {QKeySequence(Qt::CTRL | Qt::Key_F), QKeySequence(Qt::Key_Slash)}, [this] {
              m_top->find()->setFocus(Qt::ShortcutFocusReason);
              m_top->find()->selectAll();
            });
  addAction(menu, QStringLiteral("findNext"), tr("Find next"), {QKeySequence(Qt::Key_F3)},
            [this] { m_search->next(1); });
  addAction(menu, QStringLiteral("findPrevious"), tr("Find previous"), {QKeySequence(Qt::SHIFT | Qt::Key_F3)},
            [this] { m_search->next(-1); });
  addAction(menu, QStringLiteral("filter"), tr("Filter the table"), {QKeySequence(Qt::CTRL | Qt::Key_L)},
            [this] { m_lower->focusFilter(); });
  menu->addSeparator();
  addAction(menu, QStringLiteral("copyText"), tr("Copy details as text"), {},
            [this] { QApplication::clipboard()->setText(m_details->asText()); });
  addAction(menu, QStringLiteral("copyJson"), tr("Copy details as JSON"), {},
            [this] { QApplication::clipboard()->setText(QString::fromUtf8(m_details->asJson())); });
  addAction(menu, QStringLiteral("arguments"), tr("Read the arguments of the slice"), {}, [this] {
    setDetailsOpen(true);
    m_details->requestArguments();
  });
  const QList<QAction*> table = m_lower->tableActions();
  if (!table.isEmpty()) {
    // Both tables have the same actions, each for its own rows: the menu names those of the first.
    m_keyGroups.push_back({tr("Tables"), {}});
    QMenu* entries = menu->addMenu(tr("Table"));
    QStringList named;
    for (QAction* each : table) {
      if (named.contains(each->text())) continue;
      named << each->text();
      entries->addAction(each);
      m_keyGroups.back().actions << each;
    }
  }
  menu->addSeparator();
  addAction(menu, QStringLiteral("letGo"), tr("Let go of range, selection, filter"), {QKeySequence(Qt::Key_Escape)},
            [this] { letGo(); });
}

void MainWindow::buildViewMenu() {
  QMenu* menu = m_top->menus()->addMenu(tr("&View"));
  m_keyGroups.push_back({tr("Pages"), {}});
  auto* pages = new QActionGroup(this);
  const auto addPage = [&](const char* name, const QString& words, Qt::Key key, WindowPage page) {
    QAction* each = addAction(menu, QString::fromLatin1(name), words, {QKeySequence(Qt::CTRL | key)},
                              [this, page] { showPage(page); });
    each->setCheckable(true);
    pages->addAction(each);
  };
  addPage("pageTraces", tr("Traces"), Qt::Key_1, WindowPage::kTraces);
  addPage("pageLab", tr("Lab"), Qt::Key_2, WindowPage::kLab);
  action(QStringLiteral("pageTraces"))->setChecked(true);
  menu->addSeparator();
  m_keyGroups.push_back({tr("Regions"), {}});
  const auto toggle = [&](const char* name, const QString& words, QKeySequence keys, std::function<void()> act) {
    addAction(menu, QString::fromLatin1(name), words, {keys}, std::move(act))->setCheckable(true);
  };
  toggle("sidebar", tr("Sidebar"), QKeySequence(Qt::CTRL | Qt::Key_B),
         [this] { setSidebarOpen(!m_sidebar->isVisible()); });
  toggle("lower", tr("Lower area"), QKeySequence(Qt::CTRL | Qt::Key_J),
         [this] { m_lower->setFolded(!m_lower->isFolded()); });
  toggle("details", tr("Details"), QKeySequence(Qt::CTRL | Qt::Key_I), [this] {
    const bool isOpen = canDetailsStandAside() ? m_details->isVisible() : m_lower->isShown(m_details);
    setDetailsOpen(!isOpen);
  });
  menu->addSeparator();
  QMenu* tabs = menu->addMenu(tr("Lower tabs"));
  const QStringList titles{tr("Kernels"), tr("Operators"), tr("Memory"),    tr("Compare"), tr("Findings"),
                           tr("Records"), tr("Charts"),    tr("Selection"), tr("Details")};
  for (int i = 0; i < std::min<int>(kMostTabs, static_cast<int>(titles.size())); ++i) {
    addAction(tabs, QStringLiteral("tab%1").arg(i + 1), titles[i], {QKeySequence(Qt::ALT | (Qt::Key_1 + i))},
              [this, i] {
                if (i < m_lower->pages().size()) {
                  m_lower->showPage(m_lower->pages()[i]);
                } else {
                  setDetailsOpen(true);
                }
              });
  }
  addAction(tabs, QStringLiteral("tabInside"), tr("Inside"), {}, [this] { m_lower->showPage(m_lower->inside()); });
  addAction(menu, QStringLiteral("nextRegion"), tr("Next region"), {QKeySequence(Qt::Key_F6)},
            [this] { nextRegion(1); });
  addAction(menu, QStringLiteral("previousRegion"), tr("Previous region"), {QKeySequence(Qt::SHIFT | Qt::Key_F6)},
            [this] { nextRegion(-1); });

  menu->addSeparator();
  QMenu* timeline = menu->addMenu(tr("Timeline"));
  m_keyGroups.push_back({tr("Timeline"), {}});
  for (QAction* each : m_timeline->timelineActions()) {
    timeline->addAction(each);
    m_keyGroups.back().actions << each;
  }
  addAction(menu, QStringLiteral("filterTracks"), tr("Filter the tracks"), {QKeySequence(Qt::Key_T)},
            [this] { m_timeline->focusTrackFilter(); });
  addAction(menu, QStringLiteral("goTo"), tr("Go to a time…"), {QKeySequence(Qt::Key_G)}, [this] { goToTime(); });
  m_notesMenu = menu->addMenu(tr("Notes"));
  connect(m_notesMenu, &QMenu::aboutToShow, this, &MainWindow::fillNotesMenu);
  m_scopeMenu = menu->addMenu(tr("Scope of tables and charts"));
  connect(m_scopeMenu, &QMenu::aboutToShow, this, [this] { fillScopeMenu(*m_scopeMenu, m_session, m_view); });

  menu->addSeparator();
  m_keyGroups.push_back({tr("Look"), {}});
  QMenu* theme = menu->addMenu(tr("Theme"));
  auto* choices = new QActionGroup(this);
  const std::array<std::pair<ThemeChoice, QString>, 3> themes = {{{ThemeChoice::kSystem, tr("As the system")},
                                                                  {ThemeChoice::kLight, tr("Light")},
                                                                  {ThemeChoice::kDark, tr("Dark")}}};
  for (const auto& [choice, words] : themes) {
    QAction* each = addAction(theme, QStringLiteral("theme%1").arg(static_cast<int>(choice)), words, {},
                              [this, choice = choice] { setTheme(choice); });
    each->setCheckable(true);
    choices->addAction(each);
  }
  theme->addSeparator();
  addAction(theme, QStringLiteral("toggleTheme"), tr("Change between light and dark"), {},
            [this] { setTheme(m_theme.isDark() ? ThemeChoice::kLight : ThemeChoice::kDark); });
  QMenu* text = menu->addMenu(tr("Text size"));
  const auto scale = [this](int by) {
    return [this, by] { setTextScale(by == 0 ? 100 : qRound(m_theme.textScale() * 100) + by); };
  };
  addAction(text, QStringLiteral("textLarger"), tr("Larger text"),
            {QKeySequence(Qt::CTRL | Qt::Key_Equal), QKeySequence(Qt::CTRL | Qt::Key_Plus)}, scale(kTextStep));
  addAction(text, QStringLiteral("textSmaller"), tr("Smaller text"), {QKeySequence(Qt::CTRL | Qt::Key_Minus)},
            scale(-kTextStep));
  addAction(text, QStringLiteral("textNormal"), tr("Normal text"), {QKeySequence(Qt::CTRL | Qt::Key_0)}, scale(0));
  QAction* still = addAction(menu, QStringLiteral("reducedMotion"), tr("Reduced motion"), {}, [this] {
    const bool isOn = action(QStringLiteral("reducedMotion"))->isChecked();
    m_settings.setFlag(QStringLiteral("reducedMotion"), isOn);
    m_timeline->setReducedMotion(isOn);
  });
  still->setCheckable(true);
  still->setToolTip(tr("The view jumps instead of gliding"));
  // As the desktop wants it, until a person says otherwise here.
  const QString folder = QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation);
  const bool atFirst = m_settings.isKept() && desktopReducesMotion(folder);
  still->setChecked(m_settings.flag(QStringLiteral("reducedMotion"), atFirst));
  m_timeline->setReducedMotion(still->isChecked());
}

void MainWindow::buildRunMenu() {
  QMenu* menu = m_top->menus()->addMenu(tr("&Run"));
  m_keyGroups.push_back({tr("Lab"), {}});
  // One key on every page: it leads to the lab, and there it runs.
  labAction("labRun")->setShortcut({});
  addAction(menu, QStringLiteral("run"), tr("Run implementations"), {QKeySequence(Qt::CTRL | Qt::Key_R)}, [this] {
    if (page() == WindowPage::kLab) {
      labAction("labRun")->trigger();
    } else {
      showPage(WindowPage::kLab);
    }
  });
  menu->addAction(labAction("labStop"));
  m_keyGroups.back().actions << labAction("labStop");
  menu->addSeparator();
  addAction(menu, QStringLiteral("runShape"), tr("Run this shape"), {},
            [this] { runShape(m_session.selection().leadRun, selectedCall()); });
  menu->addAction(labAction("labBaseline"));
  menu->addAction(labAction("labCode"));
  menu->addAction(labAction("labCopy"));
  menu->addSeparator();
  menu->addAction(labAction("labOpen"));
}

void MainWindow::buildCompareMenu() {
  QMenu* menu = m_top->menus()->addMenu(tr("&Compare"));
  m_keyGroups.push_back({tr("Compare"), {}});
  m_baselineMenu = menu->addMenu(tr("Baseline"));
  connect(m_baselineMenu, &QMenu::aboutToShow, this, &MainWindow::fillBaselineMenu);
  addAction(menu, QStringLiteral("swapBaseline"), tr("Swap the baseline"), {}, [this] { m_session.swapBaseline(); });
  menu->addSeparator();
  auto* group = new QActionGroup(this);
  const auto align = [&](const char* name, const QString& words, Alignment alignment) {
    QAction* each =
        addAction(menu, QString::fromLatin1(name), words, {}, [this, alignment] { m_session.setAlignment(alignment); });
    each->setCheckable(true);
    group->addAction(each);
  };
  align("alignStart", tr("Align at the start of the traces"), Alignment::kStart);
  align("alignStep", tr("Align at the start of a step"), Alignment::kStep);
  align("alignKernel", tr("Align at the first kernel"), Alignment::kFirstKernel);
  align("alignClock", tr("Align by the clock"), Alignment::kWallClock);
  addAction(menu, QStringLiteral("alignSlices"), tr("Align at the selected slices"), {}, [this] {
    if (!m_session.alignBySelection()) m_status->say(tr("Select a slice of another run, and align once more"));
  });
  m_annotationMenu = menu->addMenu(tr("Align at an annotation"));
  connect(m_annotationMenu, &QMenu::aboutToShow, this, &MainWindow::fillAnnotationMenu);
  menu->addSeparator();
  const auto inTimeline = [this](QAction* each) {
    each->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    removeAction(each);
    for (QWidget* region : {static_cast<QWidget*>(m_timeline), static_cast<QWidget*>(m_lower)}) region->addAction(each);
  };
  const auto move = [&](const char* name, const QString& words, const QKeySequence& key, double pixels) {
    inTimeline(addAction(menu, QString::fromLatin1(name), words, {key}, [this, pixels] { moveAlignment(pixels); }));
  };
  move("moveEarlier", tr("Move the run earlier"), QKeySequence(Qt::ALT | Qt::Key_Left), -1);
  move("moveLater", tr("Move the run later"), QKeySequence(Qt::ALT | Qt::Key_Right), 1);
  move("moveFarEarlier", tr("Move the run much earlier"), QKeySequence(Qt::ALT | Qt::SHIFT | Qt::Key_Left), -10);
  move("moveFarLater", tr("Move the run much later"), QKeySequence(Qt::ALT | Qt::SHIFT | Qt::Key_Right), 10);
  addAction(menu, QStringLiteral("resetMoves"), tr("Undo moves by hand"), {}, [this] { m_session.resetMoves(); });
  menu->addSeparator();
  auto* ribbonGroup = new QActionGroup(this);
  const auto ribbons = [&](const char* name, const QString& words, Ribbons which) {
    QAction* each =
        addAction(menu, QString::fromLatin1(name), words, {}, [this, which] { m_timeline->setRibbons(which); });
    each->setCheckable(true);
    ribbonGroup->addAction(each);
  };
  ribbons("ribbonsStages", tr("Ribbons by stage"), Ribbons::kStages);
  ribbons("ribbonsSelection", tr("Ribbons of the selection"), Ribbons::kSelection);
  ribbons("ribbonsOff", tr("No ribbons"), Ribbons::kOff);
  menu->addSeparator();
  QAction* byChange =
      addAction(menu, QStringLiteral("colourByChange"), tr("Colour by difference"), {QKeySequence(Qt::Key_C)}, [this] {
        const bool isOn = m_session.sliceColour() == SliceColour::kChange;
        m_session.setSliceColour(isOn ? SliceColour::kKind : SliceColour::kChange);
      });
  byChange->setCheckable(true);
  inTimeline(byChange);
  QAction* changesOnly = addAction(menu, QStringLiteral("changesOnly"), tr("Changes only"), {}, [this] {
    m_session.setChangesOnly(!m_session.showsChangesOnly());
    if (m_session.showsChangesOnly()) m_session.setSliceColour(SliceColour::kChange);
  });
  changesOnly->setCheckable(true);
  connect(&m_session, &Session::sliceColourChanged, this, &MainWindow::refreshActions);
  const auto walk = [&](const char* name, const QString& words, const QKeySequence& key, int step) {
    inTimeline(addAction(menu, QString::fromLatin1(name), words, {key}, [this, step] {
      if (!m_session.selectChange(step)) m_status->say(tr("There is no further change"));
    }));
  };
  walk("nextChange", tr("Next change, largest first"), QKeySequence(Qt::Key_N), 1);
  walk("previousChange", tr("Change before"), QKeySequence(Qt::SHIFT | Qt::Key_N), -1);
  menu->addSeparator();
  addAction(menu, QStringLiteral("addRun"), tr("Add a run or a trace…"), {},
            [this] { chooseAndOpen(tr("Add a run or a trace")); });
}

void MainWindow::moveAlignment(double pixels) {
  const std::vector<int> ready = m_session.readyRuns();
  if (ready.size() < 2) return;
  const int lead = m_session.selection().leadRun;
  const bool leads = lead >= 0 && lead != m_session.baseline();
  const double width = std::max(1, m_timeline->width());
  m_session.moveRunBy(leads ? lead : ready.back(), std::llround(pixels * m_view.spanNs() / width));
}

void MainWindow::buildHelpMenu() {
  QMenu* menu = m_top->menus()->addMenu(tr("&Help"));
  m_keyGroups.push_back({tr("Help"), {}});
  addAction(menu, QStringLiteral("keys"), tr("List of keys"),
            {QKeySequence(Qt::Key_Question), QKeySequence(Qt::Key_F1)}, [this] { showKeys(); });
  addAction(menu, QStringLiteral("commands"), tr("All commands…"),
            {QKeySequence(Qt::CTRL | Qt::Key_K), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P)},
            [this] { showCommands(); });
  addAction(menu, QStringLiteral("health"), tr("Trace health"), {}, [this] { showHealth(); });
  menu->addSeparator();
  addAction(menu, QStringLiteral("about"), tr("About Attnscope"), {},
            [this] { (new AboutDialog(m_theme, this))->open(); });
  addAction(menu, QStringLiteral("aboutQt"), tr("About Qt"), {}, [] { QApplication::aboutQt(); });
}

// A key that a timeline has too would be ambiguous there and do nothing: the timeline's acts in it, the window's in
// the other regions.
void MainWindow::dropClashingKeys() {
  QList<QKeySequence> taken;
  for (QAction* each : m_timeline->timelineActions()) taken << each->shortcuts();
  for (const KeyGroup& group : m_keyGroups) {
    for (QAction* each : group.actions) {
      if (each->parent() != this) continue;
      const QList<QKeySequence> keys = each->shortcuts();
      if (std::none_of(keys.begin(), keys.end(), [&taken](const QKeySequence& key) { return taken.contains(key); })) {
        continue;
      }
      each->setShortcutContext(Qt::WidgetWithChildrenShortcut);
      removeAction(each);
      for (QWidget* region : {static_cast<QWidget*>(m_sidebar), static_cast<QWidget*>(m_rail),
                              static_cast<QWidget*>(m_lower), static_cast<QWidget*>(m_details)}) {
        region->addAction(each);
      }
    }
  }
}

void MainWindow::refreshActions() {
  if (!action(QStringLiteral("about"))) return;  // the menus are being built
  const int runs = m_session.runCount();
  const auto enable = [this](const char* name, bool isEnabled) {
    action(QString::fromLatin1(name))->setEnabled(isEnabled);
  };
  const auto check = [this](const char* name, bool isChecked) {
    action(QString::fromLatin1(name))->setChecked(isChecked);
  };
  const bool isLab = page() == WindowPage::kLab;
  const bool anyReady = !isLab && !m_session.readyRuns().empty();
  const bool isSelected = !m_session.selection().isEmpty();
  for (const char* name : {"reload", "closeRun", "closeAll", "sidebar", "lower", "details", "filter", "addRun"}) {
    enable(name, runs > 0 && !isLab);
  }
  enable("reopen", runs == 0 && !filesOpenLast().isEmpty());
  enable("run", !isLab || labAction("labRun")->isEnabled());
  enable("runShape", selectedCall() != kNoSlice);
  enable("saveSession", measurementToSave() != nullptr && !m_jobs.isRunning(QStringLiteral("save")));
  for (const char* name : {"findNext", "findPrevious", "filterTracks", "goTo", "health"}) enable(name, anyReady);
  enable("saveRange", anyReady && !m_jobs.isRunning(QStringLiteral("saveTrace")));
  for (const char* name : {"copyText", "copyJson", "arguments"}) enable(name, isSelected);
  for (int i = 1; i <= kMostTabs; ++i) action(QStringLiteral("tab%1").arg(i))->setEnabled(runs > 0 && !isLab);
  action(QStringLiteral("tabInside"))->setEnabled(!isLab && m_lower->inside()->isWanted());
  enable("swapBaseline", m_session.readyRuns().size() > 1);
  enable("alignStep", m_session.stepCount() > 0);
  enable("alignStart", anyReady);
  const bool isCompared = !isLab && m_session.readyRuns().size() > 1;
  for (const char* name : {"alignKernel", "alignClock", "alignSlices", "moveEarlier", "moveLater", "moveFarEarlier",
                           "moveFarLater", "resetMoves", "ribbonsStages", "ribbonsSelection", "ribbonsOff",
                           "nextChange", "previousChange", "colourByChange", "changesOnly"}) {
    enable(name, isCompared);
  }
  m_annotationMenu->setEnabled(isCompared);
  m_scopeMenu->setEnabled(anyReady);
  m_baselineMenu->setEnabled(m_session.readyRuns().size() > 1);
  check("alignStart", m_session.alignment() == Alignment::kStart);
  check("alignStep", m_session.alignment() == Alignment::kStep);
  check("follow", m_session.isFollowing());
  check("watchFolder", !m_folderWatch.folder().isEmpty());
  check("alignKernel", m_session.alignment() == Alignment::kFirstKernel);
  check("alignClock", m_session.alignment() == Alignment::kWallClock);
  check("ribbonsStages", m_timeline->ribbons() == Ribbons::kStages);
  check("ribbonsSelection", m_timeline->ribbons() == Ribbons::kSelection);
  check("ribbonsOff", m_timeline->ribbons() == Ribbons::kOff);
  check("colourByChange", m_session.sliceColour() == SliceColour::kChange);
  check("changesOnly", m_session.showsChangesOnly());
  check("sidebar", m_sidebar->isVisibleTo(this));
  check("lower", runs > 0 && !m_lower->isFolded());
  check("details", runs > 0 && (canDetailsStandAside() ? m_details->isVisibleTo(this) : m_lower->isShown(m_details)));
  check(qPrintable(QStringLiteral("theme%1").arg(static_cast<int>(m_theme.choice()))), true);
}

void MainWindow::chooseAndOpen(const QString& title) { openFiles(m_chooseFiles(this, title)); }

void MainWindow::setTheme(ThemeChoice choice) {
  m_settings.setTheme(choice);
  m_theme.setChoice(choice);
  refreshActions();
}

void MainWindow::setTextScale(int percent) {
  const int wanted = std::clamp(percent, 100, 200);
  m_settings.setTextScalePercent(wanted);
  m_theme.setTextScale(wanted / 100.0);
  m_status->say(tr("Text size %1 %").arg(wanted));
}

void MainWindow::showKeys() { (new KeysDialog(m_keyGroups, m_shortcuts, m_theme, this))->open(); }

void MainWindow::showCommands() {
  constexpr qsizetype kMostRecent = 20;
  auto* palette = new CommandPalette(commandsOf(*m_top->menus()), m_recentCommands, m_theme, this);
  connect(palette, &CommandPalette::chosen, this, [this](const QAction* action) {
    m_recentCommands.removeAll(action->objectName());
    m_recentCommands.prepend(action->objectName());
    if (m_recentCommands.size() > kMostRecent) m_recentCommands.removeLast();
  });
  palette->open();
}

void MainWindow::goToTime() {
  auto* dialog = new GoToDialog(m_theme, this);
  connect(dialog, &GoToDialog::timeChosen, this, [this](double ns) {
    m_view.setView(ns - m_view.spanNs() / 2, m_view.spanNs());
    m_view.setCursor(ns);
  });
  dialog->open();
}

}  // namespace attnscope::ui
