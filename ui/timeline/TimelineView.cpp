// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/TimelineView.h"

#include <algorithm>
#include <cmath>

#include <QKeyEvent>

#include "ui/bridge/FreedAside.h"
#include "ui/timeline/SliceWords.h"
#include "ui/timeline/TimelineActions.h"

namespace attnscope::ui {

namespace {

QString keyOf(const char* what, const void* of) {
  return QLatin1String(what) + QString::number(reinterpret_cast<quintptr>(of), 16);
}

// Windows narrower or lower than this give way as the design says.
constexpr int kNarrow = 1440;
constexpr int kLow = 860;
constexpr int kVeryLow = 760;
constexpr int kTall = 900;
constexpr int kRestMs = 300;  // after which a view counts as one that was come to

}  // namespace

TimelineView::TimelineView(Session& session, ViewState& view, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_view(view),
      m_theme(theme),
      m_notes(session),
      m_state(&m_notes),
      m_motion(view, m_state, static_cast<int>(theme.number(QStringLiteral("motion.zoom_ms")))),
      m_control(session, view, m_state, m_motion, [this](int run) { return modelOf(run); }),
      m_bar(session, theme, this),
      m_overview(m_control, theme, this),
      m_ruler(m_control, theme, this),
      m_stack(this),
      m_empty(theme, &m_stack),
      m_focusLine(this),
      m_tip(new SliceTip(theme, this)) {
  setFocusPolicy(Qt::StrongFocus);
  m_focusLine.setAttribute(Qt::WA_TransparentForMouseEvents);
  m_focusLine.setAutoFillBackground(true);
  m_focusLine.hide();
  m_noteEditor = new NoteEditor(m_notes, theme, this);
  connect(m_noteEditor, &NoteEditor::closed, this, [this] { setFocus(); });
  connect(&m_notes, &Notes::changed, this, [this] {
    for (TimelinePane* pane : m_panes) pane->refreshTracks();
  });
  m_trackFilter.setParent(this);
  m_trackFilter.setPlaceholderText(tr("Filter tracks"));
  m_trackFilter.setAccessibleName(m_trackFilter.placeholderText());
  m_trackFilter.setClearButtonEnabled(true);
  m_trackFilter.installEventFilter(this);
  m_trackFilter.hide();
  connect(&m_trackFilter, &QLineEdit::textChanged, this, &TimelineView::filterTracks);
  m_viewRest.setSingleShot(true);
  m_viewRest.setInterval(kRestMs);
  connect(&m_viewRest, &QTimer::timeout, this, &TimelineView::rememberView);
  connect(&m_view, &ViewState::viewChanged, &m_viewRest, qOverload<>(&QTimer::start));
  connect(&m_control, &TimelineControl::lockChanged, this, [this] {
    placeRulers();
    layoutStack();
  });
  m_actions = makeTimelineActions(m_control, *this);
  connectSession();
  connect(&m_jobs, &Jobs::changed, this, [this] {
    if (isSettled()) Q_EMIT settled();
  });
  connect(&m_bar, &TimelineBar::fitWanted, &m_control, &TimelineControl::fit);
  connect(&m_bar, &TimelineBar::measuringChosen, &m_state, &TimelineState::setMeasuring);
  connect(&m_bar, &TimelineBar::ribbonsChosen, this, [this](bool areShown) {
    m_ribbonsShown = areShown;
    for (SeamLane* seam : m_seams) seam->setRibbonsShown(areShown);
  });
  connect(&m_control, &TimelineControl::revealWanted, this, &TimelineView::revealSlice);
  connect(&m_theme, &Theme::changed, this, [this] {
    m_ink.forget();
    m_overview.refresh();
    layoutStack();
    for (TimelinePane* pane : m_panes) pane->update();
    update();
  });
  connect(&m_ruler, &Ruler::noteActivated, this, &TimelineView::changeNote);
  rebuild();
}

TimelineView::~TimelineView() {
  delete m_tip;  // while the theme it paints with is there
}

void TimelineView::connectSession() {
  connect(&m_session, &Session::runsChanged, this, &TimelineView::rebuild);
  connect(&m_session, &Session::runChanged, this, [this](int) {
    refreshModels();
    for (TimelinePane* pane : m_panes) pane->refreshState();
  });
  connect(&m_session, &Session::clockMoved, this,
          [this](double byNs) { m_view.setView(m_view.startNs() - byNs, m_view.spanNs()); });
  connect(&m_session, &Session::scopeChanged, this, &TimelineView::onScope);
  connect(&m_session, &Session::alignmentChanged, this, [this] {
    m_tipOf = {};
    refreshExtent();
    m_overview.refresh();
    for (TimelinePane* pane : m_panes) pane->update();
  });
  connect(&m_session, &Session::selectionChanged, this, &TimelineView::onSelection);
  connect(&m_session, &Session::kindFilterChanged, this, [this] {
    m_viewRest.start();
    for (TimelinePane* pane : m_panes) pane->refreshTracks();
  });
  connect(&m_session, &Session::sliceColourChanged, this, [this] {
    for (TimelinePane* pane : m_panes) pane->refreshTracks();
  });
  connect(&m_session, &Session::comparisonChanged, this, [this] {
    for (TimelinePane* pane : m_panes) pane->refreshTracks();
  });
}

std::shared_ptr<const DisplayTracks> TimelineView::tracksOf(int run) const {
  const RunModel* model = modelOf(run);
  return model ? model->sharedTracks() : nullptr;
}

const RunModel* TimelineView::modelOf(int run) const {
  if (run < 0 || run >= m_session.runCount()) return nullptr;
  // A run that is read again, or could not be, has none: its slices are not those of the trace that it had.
  const auto facts = m_session.run(run)->shownFacts();
  const auto found = m_models.find(m_session.run(run));
  return !facts || found == m_models.end() || found->second.facts != facts ? nullptr : found->second.made.get();
}

// Panes are kept for the runs that stay, so that folds and scroll positions do too.
void TimelineView::rebuild() {
  // Until every pane knows its new position none may be laid out: the session would be asked for a run it closed.
  m_isLayingOut = true;
  std::vector<int> shown;
  for (int run = 0; run < m_session.runCount(); ++run) {
    if (!m_session.run(run)->isHidden()) shown.push_back(run);
  }
  for (auto it = m_models.begin(); it != m_models.end();) {
    if (m_session.positionOf(it->first) >= 0) {
      ++it;
      continue;
    }
    m_jobs.cancel(keyOf("tracks:", it->first));
    m_jobs.cancel(keyOf("index:", it->first));
    m_jobs.cancel(keyOf("names:", it->first));
    for (TimelinePane* pane : m_panes) {
      if (pane->property("run").value<void*>() == static_cast<const void*>(it->first)) pane->setModel(nullptr);
    }
    it = m_models.erase(it);
  }
  m_state.setHovered({});
  m_hits = nullptr;  // they name runs by position, and are looked for again
  m_state.setPartners({});
  m_state.setRibbonEnds({});
  m_views.clear();  // they name runs
  m_selections.clear();
  m_tipOf = {};
  if (m_tip) m_tip->conceal();
  keepMeasure();
  std::vector<TimelinePane*> panes;
  for (const int run : shown) {
    const QVariant key = QVariant::fromValue(static_cast<void*>(m_session.run(run)));
    const auto kept = std::find_if(m_panes.begin(), m_panes.end(),
                                   [&](const TimelinePane* pane) { return pane && pane->property("run") == key; });
    TimelinePane* pane = nullptr;
    if (kept != m_panes.end()) {
      pane = *kept;
      m_panes.erase(kept);
    } else {
      pane = new TimelinePane(run, m_control, m_theme, m_ink, &m_stack);
      pane->setProperty("run", key);
      connect(pane, &TimelinePane::wishChanged, this, &TimelineView::layoutStack);
      connect(pane, &TimelinePane::tooltipWanted, this, &TimelineView::showTip);
      connect(pane, &TimelinePane::menuWanted, this, &TimelineView::menuWanted);
      connect(pane, &TimelinePane::sliceActivated, this, &TimelineView::sliceActivated);
      connect(pane, &TimelinePane::trackMenuWanted, this, &TimelineView::trackMenuWanted);
      connect(pane, &TimelinePane::arrangementChanged, &m_viewRest, qOverload<>(&QTimer::start));
      pane->show();
    }
    panes.push_back(pane);
  }
  for (TimelinePane* gone : m_panes) {
    m_jobs.cancel(keyOf("selected:", gone));
    m_jobs.cancel(keyOf("hits:", gone));
    delete gone;
  }
  m_panes = std::move(panes);
  for (std::size_t at = 0; at < m_panes.size(); ++at) {
    m_panes[at]->setRun(shown[at]);
    const bool isPair = shown.size() == 2;
    m_panes[at]->setRole(shown.size() == 1 ? PaneRole::kAlone
                         : !isPair         ? PaneRole::kCompact
                         : at == 0         ? PaneRole::kUpper
                                           : PaneRole::kLower);
  }
  while (m_seams.size() + 1 > std::max<std::size_t>(1, m_panes.size())) {
    m_jobs.cancel(keyOf("seam:", m_seams.back()));
    delete m_seams.back();
    m_seams.pop_back();
  }
  while (m_seams.size() + 1 < m_panes.size()) {
    m_seams.push_back(new SeamLane(m_control, m_theme, &m_stack));
    m_seams.back()->setRibbonsShown(m_ribbonsShown);
  }
  for (std::size_t at = 0; at < m_seams.size(); ++at) {
    m_seams[at]->setRuns(shown[at], shown[at + 1]);
    m_seams[at]->setExplained(m_seams.size() == 1);
  }
  if (m_panes.empty()) {
    m_empty.showEmptyTimeline();
    m_hasView = false;
  } else {
    m_empty.conceal();
  }
  placeRulers();
  m_isLayingOut = false;
  refreshModels();
  refreshSelected();
  refreshExtent();
  refreshSeams();
  layoutStack();
  announce();
}

// A measured stretch names its row by the run's position: where that run moved or went, it is a stretch of time alone.
void TimelineView::keepMeasure() {
  if (!m_state.measure() || m_state.measure()->run < 0) return;
  Measure measure = *m_state.measure();
  const TimelinePane* of = pane(measure.run);
  if (of && measure.run < m_session.runCount() &&
      of->property("run").value<void*>() == static_cast<const void*>(m_session.run(measure.run))) {
    return;
  }
  measure.run = -1;
  measure.track = -1;
  measure.row = 0;
  m_state.setMeasure(measure);
}

void TimelineView::refreshModels() {
  for (int at = 0; at < m_session.runCount(); ++at) {
    Run* run = m_session.run(at);
    Model& model = m_models[run];
    if (run->shownFacts() && model.facts != run->shownFacts()) makeModel(run);
    if (run->state() == RunState::kFailed && model.facts) dropModel(run);
  }
  for (TimelinePane* pane : m_panes) pane->setModel(modelOf(pane->run()));
  refreshKinds();
}

// What was made of a trace that is gone is let go, and with it the trace.
void TimelineView::dropModel(Run* run) {
  for (TimelinePane* pane : m_panes) {
    if (m_session.run(pane->run()) == run) pane->setModel(nullptr);
  }
  m_jobs.cancel(keyOf("tracks:", run));
  m_jobs.cancel(keyOf("index:", run));
  m_jobs.cancel(keyOf("names:", run));
  m_models[run] = Model{};
}

void TimelineView::makeModel(Run* run) {
  dropModel(run);
  m_models[run].facts = run->shownFacts();
  m_jobs.start(
      keyOf("tracks:", run),
      [facts = run->shownFacts()](std::stop_token) { return std::make_unique<RunModel>(makeDisplayTracks(facts)); },
      [this, run](std::unique_ptr<RunModel> model) {
        const std::shared_ptr<const DisplayTracks> tracks = model->sharedTracks();
        m_models[run].made = std::move(model);
        refreshModels();
        refreshExtent();
        refreshSeams();
        refreshHits();
        onSelection();
        // Rows are drawn by walking their slices until the index is there.
        m_jobs.start(
            keyOf("index:", run), [tracks](std::stop_token) { return makeDisplayIndexes(*tracks); },
            [this, run](std::shared_ptr<const DisplayIndexes> indexes) {
              const auto found = m_models.find(run);
              if (found == m_models.end() || !found->second.made) return;
              found->second.made->setIndexes(std::move(indexes));
              m_overview.refresh();
              for (TimelinePane* pane : m_panes) pane->update();
            });
        m_jobs.start(
            keyOf("names:", run),
            [tracks](std::stop_token) {
              const Trace& trace = *tracks->facts->trace;
              return makeFreedAside<const NameIndex>(
                  NameIndex::build(trace.slices.name, trace.slices.startNs, trace.strings.size()));
            },
            [this, run](std::shared_ptr<const NameIndex> names) {
              const auto found = m_models.find(run);
              if (found == m_models.end() || !found->second.made) return;
              found->second.made->setNames(std::move(names));
              m_tipOf = {};  // it can tell the calls now
            });
      });
}

void TimelineView::refreshSeams() {
  for (SeamLane* seam : m_seams) {
    const RunModel* above = modelOf(seam->upper());
    const RunModel* below = modelOf(seam->lower());
    seam->setMatch(nullptr);
    m_jobs.cancel(keyOf("seam:", seam));
    if (!above || !below) continue;
    if (!m_session.run(seam->upper())->facts() || !m_session.run(seam->lower())->facts()) continue;
    struct Side {
      std::shared_ptr<const RunFacts> facts;
      TimeRange scope;
      [[nodiscard]] SeamTrack track() const { return {facts->trace.get(), facts->comparedTrack, scope}; }
    };
    const Side upper{above->tracks().facts, m_session.scopeRange(seam->upper())};
    const Side lower{below->tracks().facts, m_session.scopeRange(seam->lower())};
    m_jobs.start(
        keyOf("seam:", seam),
        [upper, lower](std::stop_token) {
          std::vector<SeamLink> links;
          if (upper.facts->comparedTrack != kNoTrack && lower.facts->comparedTrack != kNoTrack) {
            links = seamLinks(upper.track(), lower.track());
          }
          return makeFreedAside<const SeamMatch>(std::move(links));
        },
        [this, seam](std::shared_ptr<const SeamMatch> match) {
          seam->setMatch(std::move(match));
          refreshPartners();
        });
  }
}

void TimelineView::refreshPartners() {
  m_tipOf = {};  // it names the partner
  std::vector<Partner> partners;
  const Selection& selection = m_session.selection();
  if (!selection.isEmpty() && selection.parts.size() == 1 && selection.leadSlice != kNoSlice) {
    for (const SeamLane* seam : m_seams) {
      Partner partner = seam->partnerOf(selection.leadRun, selection.leadSlice);
      if (partner.run >= 0) partners.push_back(std::move(partner));
    }
  }
  m_state.setPartners(std::move(partners));
}

void TimelineView::refreshExtent() {
  if (!m_session.anyShown()) return;
  const TimeRange old = m_view.extent();
  const bool wasWhole =
      m_view.startNs() <= static_cast<double>(old.startNs) && m_view.endNs() >= static_cast<double>(old.endNs);
  m_view.setExtent(m_session.alignedExtent());
  if (!m_hasView || wasWhole) m_view.showAll();
  m_hasView = true;
}

void TimelineView::refreshKinds() {
  std::uint32_t present = 0;
  for (const auto& [run, model] : m_models) present |= model.made ? model.made->kinds() : 0;
  std::vector<WorkKind> kinds;
  for (int kind = 0; kind < kWorkKindCount; ++kind) {
    if ((present & (1u << kind)) != 0) kinds.push_back(static_cast<WorkKind>(kind));
  }
  m_bar.setKinds(std::move(kinds));
}

int TimelineView::windowHeight() const { return window()->height(); }

LayoutSizes TimelineView::sizes() const {
  LayoutSizes sizes;
  sizes.row = m_theme.size(QStringLiteral("slice_row"));
  sizes.slice = sizes.row - 1;
  const bool isCompact = m_panes.size() > 2 || windowHeight() < kVeryLow;
  sizes.compared =
      m_theme.size(isCompact ? QStringLiteral("compared_track_compact") : QStringLiteral("compared_track"));
  sizes.comparedSlice = m_theme.size(QStringLiteral("compared_slice"));
  sizes.counter = m_theme.size(QStringLiteral("counter_track"));
  sizes.group = m_theme.size(QStringLiteral("group_header"));
  sizes.trackLeast = m_theme.scaled(24);
  return sizes;
}

void TimelineView::layoutStack() {
  if (m_isLayingOut) return;  // a pane's wish changes while it is laid out
  m_isLayingOut = true;
  const bool isNarrow = window()->width() < kNarrow;
  m_state.setHeaderWidth(
      m_theme.size(isNarrow ? QStringLiteral("track_header_compact") : QStringLiteral("track_header")));
  m_state.setTrackWidth(std::max(1, width() - m_state.headerWidth()));
  int y = 0;
  const auto place = [&](QWidget& widget, int height) {
    widget.setGeometry(0, y, width(), height);
    y += height;
  };
  place(m_bar, m_theme.size(QStringLiteral("timeline_bar")));
  const bool hasOverview = windowHeight() >= kLow && !m_session.readyRuns().empty();
  m_overview.setVisible(hasOverview);
  if (hasOverview) place(m_overview, m_overview.wantedHeight());
  const int ruler = m_theme.size(QStringLiteral("ruler"));
  const bool isShared = !m_panes.empty() && m_ownRulers.empty();
  m_ruler.setVisible(isShared);
  m_focusLine.setGeometry(0, y, width(), 2);
  if (isShared) place(m_ruler, ruler);
  const int height = std::max(0, this->height() - y);
  m_stack.setGeometry(0, y, width(), height);
  m_trackFilter.setGeometry(0, isShared ? y - ruler : y, m_state.headerWidth() - 1, ruler - 1);
  m_trackFilter.raise();
  m_empty.setGeometry(m_stack.rect());
  m_focusLine.raise();

  const char* seamToken = m_panes.size() > 2 || windowHeight() < kVeryLow ? "seam_small"
                          : windowHeight() < kTall                        ? "seam_compact"
                                                                          : "seam";
  const int seamHeight = m_theme.size(QString::fromLatin1(seamToken));
  const LayoutSizes sizes = this->sizes();
  std::vector<int> wanted;
  for (TimelinePane* pane : m_panes) {
    pane->setSizes(sizes);
    wanted.push_back(pane->wantedHeight());
  }
  int seamsHeight = 0;
  std::vector<bool> hasSeam(m_seams.size());
  for (std::size_t at = 0; at < m_seams.size(); ++at) {
    hasSeam[at] = modelOf(m_seams[at]->upper()) && modelOf(m_seams[at]->lower());
    if (hasSeam[at]) seamsHeight += seamHeight;
  }
  seamsHeight += static_cast<int>(m_ownRulers.size()) * ruler;
  std::vector<int> heights = shareHeights(wanted, height - seamsHeight);
  // What is left over goes to the last pane, so that no gap of another colour shows below.
  int used = seamsHeight;
  for (const int each : heights) used += each;
  if (!heights.empty() && used < height) heights.back() += height - used;
  int top = 0;
  for (std::size_t at = 0; at < m_panes.size(); ++at) {
    // At the outer side of its pane, so that the compared rows stay at the seam.
    const bool isBelow = !m_ownRulers.empty() && m_panes[at]->role() == PaneRole::kLower;
    if (!m_ownRulers.empty()) {
      m_ownRulers[at]->setGeometry(0, isBelow ? top + heights[at] : top, width(), ruler);
      if (!isBelow) top += ruler;
    }
    m_panes[at]->setGeometry(0, top, width(), heights[at]);
    if (isBelow) top += ruler;
    top += heights[at];
    if (at >= m_seams.size()) continue;
    m_seams[at]->setVisible(hasSeam[at]);
    if (!hasSeam[at]) continue;
    m_seams[at]->setGeometry(0, top, width(), seamHeight);
    top += seamHeight;
  }
  m_isLayingOut = false;
}

void TimelineView::resizeEvent(QResizeEvent*) { layoutStack(); }

void TimelineView::showEvent(QShowEvent*) {
  if (m_tip && m_tip->parentWidget() != window()) {
    m_tip->setParent(window());
    m_tip->hide();
    // The window may go before this view does: then the tip went with it.
    connect(m_tip, &QObject::destroyed, this, [this] { m_tip = nullptr; });
  }
  layoutStack();
}

void TimelineView::onScope() {
  m_tipOf = {};
  m_viewRest.start();
  refreshSeams();
  m_overview.refresh();
  for (TimelinePane* pane : m_panes) pane->update();
  const int base = m_session.baseline();
  if (base < 0 || m_session.scope().kind != ScopeKind::kStep) return;
  const TimeRange own = m_session.scopeRange(base);
  const std::int64_t anchor = m_session.anchorNs(base);
  const auto start = static_cast<double>(own.startNs - anchor);
  const auto end = static_cast<double>(own.endNs - anchor);
  if (end <= start) return;
  // Where the step does not show, or is a speck, it is brought into view.
  const bool isSeen = start < m_view.endNs() && end > m_view.startNs() && end - start > m_view.spanNs() / 4;
  if (!isSeen) m_view.fit({own.startNs - anchor, own.endNs - anchor});
}

void TimelineView::placeRulers() {
  const std::size_t wanted = m_control.isLocked() ? 0 : m_panes.size();
  while (m_ownRulers.size() > wanted) {
    delete m_ownRulers.back();
    m_ownRulers.pop_back();
  }
  while (m_ownRulers.size() < wanted) {
    auto* ruler = new Ruler(m_control, m_theme, &m_stack);
    connect(ruler, &Ruler::noteActivated, this, &TimelineView::changeNote);
    ruler->show();
    m_ownRulers.push_back(ruler);
  }
  for (std::size_t at = 0; at < wanted; ++at) m_ownRulers[at]->setRun(m_panes[at]->run());
}

// Rows and positions of what is selected: a few at once, many in a worker.
void TimelineView::refreshSelected() {
  constexpr std::size_t kAtOnce = 2000;
  for (TimelinePane* pane : m_panes) {
    const RunModel* model = modelOf(pane->run());
    const std::vector<SliceId>* slices = m_session.selection().slicesOf(pane->run());
    m_jobs.cancel(keyOf("selected:", pane));
    if (!model || !slices || slices->size() <= kAtOnce) {
      pane->setSelected(model && slices ? selectedRows(model->tracks(), *slices) : SelectedRows{});
      continue;
    }
    pane->setSelected({});
    m_jobs.start(
        keyOf("selected:", pane),
        [tracks = model->sharedTracks(), slices = *slices](std::stop_token) { return selectedRows(*tracks, slices); },
        [this, pane](SelectedRows rows) {
          if (std::find(m_panes.begin(), m_panes.end(), pane) != m_panes.end()) pane->setSelected(std::move(rows));
        });
  }
}

void TimelineView::setHits(std::shared_ptr<const std::vector<SelectedSlices>> hits) {
  m_hits = std::move(hits);
  refreshHits();
}

// Rows and positions for the panes, starts in order for the overview: made in a worker, for a search may find all.
void TimelineView::refreshHits() {
  m_overview.clearHits();
  for (TimelinePane* pane : m_panes) {
    m_jobs.cancel(keyOf("hits:", pane));
    pane->setFound({});
    const RunModel* model = modelOf(pane->run());
    if (!model || !m_hits) continue;
    const auto found = std::find_if(m_hits->begin(), m_hits->end(),
                                    [pane](const SelectedSlices& each) { return each.run == pane->run(); });
    if (found == m_hits->end()) continue;
    struct Marked {
      FoundRows rows;
      std::vector<std::int64_t> startNs;
    };
    m_jobs.start(
        keyOf("hits:", pane),
        [tracks = model->sharedTracks(), hits = m_hits, slices = &found->slices](std::stop_token) {
          Marked marked{foundRows(*tracks, *slices), {}};
          marked.startNs.reserve(slices->size());
          for (const SliceId slice : *slices) {
            marked.startNs.push_back(tracks->facts->trace->slices.startNs[index(slice)]);
          }
          std::sort(marked.startNs.begin(), marked.startNs.end());
          return marked;
        },
        [this, pane](Marked marked) {
          if (std::find(m_panes.begin(), m_panes.end(), pane) == m_panes.end()) return;
          pane->setFound(std::move(marked.rows));
          m_overview.setHits(pane->run(), std::move(marked.startNs));
        });
  }
}

void TimelineView::onSelection() {
  refreshSelected();
  rememberSelection();
  refreshPartners();
  announce();
  const Selection& selection = m_session.selection();
  if (selection.isEmpty() || selection.leadSlice == kNoSlice || selection.origin == SelectionOrigin::kTimeline) return;
  const TimelinePane* pane = this->pane(selection.leadRun);
  if (!pane) return;
  const std::vector<SliceId>* slices = selection.slicesOf(selection.leadRun);
  constexpr std::size_t kLooked = 500;
  if (slices) {
    for (std::size_t at = 0; at < std::min(slices->size(), kLooked); ++at) {
      if (pane->isRevealed((*slices)[at])) return;
    }
  }
  revealSlice(selection.leadRun, selection.leadSlice);
}

void TimelineView::revealSlice(int run, SliceId slice) {
  const RunModel* model = modelOf(run);
  if (!model || slice == kNoSlice) return;
  m_control.activate(run);
  for (TimelinePane* pane : m_panes) {
    if (pane->run() == run) pane->reveal(slice);
  }
  const std::int64_t anchor = m_session.anchorNs(run);
  const auto start = static_cast<double>(model->trace().slices.startNs[index(slice)] - anchor);
  const auto end = static_cast<double>(model->trace().slices.endNs(slice) - anchor);
  const double least = 4 * m_view.spanNs() / std::max(1, m_state.trackWidth());
  if (end - start < least) {
    // Too thin to be seen: closer, so that it is about a twentieth of the view.
    const double span = std::max(100.0, (end - start) * 20);
    m_view.setView((start + end - span) / 2, span);
  } else if (end <= m_view.startNs() || start >= m_view.endNs()) {
    m_view.setView((start + end - m_view.spanNs()) / 2, m_view.spanNs());
  }
}

bool TimelineView::isSettled() const {
  for (int run = 0; run < m_session.runCount(); ++run) {
    const Run* each = m_session.run(run);
    if (each->state() == RunState::kLoading) return false;
    if (each->state() == RunState::kReady && (!modelOf(run) || !modelOf(run)->isIndexed())) return false;
  }
  for (const SeamLane* seam : m_seams) {
    if (modelOf(seam->upper()) && modelOf(seam->lower()) && !seam->isMatched()) return false;
  }
  return !m_jobs.isBusy() && !m_motion.isMoving();
}

TimelinePane* TimelineView::paneOf(int run) const {
  for (TimelinePane* pane : m_panes) {
    if (pane->run() == run) return pane;
  }
  return nullptr;
}

const TimelinePane* TimelineView::pane(int run) const { return paneOf(run); }

const SeamLane* TimelineView::seam(int upper) const {
  for (const SeamLane* seam : m_seams) {
    if (seam->upper() == upper) return seam;
  }
  return nullptr;
}

SliceId TimelineView::sliceAt(int run, QPoint position) const {
  const TimelinePane* at = pane(run);
  return at ? at->sliceAt(at->mapFrom(this, position)) : kNoSlice;
}

QRect TimelineView::sliceRect(int run, SliceId slice) const {
  const TimelinePane* at = pane(run);
  if (!at) return {};
  const QRect rect = at->sliceRect(slice);
  return rect.isNull() ? rect : rect.translated(at->mapTo(this, QPoint(0, 0)));
}

void TimelineView::showTip(int run, SliceId slice, QPoint globalPosition) {
  if (!m_tip) return;
  const TimelinePane* at = pane(run);
  if (slice == kNoSlice && at && modelOf(run) && !globalPosition.isNull()) {
    const PaneScene scene = at->scene();
    if (const IdleGap* gap = scene.gapAt(at->mapFromGlobal(globalPosition))) {
      m_tipOf = {};
      const QPoint pointer = window()->mapFromGlobal(globalPosition);
      m_tip->showSoon(tipTextOf(m_control, run, *gap), pointer, QRect(pointer, QSize(1, sizes().row)));
      return;
    }
  }
  if (slice == kNoSlice || !at || !modelOf(run)) {
    m_tip->conceal();
    return;
  }
  const QRect avoid = at->sliceRect(slice).translated(at->mapTo(window(), QPoint(0, 0)));
  const QPoint pointer = window()->mapFromGlobal(globalPosition);
  // Its calls are counted by walking the slices: not again for every move of the pointer over one of them.
  const TipOf of{run, slice, m_view.startNs(), m_view.spanNs()};
  if (of == m_tipOf) {
    m_tip->showSoon(m_tip->text(), pointer, avoid);
    return;
  }
  Partner partner;
  for (const SeamLane* seam : m_seams) {
    if (partner.run < 0) partner = seam->partnerOf(run, slice);
  }
  m_tipOf = of;
  m_tip->showSoon(tipTextOf(m_control, run, slice, partner), pointer, avoid);
}

void TimelineView::announce() {
  const QString words = accessibleWords(m_control);
  if (words != accessibleName()) setAccessibleName(words);
}

// --- views and selections one came from

TimelineView::ViewPlace TimelineView::viewPlace() const {
  ViewPlace place{m_view.startNs(), m_view.spanNs(), m_session.scope(), m_session.kindFilter(), {}};
  for (const TimelinePane* pane : m_panes) {
    if (modelOf(pane->run())) place.tracks.emplace_back(m_session.run(pane->run()), pane->arrangement());
  }
  return place;
}

void TimelineView::rememberView() {
  m_viewRest.stop();
  if (m_hasView) m_views.arriveAt(viewPlace());
}

void TimelineView::restore(const ViewPlace& place) {
  m_session.setScope(place.scope);
  m_session.setKindFilter(place.kinds);
  for (TimelinePane* pane : m_panes) {
    for (const auto& [run, arrangement] : place.tracks) {
      if (m_session.run(pane->run()) == run) pane->arrange(arrangement);
    }
  }
  m_view.setView(place.startNs, place.spanNs);
  m_viewRest.stop();
}

void TimelineView::goBack() {
  if (m_viewRest.isActive()) rememberView();
  if (const ViewPlace* place = m_views.back()) restore(ViewPlace(*place));
}

void TimelineView::goForward() {
  if (const ViewPlace* place = m_views.forward()) restore(ViewPlace(*place));
}

void TimelineView::rememberSelection() {
  constexpr std::size_t kMostKept = 100'000;  // slices; a larger one is not come back to
  const Selection& selection = m_session.selection();
  if (selection.isEmpty()) return;
  SelectionPlace place;
  std::size_t count = 0;
  for (const SelectedSlices& part : selection.parts) {
    count += part.slices.size();
    if (count > kMostKept) return;
    place.parts.emplace_back(m_session.run(part.run), part.slices);
  }
  place.run = m_session.run(selection.leadRun);
  place.slice = selection.leadSlice;
  place.words = selection.words;
  m_selections.arriveAt(std::move(place));
}

void TimelineView::restore(const SelectionPlace& place) {
  Selection selection;
  for (const auto& [run, slices] : place.parts) selection.parts.push_back({m_session.positionOf(run), slices});
  selection.leadRun = m_session.positionOf(place.run);
  selection.leadSlice = place.slice;
  selection.words = place.words;
  selection.origin = SelectionOrigin::kTimeline;
  m_session.select(selection);
  revealSlice(selection.leadRun, selection.leadSlice);
}

void TimelineView::selectBack() {
  // After it was let go of, the last one comes back first.
  const SelectionPlace* place = m_selections.back();
  if (place) restore(SelectionPlace(*place));
}

void TimelineView::selectForward() {
  if (const SelectionPlace* place = m_selections.forward()) restore(SelectionPlace(*place));
}

// --- tracks

TimelineView::TrackInHand TimelineView::trackInHand() const {
  for (TimelinePane* pane : m_panes) {
    if (pane->trackUnderPointer() >= 0) return {pane, pane->trackUnderPointer()};
  }
  const Selection& selection = m_session.selection();
  const RunModel* model = selection.isEmpty() ? nullptr : modelOf(selection.leadRun);
  for (TimelinePane* pane : m_panes) {
    if (!model || pane->run() != selection.leadRun || selection.leadSlice == kNoSlice) continue;
    if (const auto place = model->tracks().find(selection.leadSlice)) return {pane, place->track};
  }
  return {};
}

void TimelineView::pinTrack() {
  if (const TrackInHand held = trackInHand(); held.pane) held.pane->togglePin(held.track);
}

void TimelineView::hideTrack() {
  if (const TrackInHand held = trackInHand(); held.pane) held.pane->setTrackHidden(held.track, true);
}

void TimelineView::togglePin(int run, int track) {
  if (TimelinePane* at = paneOf(run)) at->togglePin(track);
}

void TimelineView::setTrackHidden(int run, int track, bool isHidden) {
  if (TimelinePane* at = paneOf(run)) at->setTrackHidden(track, isHidden);
}

void TimelineView::showAllTracks() {
  for (TimelinePane* pane : m_panes) {
    TrackArrangement arrangement = pane->arrangement();
    arrangement.hidden.assign(arrangement.hidden.size(), false);
    arrangement.filter.clear();
    pane->arrange(std::move(arrangement));
  }
  m_trackFilter.clear();
  m_trackFilter.hide();
}

void TimelineView::moveTrack(Direction direction) {
  const TrackInHand held = trackInHand();
  if (held.pane) held.pane->moveTrack(held.track, direction);
}

void TimelineView::focusTrackFilter() {
  m_trackFilter.show();
  m_trackFilter.selectAll();
  m_trackFilter.setFocus(Qt::ShortcutFocusReason);
}

// Enter goes back to the timelines and keeps the filter, Escape lets go of it; empty and left, the field goes.
bool TimelineView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == &m_trackFilter && event->type() == QEvent::ShortcutOverride) {
    event->accept();  // every key is for the text
    return true;
  }
  if (watched == &m_trackFilter && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Escape) m_trackFilter.clear();
    if (key == Qt::Key_Escape || key == Qt::Key_Return || key == Qt::Key_Enter) {
      setFocus();
      return true;
    }
  }
  if (watched == &m_trackFilter && event->type() == QEvent::FocusOut && m_trackFilter.text().isEmpty()) {
    m_trackFilter.hide();
  }
  return QWidget::eventFilter(watched, event);
}

void TimelineView::filterTracks(const QString& words) {
  for (TimelinePane* pane : m_panes) {
    TrackArrangement arrangement = pane->arrangement();
    arrangement.filter = words.trimmed().toStdString();
    pane->arrange(std::move(arrangement));
  }
}

// --- notes

QPoint TimelineView::notePoint(int run, std::int64_t ownNs) const {
  const TimelineControl::Window window = m_control.windowOf(run);
  const double share = (static_cast<double>(ownNs - m_session.anchorNs(run)) - window.startNs) / window.spanNs;
  const int x = m_state.headerWidth() + static_cast<int>(std::clamp(share, 0.0, 1.0) * m_state.trackWidth());
  return {x, m_stack.y()};
}

void TimelineView::writeNote(bool onRange) {
  const std::vector<int> ready = m_session.readyRuns();
  if (ready.empty()) return;
  const Selection& selection = m_session.selection();
  int run = m_session.baseline();
  for (const TimelinePane* pane : m_panes) {
    if (pane->underMouse()) run = pane->run();
  }
  std::optional<TimeRange> aligned;
  if (m_state.measure() && onRange) {
    const Measure& measure = *m_state.measure();
    if (std::find(ready.begin(), ready.end(), measure.run) != ready.end()) run = measure.run;
    aligned = TimeRange{std::llround(measure.fromNs), std::llround(measure.toNs)};
  } else if (!onRange && m_view.hasCursor()) {
    aligned = TimeRange{std::llround(m_view.cursorNs()), std::llround(m_view.cursorNs())};
  } else if (const auto selected = m_control.selectionRange()) {
    run = selection.leadRun;
    aligned = onRange ? *selected : TimeRange{selected->startNs, selected->startNs};
  } else if (!onRange) {
    const auto middle = std::llround((m_view.startNs() + m_view.endNs()) / 2);
    aligned = TimeRange{middle, middle};
  }
  if (!aligned || !m_session.run(run)->trace()) return;
  const std::int64_t anchor = m_session.anchorNs(run);
  const TimeRange own{aligned->startNs + anchor, aligned->endNs + anchor};
  m_noteEditor->write(m_session.run(run), own, notePoint(run, own.startNs));
}

void TimelineView::changeNote(int note) {
  const Note& at = m_notes.all()[static_cast<std::size_t>(note)];
  m_noteEditor->change(note, notePoint(m_session.positionOf(at.run), at.range.startNs));
}

void TimelineView::showNote(int note) {
  const Note& at = m_notes.all()[static_cast<std::size_t>(note)];
  const int run = m_session.positionOf(at.run);
  m_control.activate(run);
  const std::int64_t anchor = m_session.anchorNs(run);
  const auto start = static_cast<double>(at.range.startNs - anchor);
  if (!at.isPlace()) {
    m_view.fit({at.range.startNs - anchor, at.range.endNs - anchor});
  } else if (start < m_view.startNs() || start > m_view.endNs()) {
    m_view.setView(start - m_view.spanNs() / 2, m_view.spanNs());
  }
}

std::optional<HeldKey> TimelineView::heldBy(const QKeyEvent& event) const {
  const bool isPlain = (event.modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == 0;
  return isPlain ? heldKeyOf(m_actions, event.key()) : std::nullopt;
}

bool TimelineView::event(QEvent* event) {
  // Held keys move smoothly: their presses come here and not to the actions that menus show them with.
  if (event->type() == QEvent::ShortcutOverride && heldBy(*static_cast<QKeyEvent*>(event))) {
    event->accept();
    return true;
  }
  return QWidget::event(event);
}

void TimelineView::keyPressEvent(QKeyEvent* event) {
  if (const auto held = heldBy(*event)) {
    if (!event->isAutoRepeat()) m_motion.hold(*held, (event->modifiers() & Qt::ShiftModifier) != 0);
    return;
  }
  QWidget::keyPressEvent(event);
}

// To the slice above or below; without a selection the rows scroll, first those under the pointer.
void TimelineView::stepRow(Direction direction) {
  if (!m_session.selection().isEmpty()) {
    const TimelinePane* lead = pane(m_session.selection().leadRun);
    if (lead) m_control.walkRow(direction, lead->trackOrder());
    return;
  }
  const int rows = direction == Direction::kBack ? -1 : 1;
  for (TimelinePane* pane : m_panes) {
    if (pane->underMouse() && pane->scrollRows(rows)) return;
  }
  for (TimelinePane* pane : m_panes) {
    if (pane->scrollRows(rows)) return;
  }
}

void TimelineView::keyReleaseEvent(QKeyEvent* event) {
  // Whatever modifiers came or went since it was pressed.
  if (const auto held = heldKeyOf(m_actions, event->key()); held && !event->isAutoRepeat()) m_motion.release(*held);
  QWidget::keyReleaseEvent(event);
}

void TimelineView::focusInEvent(QFocusEvent* event) {
  const bool byKey = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason ||
                     event->reason() == Qt::ShortcutFocusReason;
  if (byKey) {
    QPalette palette = m_focusLine.palette();
    palette.setColor(QPalette::Window, m_theme.colour(QStringLiteral("state.focus")));
    m_focusLine.setPalette(palette);
  }
  m_focusLine.setVisible(byKey);
  QWidget::focusInEvent(event);
}

void TimelineView::focusOutEvent(QFocusEvent* event) {
  m_motion.releaseAll();
  m_focusLine.hide();
  if (m_tip) m_tip->conceal();
  QWidget::focusOutEvent(event);
}

}  // namespace attnscope::ui
