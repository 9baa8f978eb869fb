// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/TimelineView.h"

#include <algorithm>

#include <QKeyEvent>

#include "ui/timeline/SliceWords.h"
#include "ui/timeline/TimelineActions.h"

namespace attnscope::ui {

namespace {

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
  connect(&m_bar, &TimelineBar::ribbonsChosen, this, &TimelineView::setRibbons);
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

QString TimelineView::keyOf(const char* what, const void* of) {
  return QLatin1String(what) + QString::number(reinterpret_cast<quintptr>(of), 16);
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
      connect(pane, &TimelinePane::arrangementChanged, this, [this, pane] { rememberTracks(*pane); });
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
    m_seams.back()->setRibbons(m_ribbons);
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
  placeSplits();
  m_isLayingOut = false;
  refreshModels();
  refreshSelected();
  refreshExtent();
  refreshSeams();
  layoutStack();
  announce();
}

void TimelineView::setRibbons(Ribbons ribbons) {
  m_bar.setRibbons(ribbons);
  if (ribbons == m_ribbons) return;
  m_ribbons = ribbons;
  for (SeamLane* seam : m_seams) seam->setRibbons(ribbons);
  Q_EMIT ribbonsChanged();
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

void TimelineView::refreshExtent() {
  if (!m_session.anyShown()) return;
  const TimeRange old = m_view.extent();
  const bool wasWhole =
      m_view.startNs() <= static_cast<double>(old.startNs) && m_view.endNs() >= static_cast<double>(old.endNs);
  m_view.setExtent(m_session.alignedExtent());
  if (!m_hasView || wasWhole) m_view.showAll();
  m_hasView = true;
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
  const TimeRange own = m_session.boundedScope(base);
  const std::int64_t anchor = m_session.anchorNs(base);
  const auto start = static_cast<double>(own.startNs - anchor);
  const auto end = static_cast<double>(own.endNs - anchor);
  if (end <= start) return;
  // Where the step does not show, or is a speck, it is brought into view.
  const bool isSeen = start < m_view.endNs() && end > m_view.startNs() && end - start > m_view.spanNs() / 4;
  if (!isSeen) m_view.fit({own.startNs - anchor, own.endNs - anchor});
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
