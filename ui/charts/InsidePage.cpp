// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/InsidePage.h"

#include <algorithm>
#include <limits>
#include <set>

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QSpinBox>
#include <QVBoxLayout>

#include "ui/bridge/Format.h"
#include "ui/bridge/Session.h"
#include "ui/charts/RowChart.h"
#include "ui/charts/TileMapView.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {
namespace {

constexpr int kSlowMs = 200;

}  // namespace

InsidePage::InsidePage(Session& session, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_session(session), m_theme(theme) {
  setAutoFillBackground(true);
  auto* page = new QVBoxLayout(this);
  page->setContentsMargins(0, 0, 0, 0);
  page->setSpacing(0);
  auto* bar = new QWidget(this);
  buildBar(bar);
  page->addWidget(bar);
  m_progress = new QProgressBar(this);
  m_progress->setRange(0, 0);
  m_progress->setTextVisible(false);
  m_progress->hide();
  page->addWidget(m_progress);
  auto* below = new QHBoxLayout;
  below->setSpacing(0);
  m_view = new TileMapView(theme, this);
  below->addWidget(m_view, 3);
  auto* side = new QWidget(this);
  side->setAutoFillBackground(true);
  side->setBackgroundRole(QPalette::Base);
  auto* right = new QVBoxLayout(side);
  right->setContentsMargins(0, 0, 0, 0);
  right->setSpacing(0);
  m_legend = new QLabel(side);
  m_legend->setTextFormat(Qt::RichText);
  m_legend->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  m_chart = new RowChart(theme, side);
  right->addWidget(m_legend);
  right->addWidget(m_chart, 1);
  below->addWidget(side, 2);
  page->addLayout(below, 1);
  auto* copy = new QAction(tr("Copy the row's data"), this);
  connect(copy, &QAction::triggered, this, [this] { QGuiApplication::clipboard()->setText(m_chart->data()); });
  m_chart->addAction(copy);
  m_chart->setContextMenuPolicy(Qt::ActionsContextMenu);

  m_refresh.setSingleShot(true);
  m_refresh.setInterval(0);
  connect(&m_refresh, &QTimer::timeout, this, &InsidePage::build);
  m_slow.setSingleShot(true);
  m_slow.setInterval(kSlowMs);
  connect(&m_slow, &QTimer::timeout, this, [this] { m_progress->setVisible(!isSettled()); });
  connect(&session, &Session::runsChanged, this, &InsidePage::refreshRuns);
  connect(&session, &Session::runChanged, this, &InsidePage::refreshRuns);
  connect(&session, &Session::selectionChanged, this, &InsidePage::followSelection);
  connect(&m_jobs, &Jobs::changed, this, [this] {
    if (isSettled()) m_progress->hide();
    Q_EMIT settledChanged();
  });
  connect(m_view, &TileMapView::tileChosen, this, &InsidePage::chooseTile);
  connect(m_view, &TileMapView::queryChosen, m_query,
          [this](qint64 query) { m_query->setValue(static_cast<int>(query)); });
  connect(m_view, &TileMapView::wordsChanged, this, &InsidePage::updateHeading);
  connect(&theme, &Theme::changed, this, &InsidePage::applyTheme);
  applyTheme();
  refreshRuns();
}

void InsidePage::buildBar(QWidget* bar) {
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(m_theme.scaled(8), m_theme.scaled(4), m_theme.scaled(8), m_theme.scaled(4));
  const auto combo = [&](const QString& name) {
    auto* box = new QComboBox(bar);
    box->setProperty("control", QStringLiteral("small"));
    box->setAccessibleName(name);
    box->setToolTip(name);
    row->addWidget(box);
    return box;
  };
  m_run = combo(tr("Run whose kernel is looked into"));
  m_head = combo(tr("Head of queries"));
  m_colouring = combo(tr("What the colour of a tile says"));
  m_colouring->addItems({tr("By time"), tr("By worker")});
  auto* label = new QLabel(tr("Query"), bar);
  row->addWidget(label);
  m_query = new QSpinBox(bar);
  m_query->setButtonSymbols(QAbstractSpinBox::NoButtons);
  m_query->setAccessibleName(tr("Query whose row is drawn"));
  label->setBuddy(m_query);
  row->addWidget(m_query);
  m_heading = new QLabel(bar);
  m_heading->setTextFormat(Qt::PlainText);
  m_heading->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  row->addWidget(m_heading, 1);
  connect(m_run, &QComboBox::activated, this, [this] { m_refresh.start(); });
  connect(m_head, &QComboBox::activated, this, [this](int head) {
    const TileMap& map = m_view->map();
    const auto heads = static_cast<int>(map.heads * map.group);
    showRow({head / heads, head % heads, m_row.query});
  });
  connect(m_colouring, &QComboBox::activated, this,
          [this](int at) { m_view->setColouring(static_cast<TileColouring>(at)); });
  connect(m_query, &QSpinBox::valueChanged, this, [this](int query) { showRow({m_row.sequence, m_row.head, query}); });
}

int InsidePage::positionOf(int runNumber) const {
  for (int i = 0; i < m_session.runCount(); ++i) {
    if (m_session.run(i)->number() == runNumber) return i;
  }
  return -1;
}

int InsidePage::chosenNumber() const {
  const int at = m_run->currentIndex();
  return at < 0 || at >= static_cast<int>(m_numbers.size()) ? -1 : m_numbers[static_cast<std::size_t>(at)];
}

bool InsidePage::isSettled() const { return !m_refresh.isActive() && !m_jobs.isBusy(); }
QString InsidePage::heading() const { return m_heading->text(); }

void InsidePage::refreshRuns() {
  const int before = chosenNumber();
  const bool wasWanted = isWanted();
  m_numbers.clear();
  m_run->clear();
  for (const int position : m_session.readyRuns()) {
    const Run* run = m_session.run(position);
    if (!hasTiles(*run->trace())) continue;
    m_numbers.push_back(run->number());
    m_run->addItem(tr("%1: %2").arg(run->letter(), run->title()));
  }
  const auto at = std::find(m_numbers.begin(), m_numbers.end(), before);
  m_run->setCurrentIndex(m_numbers.empty() ? -1 : at == m_numbers.end() ? 0 : static_cast<int>(at - m_numbers.begin()));
  m_run->setVisible(m_numbers.size() > 1);
  m_refresh.start();
  m_slow.start();
  if (wasWanted != isWanted()) Q_EMIT wantedChanged();
}

void InsidePage::build() {
  const int position = positionOf(chosenNumber());
  if (position < 0 || m_session.run(position)->facts() == nullptr) {
    m_jobs.cancelAll();
    take(std::make_shared<const TileMap>());
    return;
  }
  const Run* run = m_session.run(position);
  if (m_view->map().facts == run->facts()) {
    Q_EMIT settledChanged();
    return;
  }
  m_jobs.start(
      QStringLiteral("tiles"),
      [number = run->number(), facts = run->facts()](const std::stop_token& stop) {
        return tileMapOf(number, facts, stop);
      },
      [this](std::shared_ptr<const TileMap> map) { take(std::move(map)); });
}

void InsidePage::take(std::shared_ptr<const TileMap> map) {
  m_view->setMap(std::move(map));
  fillHeads();
  const TileMap& now = m_view->map();
  const QSignalBlocker quiet(m_query);
  m_query->setRange(0, static_cast<int>(std::max<std::int64_t>(0, now.queries - 1)));
  // The last row sees most.
  showRow({0, 0, std::max<std::int64_t>(0, now.queries - 1)});
  followSelection();
  Q_EMIT settledChanged();
}

void InsidePage::fillHeads() {
  const TileMap& map = m_view->map();
  m_head->clear();
  for (int sequence = 0; sequence < map.sequences; ++sequence) {
    for (int head = 0; head < static_cast<int>(map.heads * map.group); ++head) {
      m_head->addItem(map.sequences == 1 ? tr("Head %1").arg(head)
                                         : tr("Sequence %1, head %2").arg(sequence).arg(head));
    }
  }
}

void InsidePage::showRow(const RowOfTiles& row) {
  const TileMap& map = m_view->map();
  m_row = row;
  m_row.query = std::clamp<std::int64_t>(row.query, 0, std::max<std::int64_t>(0, map.queries - 1));
  m_head->setCurrentIndex(m_row.sequence * static_cast<int>(map.heads * map.group) + m_row.head);
  const QSignalBlocker quiet(m_query);
  m_query->setValue(static_cast<int>(m_row.query));
  m_view->setRow(m_row);
  showHistory();
  updateHeading();
}

void InsidePage::showHistory() {
  const TileMap& map = m_view->map();
  m_chart->setPoints(historyOf(map, m_row), map.keys);
  if (map.tiles.empty()) return m_legend->clear();
  if (m_chart->points().empty()) {
    m_legend->setText(
        tr("The trace keeps no largest scores and sums for this row; those of the first heads are kept."));
    return;
  }
  const auto inked = [this](const QString& token, const QString& words) {
    return QStringLiteral("<span style=\"color:%1\">%2</span>")
        .arg(m_theme.colour(token).name(), words.toHtmlEscaped());
  };
  m_legend->setText(tr("Query %1 over its keys: %2, %3")
                        .arg(QString::number(m_row.query),
                             inked(QStringLiteral("delta.faster"), tr("\u25cf largest score so far")),
                             inked(QStringLiteral("delta.slower"), tr("\u25a0 sum of exp(score - largest)"))));
}

void InsidePage::chooseTile(std::size_t tile) {
  const TileMap& map = m_view->map();
  const int run = positionOf(map.runNumber);
  if (run < 0 || m_session.run(run)->facts() != map.facts) return;
  Selection selection;
  selection.leadRun = run;
  selection.leadSlice = map.tiles[tile].slices.front();
  std::vector<SliceId> slices;
  for (const SliceId slice : map.tiles[tile].slices) {
    if (slice != kNoSlice) slices.push_back(slice);
  }
  std::sort(slices.begin(), slices.end());
  selection.parts.push_back({run, std::move(slices)});
  selection.words = m_view->words();
  selection.origin = SelectionOrigin::kChart;
  m_session.select(std::move(selection));
}

// The tiles of what is selected; where the leading slice is part of one, its head is shown.
void InsidePage::followSelection() {
  const TileMap& map = m_view->map();
  const int run = positionOf(map.runNumber);
  std::set<std::size_t> tiles;
  const std::vector<SliceId>* slices = run < 0 ? nullptr : m_session.selection().slicesOf(run);
  if (slices != nullptr && m_session.run(run)->facts() == map.facts) {
    for (const SliceId slice : *slices) {
      if (const auto tile = map.tileOf(slice)) tiles.insert(*tile);
    }
    const auto lead = m_session.selection().leadRun == run ? map.tileOf(m_session.selection().leadSlice) : std::nullopt;
    if (lead) {
      const Tile& tile = map.tiles[*lead];
      const auto group = static_cast<std::int32_t>(map.group);
      const bool isOfRow = tile.sequence == m_row.sequence && tile.head == m_row.head / group &&
                           m_row.query >= tile.firstQuery && m_row.query < tile.endQuery;
      if (!isOfRow) showRow({tile.sequence, tile.head * group, tile.firstQuery});
    }
  }
  m_view->setSelected(std::move(tiles));
}

void InsidePage::updateHeading() {
  const TileMap& map = m_view->map();
  QString words = m_view->words();
  if (words.isEmpty() && !map.tiles.empty()) {
    const QString count =
        map.slices == map.byFormula
            ? tr("%1 slices, as the masks ask for").arg(format::count(map.slices))
            : tr("%1 slices where the masks ask for %2").arg(format::count(map.slices), format::count(map.byFormula));
    words = tr("%1 tiles of this head; %2, over %3 of a worker's time; watching %4 and is in no comparison")
                .arg(format::count(static_cast<std::int64_t>(m_view->shown().size())), count,
                     format::percent(map.leastCovered),
                     // Less than the noise of the calls it is measured by.
                     map.costOfWatching <= 0 ? tr("cost too little to measure")
                                             : tr("cost %1").arg(format::percent(map.costOfWatching)));
  }
  m_heading->setText(words);
  m_heading->setToolTip(words);
}

void InsidePage::applyTheme() {
  m_heading->setFont(m_theme.font(FontRole::kData));
  m_legend->setFont(m_theme.font(FontRole::kCaption));
  m_legend->setContentsMargins(m_theme.scaled(8), m_theme.scaled(4), m_theme.scaled(8), 0);
  showHistory();
}

}  // namespace attnscope::ui
