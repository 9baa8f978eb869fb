// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/SelectionPage.h"

#include <algorithm>

#include <QComboBox>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QStackedLayout>
#include <QVBoxLayout>

#include "ui/bridge/Format.h"
#include "ui/bridge/FreedAside.h"
#include "ui/shell/AggregateRows.h"
#include "ui/tables/TableView.h"
#include "ui/theme/Surface.h"
#include "ui/theme/TextLabel.h"
#include "ui/timeline/GapWords.h"

namespace attnscope::ui {

namespace {

const QString kKey = QStringLiteral("aggregate");
constexpr int kSoonMs = 60;  // a drag measures anew with every move
constexpr std::size_t kFirstPart = 200'000;

}  // namespace

// What is summed, on its way through the workers: one part after another, each twice as large as what was done.
struct SelectionPage::Work {
  Work(std::shared_ptr<const RunFacts> of, AggregateBy wanted)
      : facts(std::move(of)), by(wanted), sums(*facts->trace, by) {}
  std::shared_ptr<const RunFacts> facts;
  AggregateBy by;
  SliceAggregate sums;
  int run = -1;
  int runNumber = 0;
  std::optional<MeasuredArea> area;  // whose slices are to be found first
  std::vector<SliceId> slices;
  std::size_t done = 0;
};

SelectionPage::SelectionPage(Session& session, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_session(session), m_theme(theme), m_model(this) {
  m_table = new QWidget(this);
  auto* column = new QVBoxLayout(m_table);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  m_bar = new Surface(theme, QStringLiteral("surface.panel"), Qt::BottomEdge, m_table);
  auto* row = new QHBoxLayout(m_bar);
  scaleLayout(theme, row, {12, 4, 8, 4}, 12);
  m_head = new TextLabel(theme, {}, {FontRole::kData, QFont::DemiBold, "text.primary"}, m_bar);
  m_head->setElide(Qt::ElideNone);
  m_idle = new TextLabel(theme, {}, {FontRole::kData, QFont::Normal, "text.secondary"}, m_bar);
  m_choice = new QComboBox(m_bar);
  m_choice->addItems({tr("by name"), tr("by category"), tr("by operator"), tr("by kernel")});
  m_choice->setAccessibleName(tr("Sum by"));
  m_choice->setProperty("control", QStringLiteral("small"));
  row->addWidget(m_head);
  row->addWidget(m_idle, 1);
  row->addWidget(m_choice);
  column->addWidget(m_bar);
  m_view = new TableView(m_model, theme, m_table);
  m_view->setAccessibleName(tr("What is selected"));
  column->addWidget(m_view, 1);
  m_state = new PageState(theme, this);
  m_stack = new QStackedLayout(this);
  m_stack->setContentsMargins(0, 0, 0, 0);
  m_stack->addWidget(m_table);
  m_stack->addWidget(m_state);
  m_soon.setSingleShot(true);
  m_soon.setInterval(kSoonMs);
  connect(&m_soon, &QTimer::timeout, this, &SelectionPage::refresh);
  connect(m_choice, &QComboBox::activated, this, [this](int at) { setBy(static_cast<AggregateBy>(at)); });
  for (const auto signal : {&Session::selectionChanged, &Session::runsChanged, &Session::scopeChanged}) {
    connect(&session, signal, &m_soon, qOverload<>(&QTimer::start));
  }
  connect(&theme, &Theme::changed, this, [this] {
    m_view->applyTheme();
    m_state->applyTheme();
  });
  connect(m_view, &TableView::rowActivated, this, [this](int line) {
    const std::uint32_t at = m_model.rowAt(line);
    if (at == RowSlices::kNoRow || m_run < 0) return;
    const SliceId longest = m_model.rows().slices.front().longest(at);
    m_session.selectSlice(m_run, longest, SelectionOrigin::kTimeline);
    Q_EMIT showRequested(m_run, longest);
  });
  refresh();
}

bool SelectionPage::isSettled() const { return !m_soon.isActive() && !m_jobs.isBusy() && m_model.isSettled(); }

void SelectionPage::setTracksOf(std::function<std::shared_ptr<const DisplayTracks>(int)> tracksOf) {
  m_tracksOf = std::move(tracksOf);
}

void SelectionPage::setArea(std::optional<MeasuredArea> area) {
  if (area == m_area) return;
  m_area = std::move(area);
  m_soon.start();
}

void SelectionPage::setBy(AggregateBy by) {
  m_choice->setCurrentIndex(static_cast<int>(by));
  if (by == m_by) return;
  m_by = by;
  refresh();
}

void SelectionPage::refresh() {
  m_soon.stop();
  m_jobs.cancel(kKey);
  const Selection& selection = m_session.selection();
  const bool isArea = m_area && m_area->run < m_session.runCount();
  const int run = isArea ? m_area->run : selection.leadRun;
  const auto facts = run >= 0 ? m_session.run(run)->facts() : nullptr;
  const std::vector<SliceId>* selected = isArea || run < 0 ? nullptr : selection.slicesOf(run);
  m_count = 0;
  m_wanted = 0;
  m_totalNs = 0;
  m_run = run;
  if (!facts || (!isArea && !selected) || (isArea && m_area->tracks->facts != facts)) {
    m_run = -1;
    m_model.setRows(std::make_shared<const TableRows>());
    m_state->setWords({QStringLiteral("measure"),
                       QStringLiteral("text.secondary"),
                       tr("Nothing is selected"),
                       tr("Shift+drag over tracks, select slices, or select rows of a table: their sums stand here."),
                       {},
                       {}});
    m_stack->setCurrentWidget(m_state);
    if (!idleWords().isEmpty()) m_stack->setCurrentWidget(m_table);
    refreshHead();
    return;
  }
  auto work = makeFreedAside<Work>(facts, m_by);
  work->run = run;
  work->runNumber = m_session.run(run)->number();
  if (isArea) {
    work->area = m_area;
  } else {
    work->slices = *selected;
  }
  m_stack->setCurrentWidget(m_table);
  start(std::move(work));
}

void SelectionPage::start(std::shared_ptr<Work> work) {
  m_jobs.start(
      kKey,
      [work](std::stop_token) {
        if (work->area) {
          work->slices = slicesOf(*work->area);
          work->area.reset();
        }
        const std::size_t part = std::min(work->slices.size() - work->done, std::max(kFirstPart, work->done));
        work->sums.add(std::span(work->slices).subspan(work->done, part));
        work->done += part;
        return aggregateRows(work->sums, work->by, work->runNumber, work->facts);
      },
      [this, work](SharedRows rows) {
        m_count = work->sums.count();
        m_wanted = work->slices.size();
        m_totalNs = work->sums.totalNs();
        m_model.setRows(std::move(rows));
        const bool isWhole = work->done == work->slices.size();
        refreshHead();
        if (!isWhole) start(work);
      });
}

QString SelectionPage::headWords() const {
  if (m_run < 0) return {};
  const QString count = format::count(static_cast<std::int64_t>(m_count));
  const QString total = format::time(static_cast<double>(m_totalNs));
  const QString letter = m_session.run(m_run)->letter();
  if (m_jobs.isBusy() && m_count < m_wanted) {
    return tr("%1: %2 of %3 slices so far").arg(letter, count, format::count(static_cast<std::int64_t>(m_wanted)));
  }
  return m_count == 1 ? tr("%1: 1 slice, %2").arg(letter, total)
                      : tr("%1: %2 slices, %3 in all").arg(letter, count, total);
}

QString SelectionPage::idleWords() const {
  const int run = m_run >= 0 ? m_run : m_session.baseline();
  const std::shared_ptr<const DisplayTracks> tracks = run >= 0 && m_tracksOf ? m_tracksOf(run) : nullptr;
  if (!tracks || tracks->gaps.empty()) return {};
  // Of the stream that was dragged over, else the busiest.
  TrackId stream = tracks->facts->comparedTrack;
  TimeRange range = m_session.scopeRange(run);
  if (m_area && m_area->run == run && m_run >= 0) {
    range = m_area->own;
    for (const auto& [track, row] : m_area->rows) {
      const TrackId of = tracks->tracks[static_cast<std::size_t>(track)].track;
      if (of != kNoTrack && tracks->facts->trace->tracks[index(of)].kind == TrackKind::kStream) stream = of;
    }
  }
  const std::vector<IdleSum> sums = idleByCause(tracks->gaps, stream, range);
  std::int64_t total = 0;
  for (const IdleSum& each : sums) total += each.totalNs;
  if (total == 0) return {};
  QStringList causes;
  for (const IdleSum& each : sums) {
    causes << tr("%1 %2").arg(causeWords(each.cause),
                              format::percent(static_cast<double>(each.totalNs) / static_cast<double>(total), 0));
  }
  return tr("%1 idle %2: %3")
      .arg(QString::fromStdString(tracks->facts->trace->tracks[index(stream)].name),
           format::time(static_cast<double>(total)), causes.join(QStringLiteral(", ")));
}

void SelectionPage::refreshHead() {
  m_head->setText(m_run < 0 ? m_session.scopeWords() : headWords());
  m_idle->setText(idleWords());
}

}  // namespace attnscope::ui
