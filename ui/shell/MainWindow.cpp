// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/MainWindow.h"

#include <algorithm>
#include <cmath>

#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMimeData>
#include <QScreen>
#include <QSplitter>
#include <QStackedWidget>
#include <QTimer>
#include <QUrl>
#include <QVBoxLayout>

#include "ui/bridge/KeptPairs.h"
#include "ui/charts/ChartsPage.h"
#include "ui/charts/InsidePage.h"
#include "ui/charts/MemoryPage.h"
#include "ui/compare/VerdictStrip.h"
#include "ui/findings/FindingsPage.h"
#include "ui/lab/LabPage.h"
#include "ui/shell/Details.h"
#include "ui/shell/DropOverlay.h"
#include "ui/shell/FindField.h"
#include "ui/shell/LowerArea.h"
#include "ui/shell/PageSwitch.h"
#include "ui/shell/RunRail.h"
#include "ui/shell/RunStateView.h"
#include "ui/shell/SampleFiles.h"
#include "ui/shell/SelectionPage.h"
#include "ui/shell/Sidebar.h"
#include "ui/shell/SliceSearch.h"
#include "ui/shell/StartPage.h"
#include "ui/shell/StatusLine.h"
#include "ui/shell/TopBar.h"
#include "ui/tables/RecordsPage.h"
#include "ui/timeline/TimelineView.h"

namespace attnscope::ui {

namespace {

constexpr int kSidebarFrom = 1440;
constexpr int kDetailsAsideFrom = 1600;
constexpr int kCompactStripUnder = 900;
constexpr int kLowerFoldedUnder = 700;
constexpr double kLowerShare = 0.38;
const QString kTrackMemory = QStringLiteral("tracks");
constexpr int kFrameRoom = 24;  // of the window manager's frame and title bar

QStringList localFiles(const QMimeData& data) {
  QStringList files;
  for (const QUrl& url : data.urls()) {
    if (url.isLocalFile()) files << url.toLocalFile();
  }
  return files;
}

}  // namespace

MainWindow::MainWindow(Theme& theme, AppSettings& settings, const QString& runnerPath, QWidget* parent)
    : QMainWindow(parent),
      m_theme(theme),
      m_settings(settings),
      m_runner(runnerPath),
      m_search(new SliceSearch(m_session, this)),
      m_shortcuts(settings) {
  setWindowTitle(QStringLiteral("Attnscope"));
  setAcceptDrops(true);
  setMinimumSize(640, 400);
  m_chooseFiles = [](QWidget* over, const QString& title) {
    return QFileDialog::getOpenFileNames(
        over, title, QString(), tr("Traces and sessions (*.json *.json.gz *.gz *.zst *.zip *.attn);;All files (*)"));
  };
  m_chooseSave = [](QWidget* over, const QString& title, const QString& suggestion) {
    const bool isSession = suggestion.endsWith(QLatin1String(".attn"));
    QFileDialog dialog(over, title, QString(), isSession ? tr("Sessions (*.attn)") : tr("Traces (*.json.gz *.json)"));
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setDefaultSuffix(isSession ? QStringLiteral("attn") : QStringLiteral("json.gz"));
    dialog.selectFile(suggestion);
    return dialog.exec() == QDialog::Accepted ? dialog.selectedFiles().value(0) : QString();
  };
  m_chooseFolder = [](QWidget* over, const QString& title) { return QFileDialog::getExistingDirectory(over, title); };
  buildRegions();
  buildMenus();
  connectRegions();
  connectLab();
  connectFiles();
  restore();
  whenRunsChange();
}

MainWindow::~MainWindow() {
  // Views look at the session to their end, and as children they would outlive it.
  delete takeCentralWidget();
  delete m_top;
  delete m_search;
}

int MainWindow::unscaled(int px) const { return static_cast<int>(std::lround(px / m_theme.textScale())); }
bool MainWindow::isSidebarWide() const { return unscaled(width()) >= kSidebarFrom; }

bool MainWindow::canDetailsStandAside() const {
  return unscaled(width()) >= kDetailsAsideFrom && m_session.runCount() == 1;
}

void MainWindow::buildRegions() {
  m_top = new TopBar(*m_search, m_theme, this);
  setMenuWidget(m_top);
  auto* central = new QWidget(this);
  auto* column = new QVBoxLayout(central);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  m_screens = new QStackedWidget(central);
  column->addWidget(m_screens, 1);
  m_traces = new QWidget(m_screens);
  m_screens->addWidget(m_traces);
  m_lab = new LabPage(m_runner, m_theme, m_screens);
  m_screens->addWidget(m_lab);
  auto* row = new QHBoxLayout(m_traces);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);

  m_rail = new RunRail(m_session, m_theme, m_traces);
  row->addWidget(m_rail);
  const int line = m_theme.size(QStringLiteral("splitter"));
  m_across = new QSplitter(Qt::Horizontal, m_traces);
  m_across->setHandleWidth(line);
  m_across->setChildrenCollapsible(false);
  row->addWidget(m_across, 1);
  m_sidebar = new Sidebar(m_session, m_theme, m_across);
  m_across->addWidget(m_sidebar);
  m_pages = new QStackedWidget(m_across);
  m_across->addWidget(m_pages);
  m_across->setStretchFactor(0, 0);
  m_across->setStretchFactor(1, 1);

  m_start = new StartPage(m_settings, m_theme, m_pages);
  m_start->setFocusPolicy(Qt::ClickFocus);  // holds the focus until a key chooses a way in
  m_pages->addWidget(m_start);
  m_work = new QWidget(m_pages);
  auto* work = new QVBoxLayout(m_work);
  work->setContentsMargins(0, 0, 0, 0);
  work->setSpacing(0);
  m_verdict = new VerdictStrip(m_session, m_theme, m_work);
  work->addWidget(m_verdict);
  m_down = new QSplitter(Qt::Vertical, m_work);
  m_down->setHandleWidth(line);
  m_down->setChildrenCollapsible(false);
  work->addWidget(m_down, 1);
  m_centre = new QStackedWidget(m_down);
  m_timeline = new TimelineView(m_session, m_view, m_theme, m_centre);
  m_states = new RunStateView(m_session, m_theme, m_centre);
  m_centre->addWidget(m_timeline);
  m_centre->addWidget(m_states);
  m_down->addWidget(m_centre);
  m_lower = new LowerArea(m_session, m_view, m_theme, m_down);
  m_down->addWidget(m_lower);
  m_down->setStretchFactor(0, 1);
  m_down->setStretchFactor(1, 0);
  m_pages->addWidget(m_work);
  m_details = new Details(m_session, m_theme);
  m_lower->addDetails(m_details);

  m_status = new StatusLine(m_session, m_view, m_theme, central);
  m_status->setTrackWidth([this] { return m_timeline->isVisible() ? m_timeline->state().trackWidth() : 0; });
  column->addWidget(m_status);
  setCentralWidget(central);
  m_drop = new DropOverlay(m_theme, this);
}

void MainWindow::connectRegions() {
  const auto open = [this] { action(QStringLiteral("open"))->trigger(); };
  const auto health = [this] { action(QStringLiteral("health"))->trigger(); };
  connect(m_start, &StartPage::openRequested, this, open);
  connect(m_start, &StartPage::compareRequested, this, [this] { action(QStringLiteral("compare"))->trigger(); });
  connect(m_start, &StartPage::labRequested, this, [this] { showPage(WindowPage::kLab); });
  connect(m_start, &StartPage::sampleRequested, this, &MainWindow::openSample);
  connect(m_start, &StartPage::sampleTracesRequested, this, [this] { openFiles(sampleTraces()); });
  connect(m_start, &StartPage::fileChosen, this, [this](const QString& path) { openFiles({path}); });
  connect(m_sidebar, &Sidebar::addRequested, this, open);
  connect(m_sidebar, &Sidebar::healthRequested, this, health);
  connect(m_rail, &RunRail::addRequested, this, open);
  connect(m_rail, &RunRail::healthRequested, this, health);
  connect(m_rail, &RunRail::expandRequested, this, [this] { setSidebarOpen(true); });
  connect(m_states, &RunStateView::openRequested, this, open);
  connect(m_status, &StatusLine::keysRequested, this, &MainWindow::showKeys);
  connect(m_details, &Details::closeRequested, this, [this] { setDetailsOpen(false); });
  connect(m_details, &Details::showRequested, this, &MainWindow::fitSlice);
  connect(m_timeline, &TimelineView::sliceActivated, this, [this] { setDetailsOpen(true); });
  connect(m_timeline, &TimelineView::menuWanted, this, &MainWindow::showSliceMenu);
  connect(&m_timeline->state(), &TimelineState::measureChanged, this,
          [this] { m_lower->selected()->setArea(m_timeline->control().measuredArea()); });
  m_lower->selected()->setTracksOf([this](int run) { return m_timeline->tracksOf(run); });
  connect(m_timeline, &TimelineView::settled, m_lower->selected(), &SelectionPage::refreshSoon);
  connect(m_lower->selected(), &SelectionPage::showRequested, this, &MainWindow::fitSlice);
  connect(m_timeline, &TimelineView::trackMenuWanted, this, &MainWindow::showTrackMenu);
  connect(&m_timeline->notes(), &Notes::failed, m_status, &StatusLine::say);
  connect(m_timeline, &TimelineView::ribbonsChanged, this, &MainWindow::refreshActions);
  m_pairs = new KeptPairs(m_session, this);
  connect(m_pairs, &KeptPairs::failed, m_status, &StatusLine::say);
  if (m_settings.isKept()) {
    m_timeline->notes().keepInFiles();
    m_pairs->keepInFiles();
  }
  connect(m_details, &Details::runShapeRequested, this, &MainWindow::runShape);
  connect(m_search, &SliceSearch::hitShown, this, [this](int run, SliceId slice) {
    showPage(WindowPage::kTraces);
    fitSlice(run, slice);
  });
  connect(m_search, &SliceSearch::found, m_timeline, [this] { m_timeline->setHits(m_search->result().found); });
  connect(&m_session, &Session::runsChanged, this, &MainWindow::whenRunsChange);
  connect(&m_session, &Session::runChanged, this, &MainWindow::placeCentre);
  connect(&m_session, &Session::selectionChanged, this, &MainWindow::whenSelectionChanges);
  connect(&m_session, &Session::scopeChanged, this, &MainWindow::refreshActions);
  connect(&m_session, &Session::fileOpened, &m_settings, &AppSettings::addRecent);
  // Who clears the list of files wants none of them remembered.
  connect(&m_settings, &AppSettings::recentChanged, this, [this] {
    if (m_settings.recentFiles().empty()) m_timeline->setTrackMemory({});
  });
  connect(m_lower, &LowerArea::foldedChanged, this, [this] {
    shareHeights();
    arrange();
  });
  connect(m_lower->findings(), &FindingsPage::sliceWanted, this, &MainWindow::fitSlice);
  connect(m_lower, &LowerArea::pagesChanged, this, &MainWindow::refreshActions);
  connect(&m_theme, &Theme::changed, this, &MainWindow::arrange);
}

// --- what is open

void MainWindow::openFiles(const QStringList& paths) {
  // A sample or an old link may name the same file twice: both are opened, a run can be compared with itself.
  if (paths.isEmpty()) return;
  showPage(WindowPage::kTraces);
  m_session.openFiles(paths);
}

void MainWindow::openSample() {
  if (const QString session = sampleSession(); !session.isEmpty()) openFiles({session});
}

void MainWindow::whenRunsChange() {
  const bool any = m_session.runCount() > 0;
  m_pages->setCurrentWidget(any ? m_work : static_cast<QWidget*>(m_start));
  placeCentre();
  m_verdict->setVisible(!m_session.readyRuns().empty());
  if (!any) startPreview();
  // Keys act on the timelines at once, and the field that finds does not swallow them.
  if (page() == WindowPage::kLab) {
    // It keeps the focus: runs may come and go behind it.
  } else if (!focusWidget() || focusWidget() == m_top->find() || !focusWidget()->isVisible()) {
    (any ? static_cast<QWidget*>(m_timeline) : m_start)->setFocus();
  }
  refreshTitle();
  arrange();
  refreshActions();
}

// The timelines as soon as there is something to draw in them: of a large file its beginning.
void MainWindow::placeCentre() {
  m_centre->setCurrentWidget(m_session.anyShown() ? static_cast<QWidget*>(m_timeline)
                                                  : static_cast<QWidget*>(m_states));
  // Where nothing could be read its tabs would have nothing to show, and the reason stands above.
  const bool isReading = m_session.isBusy();
  m_lower->setVisible(m_session.anyShown() || isReading);
}

void MainWindow::refreshTitle() {
  QString title = QStringLiteral("Attnscope");
  const int runs = m_session.runCount();
  const QString origin = runs > 0 ? m_session.run(0)->origin() : QString();
  bool isOneSession = runs > 0 && m_session.run(0)->measurement() != nullptr;
  for (int i = 1; i < runs; ++i) {
    isOneSession = isOneSession && m_session.run(i)->measurement() == m_session.run(0)->measurement();
  }
  if (isOneSession) {
    title = origin.isEmpty() ? tr("Run of the lab, not saved – Attnscope")
                             : tr("%1 – Attnscope").arg(QFileInfo(origin).fileName());
  } else if (runs == 1) {
    title = tr("%1 – Attnscope").arg(m_session.run(0)->fileName());
  } else if (runs > 1) {
    title = tr("%1 runs – Attnscope").arg(runs);
  }
  setWindowTitle(title);
}

void MainWindow::whenSelectionChanges() {
  // The panel beside the timelines opens by itself at the first selection; a tab below never jumps to the front.
  if (!m_session.selection().isEmpty() && canDetailsStandAside() && !m_detailsClosed) placeDetails();
  refreshActions();
}

void MainWindow::fitSlice(int run, SliceId slice) {
  const Trace* trace = m_session.run(run)->trace();
  if (!trace) return;
  const std::int64_t start = trace->slices.startNs[index(slice)] - m_session.anchorNs(run);
  const std::int64_t duration = std::max<std::int64_t>(1, trace->slices.durationNs[index(slice)]);
  const auto from = static_cast<double>(start);
  const auto to = static_cast<double>(start + duration);
  const bool isVisible = from >= m_view.startNs() && to <= m_view.endNs();
  const bool isReadable = static_cast<double>(duration) > m_view.spanNs() / 200;
  if (isVisible && isReadable) return;
  // With its neighbours around it: a slice alone says little.
  const double margin = static_cast<double>(duration) * 8;
  m_view.fit({static_cast<std::int64_t>(from - margin), static_cast<std::int64_t>(to + margin)});
}

void MainWindow::selectLongest() {
  const int base = m_session.baseline();
  if (base < 0) return;
  const auto facts = m_session.run(base)->facts();
  if (facts->comparedTrack == kNoTrack) return;
  const Track& track = facts->trace->tracks[index(facts->comparedTrack)];
  const SliceTable& slices = facts->trace->slices;
  SliceId longest = kNoSlice;
  for (std::uint32_t i = track.firstSlice; i < track.firstSlice + track.sliceCount; ++i) {
    if (slices.kind[i] == WorkKind::kAnnotation) continue;
    if (longest == kNoSlice || slices.durationNs[i] > slices.durationNs[index(longest)]) longest = SliceId{i};
  }
  if (longest != kNoSlice) m_session.selectSlice(base, longest, SelectionOrigin::kNone);
}

void MainWindow::showView(ViewName view) {
  showPage(view == ViewName::kLab ? WindowPage::kLab : WindowPage::kTraces);
  switch (view) {
    case ViewName::kLab:
      return;
    case ViewName::kStart:
      m_session.closeAll();
      return;
    case ViewName::kTimeline:
    case ViewName::kCompare:
    case ViewName::kKernels:
      m_lower->showPage(m_lower->kernels());
      return;
    case ViewName::kOperators:
      m_lower->showPage(m_lower->operators());
      return;
    case ViewName::kGroups:
      m_lower->showPage(m_lower->compare());
      return;
    case ViewName::kMemory:
      m_lower->showPage(m_lower->memory());
      return;
    case ViewName::kFindings:
      m_lower->showPage(m_lower->findings());
      return;
    case ViewName::kSlices:
      if (m_session.selection().isEmpty()) selectLongest();
      m_lower->records()->setView(RecordView::kSelection);
      m_lower->showPage(m_lower->records());
      return;
    case ViewName::kSteps:
      m_lower->records()->setView(RecordView::kSteps);
      m_lower->showPage(m_lower->records());
      return;
    case ViewName::kMemoryEvents:
      m_lower->records()->setView(RecordView::kMemoryEvents);
      m_lower->showPage(m_lower->records());
      return;
    case ViewName::kDistribution:
      if (m_session.selection().isEmpty()) selectLongest();
      m_lower->charts()->showChart(ChartKind::kDistribution);
      m_lower->showPage(m_lower->charts());
      return;
    case ViewName::kKinds:
      m_lower->charts()->showChart(ChartKind::kKinds);
      m_lower->showPage(m_lower->charts());
      return;
    case ViewName::kFlame:
      m_lower->charts()->showChart(ChartKind::kFlame);
      m_lower->showPage(m_lower->charts());
      return;
    case ViewName::kInside:
      m_lower->showPage(m_lower->inside());
      return;
    case ViewName::kDetails:
      if (m_session.selection().isEmpty()) selectLongest();
      setDetailsOpen(true);
      return;
  }
}

void MainWindow::startPreview() {
  if (!m_startedPreview || m_session.runCount() > 0) return;
  m_start->startPreview();
}

bool MainWindow::isSettled() const {
  if (m_session.isBusy() || m_search->isBusy() || m_jobs.isBusy() || !m_pairs->isSettled()) return false;
  if (page() == WindowPage::kLab) return m_lab->isSettled();
  if (m_session.runCount() == 0) return m_start->isSettled();
  if (m_session.readyRuns().empty()) return true;
  return m_verdict->isSettled() && m_timeline->isSettled() && m_lower->isSettled() && m_details->isSettled();
}

// --- where things stand

void MainWindow::arrange() {
  const bool any = m_session.runCount() > 0;
  const bool isWide = isSidebarWide();
  if (isWide != m_wasWide) m_sidebarChoice.reset();
  m_wasWide = isWide;
  const bool isOpen = m_sidebarChoice.value_or(isWide);
  m_sidebar->setVisible(any && isOpen);
  m_rail->setVisible(any && !isOpen);
  m_verdict->setCompact(!isWide || unscaled(height()) < kCompactStripUnder);
  placeDetails();
  m_drop->setGeometry(rect());
  refreshActions();
}

void MainWindow::placeDetails() {
  const bool isAside = canDetailsStandAside();
  const bool isInSplitter = m_across->indexOf(m_details) >= 0;
  if (!isAside) {
    if (isInSplitter || !m_lower->hasDetails()) {
      m_details->setParent(nullptr);
      m_details->setSidePanel(false);
      m_details->setMinimumWidth(0);
      m_details->setMaximumWidth(QWIDGETSIZE_MAX);
      m_lower->addDetails(m_details);
    }
    return;
  }
  const bool isOpen = !m_detailsClosed && (isInSplitter ? true : !m_session.selection().isEmpty());
  if (!isInSplitter) {
    m_lower->removeDetails(m_details);
    m_details->setSidePanel(true);
    m_details->setMinimumWidth(m_theme.scaled(280));
    m_details->setMaximumWidth(m_theme.scaled(480));
    m_across->addWidget(m_details);
    m_across->setStretchFactor(m_across->count() - 1, 0);
    QList<int> sizes = m_across->sizes();
    const int wanted = m_theme.size(QStringLiteral("inspector"));
    sizes.back() = wanted;
    sizes[1] = std::max(1, m_across->width() - sizes[0] - wanted);
    m_across->setSizes(sizes);
    m_details->setVisible(isOpen);
    return;
  }
  if (!m_details->isVisible() && isOpen && !m_session.selection().isEmpty()) m_details->show();
}

void MainWindow::setSidebarOpen(bool isOpen) {
  m_sidebarChoice = isOpen;
  arrange();
}

void MainWindow::setDetailsOpen(bool isOpen) {
  m_detailsClosed = !isOpen;
  if (canDetailsStandAside()) {
    placeDetails();
    m_details->setVisible(isOpen);
  } else if (isOpen) {
    m_lower->showPage(m_details);
  } else if (m_lower->isShown(m_details)) {
    m_lower->showPage(m_lower->memory());
    m_lower->showPage(m_lower->kernels());
  }
  refreshActions();
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  arrange();
  if (m_lowerSized) return;
  m_lower->setFolded(unscaled(height()) < kLowerFoldedUnder);
  shareHeights();
  const int sidebar = m_theme.size(QStringLiteral("sidebar"));
  if (m_across->indexOf(m_details) < 0) m_across->setSizes({sidebar, std::max(1, width() - sidebar)});
}

// Until the user moves the line the lower area keeps its share of the window.
void MainWindow::shareHeights() {
  if (m_lowerSized) return;
  const int between = height() - m_top->height() - m_status->height();
  const int lower =
      m_lower->isFolded() ? m_theme.size(QStringLiteral("tab_bar")) : static_cast<int>(between * kLowerShare);
  m_down->setSizes({std::max(1, between - lower), lower});
}

void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (m_startedPreview) return;
  // After the first picture of the window, not before it.
  QTimer::singleShot(0, this, [this] {
    m_startedPreview = true;
    startPreview();
  });
}

// On a small screen it leaves room for the frame and for what stands beside it.
QSize MainWindow::firstSize() const {
  const QSize room = screen()->availableSize() - QSize(kFrameRoom, 2 * kFrameRoom);
  return QSize(1440, 900).boundedTo(room).expandedTo(minimumSize());
}

void MainWindow::restore() {
  const QByteArray geometry = m_settings.bytes(QStringLiteral("geometry"));
  if (geometry.isEmpty() || !restoreGeometry(geometry)) resize(firstSize());
  m_detailsClosed = m_settings.flag(QStringLiteral("detailsClosed"), false);
  m_wasWide = isSidebarWide();
  const QByteArray down = m_settings.bytes(QStringLiteral("splitterDown"));
  const QByteArray across = m_settings.bytes(QStringLiteral("splitterAcross"));
  if (!down.isEmpty() && m_down->restoreState(down)) m_lowerSized = true;
  if (!across.isEmpty()) m_across->restoreState(across);
  // The state carries the width of the line, which is the theme's to say.
  m_down->setHandleWidth(m_theme.size(QStringLiteral("splitter")));
  m_across->setHandleWidth(m_theme.size(QStringLiteral("splitter")));
  connect(m_down, &QSplitter::splitterMoved, this, [this] { m_lowerSized = true; });
  m_lower->restoreChoices(m_settings);
  m_timeline->setTrackMemory(m_settings.bytes(kTrackMemory));
  const int ribbons = m_settings.bytes(QStringLiteral("ribbons")).toInt();
  m_timeline->setRibbons(static_cast<Ribbons>(std::clamp(ribbons, 0, static_cast<int>(Ribbons::kOff))));
}

QStringList MainWindow::filesOpenLast() const {
  QStringList files = QString::fromUtf8(m_settings.bytes(QStringLiteral("openLast"))).split(u'\n', Qt::SkipEmptyParts);
  files.removeIf([](const QString& path) { return !QFileInfo::exists(path); });
  return files;
}

void MainWindow::save() {
  QStringList open;
  for (int at = 0; at < m_session.runCount(); ++at) {
    const Run* run = m_session.run(at);
    // What the lab measured and nobody saved lies in a folder that goes with this window.
    if (run->measurement() && run->origin().isEmpty()) continue;
    const QString path = run->origin().isEmpty() ? run->path() : run->origin();
    if (!open.contains(path)) open << path;
  }
  if (!open.isEmpty()) m_settings.setBytes(QStringLiteral("openLast"), open.join(u'\n').toUtf8());
  m_settings.setBytes(QStringLiteral("geometry"), saveGeometry());
  m_settings.setBytes(QStringLiteral("ribbons"), QByteArray::number(static_cast<int>(m_timeline->ribbons())));
  m_settings.setFlag(QStringLiteral("detailsClosed"), m_detailsClosed);
  m_settings.setBytes(kTrackMemory, m_timeline->trackMemory());
  if (m_lowerSized) m_settings.setBytes(QStringLiteral("splitterDown"), m_down->saveState());
  if (m_across->indexOf(m_details) < 0) {
    m_settings.setBytes(QStringLiteral("splitterAcross"), m_across->saveState());
  }
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!mayClose()) {
    event->ignore();
    return;
  }
  save();
  // Nothing runs without a window.
  m_runner.cancel();
  // Reading stops with the window, not when the file ends.
  m_session.closeAll();
  QMainWindow::closeEvent(event);
}

// --- drops

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  const QStringList files = localFiles(*event->mimeData());
  if (files.isEmpty()) return;
  event->acceptProposedAction();
  QString words = files.size() == 1 ? tr("Drop to open 1 trace") : tr("Drop to open %1 traces").arg(files.size());
  if (files.size() == 1 && files.front().endsWith(QLatin1String(".attn"), Qt::CaseInsensitive)) {
    words = tr("Drop to open the session");
  } else if (m_session.runCount() > 0 && files.size() == 1) {
    words = tr("Drop to add as %1").arg(QChar(u'A' + m_session.runCount() % 26));
  }
  m_drop->showWords(words);
}

void MainWindow::dragLeaveEvent(QDragLeaveEvent* event) {
  QMainWindow::dragLeaveEvent(event);
  m_drop->hide();
}

void MainWindow::dropEvent(QDropEvent* event) {
  m_drop->hide();
  const QStringList files = localFiles(*event->mimeData());
  if (files.isEmpty()) return;
  event->acceptProposedAction();
  openFiles(files);
}

}  // namespace attnscope::ui
