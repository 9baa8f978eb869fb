// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/TablePage.h"

#include <algorithm>

#include <QAction>
#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QLabel>
#include <QLocale>
#include <QProgressBar>
#include <QStackedLayout>
#include <QVBoxLayout>

#include "ui/bridge/ErrorWords.h"
#include "ui/tables/TableCopy.h"
#include "ui/tables/TableFoot.h"
#include "ui/tables/TableHeader.h"
#include "ui/tables/TableView.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {
namespace {

constexpr int kSlowMs = 200;

}  // namespace

TablePage::TablePage(Session& session, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_session(session), m_theme(theme), m_model(this) {
  m_table = new QWidget(this);
  m_noteBar = new QWidget(m_table);
  m_noteBar->setAutoFillBackground(true);
  m_note = new QLabel(m_noteBar);
  auto* note = new QHBoxLayout(m_noteBar);
  note->setSpacing(0);
  note->addWidget(m_note, 1);
  m_view = new TableView(m_model, theme, m_table);
  m_foot = new TableFoot(m_model, *m_view->horizontalHeader(), theme, m_table);
  // Over the view, under its head: it takes no room, so nothing moves when it comes and goes.
  m_progress = new QProgressBar(m_view);
  m_progress->setRange(0, 0);
  m_progress->setTextVisible(false);
  m_progress->hide();
  auto* column = new QVBoxLayout(m_table);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_noteBar);
  column->addWidget(m_view, 1);
  column->addWidget(m_foot);
  m_state = new PageState(theme, this);
  m_stack = new QStackedLayout(this);
  m_stack->setContentsMargins(0, 0, 0, 0);
  m_stack->addWidget(m_table);
  m_stack->addWidget(m_state);

  auto* copyRows = new QAction(tr("Copy rows"), this);
  copyRows->setShortcut(QKeySequence::Copy);
  connect(copyRows, &QAction::triggered, this, [this] { copy(false); });
  auto* copyMarkdown = new QAction(tr("Copy rows as Markdown"), this);
  copyMarkdown->setShortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C));
  connect(copyMarkdown, &QAction::triggered, this, [this] { copy(true); });
  for (QAction* action : {copyRows, copyMarkdown}) addTableAction(action);
  m_view->setContextMenuPolicy(Qt::ActionsContextMenu);

  m_refresh.setSingleShot(true);
  m_refresh.setInterval(0);
  connect(&m_refresh, &QTimer::timeout, this, &TablePage::build);
  m_slow.setSingleShot(true);
  m_slow.setInterval(kSlowMs);
  connect(&m_slow, &QTimer::timeout, this, [this] { m_progress->setVisible(!isSettled()); });

  for (const auto signal : {&Session::runsChanged, &Session::scopeChanged, &Session::comparisonChanged}) {
    connect(&session, signal, this, &TablePage::refresh);
  }
  connect(&session, &Session::runChanged, this, &TablePage::refresh);
  connect(&session, &Session::selectionChanged, this, &TablePage::selectFromSession);
  const auto settled = [this] {
    if (isSettled()) {
      m_progress->hide();
    } else if (!m_slow.isActive()) {
      m_slow.start();
    }
    updateState();
    Q_EMIT settledChanged();
  };
  connect(&session, &Session::busyChanged, this, settled);
  connect(&m_jobs, &Jobs::changed, this, settled);
  connect(&m_model, &RowTable::settledChanged, this, settled);
  connect(&m_model, &RowTable::arranged, this, [this] {
    updateFoot();
    selectFromSession();
  });
  connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this, &TablePage::selectFromTable);
  connect(m_view, &TableView::rowActivated, this, &TablePage::activate);
  connect(m_view, &TableView::walked, this, &TablePage::walk);
  connect(m_view, &TableView::columnsLaidOut, m_foot, qOverload<>(&QWidget::update));
  connect(m_view->horizontalHeader(), &QHeaderView::geometriesChanged, m_foot, qOverload<>(&QWidget::update));
  connect(&theme, &Theme::changed, this, &TablePage::applyTheme);
  applyTheme();
  refresh();
}

QTableView* TablePage::tableView() const { return m_view; }

QString TablePage::tabText() const {
  if (m_model.rows().rowCount == 0) return pageName();
  return QStringLiteral("%1 %2").arg(pageName(), format::count(static_cast<std::int64_t>(m_model.rows().rowCount)));
}

bool TablePage::isSettled() const {
  return !m_session.isBusy() && !m_refresh.isActive() && !m_jobs.isBusy() && m_model.isSettled();
}

QString TablePage::stateTitle() const {
  return m_stack->currentWidget() == m_state ? m_state->words().title : QString();
}

QString TablePage::footTitle() const { return m_foot->title(); }

void TablePage::setFilterText(const QString& text) { m_model.setFilter(text); }

void TablePage::addTableAction(QAction* action) {
  action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  m_actions << action;
  m_view->addAction(action);
}

QStringList TablePage::kindTitles() const {
  QStringList titles;
  for (int kind = 0; kind < kWorkKindCount; ++kind) titles << m_theme.kindTitle(static_cast<WorkKind>(kind));
  return titles;
}

std::optional<std::vector<RunInput>> TablePage::inputs() const {
  std::vector<RunInput> list;
  const int base = m_session.baseline();
  for (const int position : m_session.readyRuns()) {
    const Run* run = m_session.run(position);
    if (run->facts() == nullptr || run->tables() == nullptr) return std::nullopt;
    RunInput input{run->number(), run->letter(), run->facts(), run->tables()};
    list.insert(position == base ? list.begin() : list.end(), std::move(input));
  }
  return list;
}

void TablePage::refresh() {
  m_refresh.start();
  if (!m_slow.isActive()) m_slow.start();
}

void TablePage::build() {
  Builder make = builder();
  if (make) {
    m_jobs.start(
        QStringLiteral("rows"), [make = std::move(make)](std::stop_token) { return make(); },
        [this](SharedRows rows) { putRows(std::move(rows)); });
  } else {
    m_jobs.cancelAll();
    if (m_session.readyRuns().empty() && m_model.rows().rowCount > 0) putRows(std::make_shared<TableRows>());
  }
  updateState();
  Q_EMIT settledChanged();
}

void TablePage::putRows(SharedRows rows) {
  m_model.setRows(std::move(rows));
  m_note->setText(m_model.rows().note);
  updateState();
  Q_EMIT tabTextChanged();
}

void TablePage::updateState() {
  const bool isReady = !m_session.readyRuns().empty();
  const bool isWorking = m_session.isBusy() || m_jobs.isBusy();
  const Run* failed = nullptr;
  for (int i = 0; i < m_session.runCount(); ++i) {
    if (m_session.run(i)->state() == RunState::kFailed) failed = m_session.run(i);
  }
  if (!isReady && !isWorking && failed != nullptr) {
    const Error& error = failed->error();
    m_state->setWords({QStringLiteral("problem"),
                       QStringLiteral("severity.problem"),
                       tr("%1 could not be read").arg(failed->spokenName()),
                       (whatHappened(error) + u' ' + whatToDo(error)).trimmed(),
                       {},
                       QStringLiteral("%1: %2").arg(failed->location(), QString::fromStdString(error.message()))});
    m_stack->setCurrentWidget(m_state);
  } else if (isReady && !isWorking && m_model.rows().rowCount == 0) {
    m_state->setWords(emptyWords());
    m_stack->setCurrentWidget(m_state);
  } else {
    m_stack->setCurrentWidget(m_table);
  }
  const bool hasSwitch = m_noteBar->layout()->count() > 1;
  m_noteBar->setVisible(hasSwitch || !m_note->text().isEmpty());
}

QString TablePage::scopeInWords() const {
  if (m_session.scope().kind == ScopeKind::kWhole) return {};
  const QString words = m_session.scopeWords();
  return QLocale().toLower(words.left(1)) + words.mid(1);
}

void TablePage::updateFoot() {
  const TableRows& rows = m_model.rows();
  const std::size_t shown = m_model.arrangement().shownRows;
  if (shown == rows.rowCount) {
    m_foot->setTitle(allRows(scopeInWords()), tr("rows sum to this line"));
  } else {
    m_foot->setTitle(someRows(format::count(static_cast<std::int64_t>(shown)),
                              format::count(static_cast<std::int64_t>(rows.rowCount))),
                     tr("sums of these"));
  }
  m_view->horizontalHeader()->viewport()->update();
}

int TablePage::positionOfNumber(int runNumber) const {
  for (int i = 0; i < m_session.runCount(); ++i) {
    if (m_session.run(i)->number() == runNumber) return i;
  }
  return -1;
}

std::vector<std::uint32_t> TablePage::selectedRows() const {
  std::vector<int> lines;
  for (const QModelIndex& index : m_view->selectionModel()->selectedRows()) lines.push_back(index.row());
  std::sort(lines.begin(), lines.end());
  std::vector<std::uint32_t> rows;
  for (const int line : lines) {
    if (m_model.rowAt(line) != RowSlices::kNoRow) rows.push_back(m_model.rowAt(line));
  }
  return rows;
}

Selection TablePage::selectionOf(const std::vector<std::uint32_t>& rows) const {
  Selection selection;
  selection.origin = SelectionOrigin::kTable;
  for (const RowSlices& ofRun : m_model.rows().slices) {
    SelectedSlices part;
    part.run = positionOfNumber(ofRun.runNumber());
    if (part.run < 0) continue;
    for (const std::uint32_t row : rows) {
      const std::span<const SliceId> slices = ofRun.slices(row);
      part.slices.insert(part.slices.end(), slices.begin(), slices.end());
      // The first row leads, in the first run that has it, with its longest slice.
      const SliceId longest = ofRun.longest(row);
      if (selection.leadRun >= 0 || longest == kNoSlice) continue;
      selection.leadRun = part.run;
      selection.leadSlice = longest;
    }
    if (part.slices.empty()) continue;
    std::sort(part.slices.begin(), part.slices.end());
    part.slices.erase(std::unique(part.slices.begin(), part.slices.end()), part.slices.end());
    selection.parts.push_back(std::move(part));
  }
  if (rows.size() == 1) {
    selection.words = m_model.rows().cellText(rows.front(), 0);
  } else {
    selection.words = tr("%1 rows").arg(format::count(static_cast<std::int64_t>(rows.size())));
  }
  return selection;
}

void TablePage::selectFromTable() {
  if (m_applying) return;
  const std::vector<std::uint32_t> rows = selectedRows();
  m_applying = true;
  if (rows.empty()) {
    if (m_session.selection().origin == SelectionOrigin::kTable) m_session.clearSelection();
  } else {
    m_session.select(selectionOf(rows));
  }
  m_applying = false;
}

// The rows that stand for the selected slices become selected. Rows come into view only when none of them is.
void TablePage::selectFromSession() {
  if (m_applying) return;
  const Selection& selection = m_session.selection();
  std::vector<int> lines;
  for (const RowSlices& ofRun : m_model.rows().slices) {
    const std::vector<SliceId>* slices = selection.slicesOf(positionOfNumber(ofRun.runNumber()));
    if (slices == nullptr) continue;
    for (const SliceId slice : *slices) {
      const int line = m_model.lineOf(ofRun.rowOf(slice));
      if (line >= 0) lines.push_back(line);
    }
  }
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  QItemSelection wanted;
  for (std::size_t i = 0; i < lines.size();) {
    std::size_t end = i + 1;
    while (end < lines.size() && lines[end] == lines[end - 1] + 1) ++end;
    wanted.select(m_model.index(lines[i], 0), m_model.index(lines[end - 1], m_model.columnCount() - 1));
    i = end;
  }
  m_applying = true;
  m_view->selectionModel()->select(wanted, QItemSelectionModel::ClearAndSelect);
  if (!lines.empty()) {
    const auto isVisible = [&](int line) {
      const int top = m_view->rowViewportPosition(line);
      return top >= 0 && top + m_view->rowHeight(line) <= m_view->viewport()->height();
    };
    const QModelIndex first = m_model.index(lines.front(), 0);
    if (std::find(lines.begin(), lines.end(), m_view->currentIndex().row()) == lines.end()) {
      m_view->selectionModel()->setCurrentIndex(first, QItemSelectionModel::NoUpdate);
    }
    if (std::none_of(lines.begin(), lines.end(), isVisible))
      m_view->scrollTo(first, QAbstractItemView::PositionAtCenter);
  }
  m_applying = false;
}

void TablePage::activate(int line) {
  const std::uint32_t row = m_model.rowAt(line);
  if (row == RowSlices::kNoRow) {
    m_model.toggleGroup(line);
    return;
  }
  const Selection selection = selectionOf({row});
  if (selection.isEmpty()) return;
  m_applying = true;
  m_session.selectSlice(selection.leadRun, selection.leadSlice, SelectionOrigin::kTable);
  m_applying = false;
}

void TablePage::walk(int direction) {
  const std::uint32_t row = m_model.rowAt(m_view->currentIndex().row());
  if (row == RowSlices::kNoRow) return;
  const Selection& now = m_session.selection();
  for (const RowSlices& ofRun : m_model.rows().slices) {
    const int position = positionOfNumber(ofRun.runNumber());
    const std::span<const SliceId> slices = ofRun.slices(row);
    if (position < 0 || slices.empty()) continue;
    const bool leads = now.leadRun == position && ofRun.rowOf(now.leadSlice) == row;
    // A selection that is elsewhere: the walk begins in the first run that has the row.
    const bool elsewhere =
        now.leadRun < 0 ||
        std::none_of(m_model.rows().slices.begin(), m_model.rows().slices.end(), [&](const RowSlices& other) {
          return positionOfNumber(other.runNumber()) == now.leadRun && other.rowOf(now.leadSlice) == row;
        });
    if (!leads && !elsewhere) continue;
    const auto at = std::find(slices.begin(), slices.end(), now.leadSlice);
    std::ptrdiff_t next = direction > 0 ? 0 : static_cast<std::ptrdiff_t>(slices.size()) - 1;
    if (leads && at != slices.end()) next = (at - slices.begin()) + direction;
    if (next < 0 || next >= static_cast<std::ptrdiff_t>(slices.size())) return;
    m_applying = true;
    m_session.selectSlice(position, slices[static_cast<std::size_t>(next)], SelectionOrigin::kTable);
    m_applying = false;
    return;
  }
}

void TablePage::copy(bool asMarkdown) {
  std::vector<std::uint32_t> rows = selectedRows();
  if (rows.empty()) {
    for (int line = 0; line < m_model.rowCount(); ++line) {
      if (m_model.rowAt(line) != RowSlices::kNoRow) rows.push_back(m_model.rowAt(line));
    }
  }
  const std::vector<int> shown = m_view->shownColumns();
  QGuiApplication::clipboard()->setText(asMarkdown ? markdown(m_model.rows(), rows, shown)
                                                   : tabSeparated(m_model.rows(), rows, shown));
}

bool TablePage::event(QEvent* event) {
  if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::Resize) {
    m_progress->setGeometry(0, m_view->horizontalHeader()->height(), m_view->width(), 3);
  }
  return QWidget::event(event);
}

void TablePage::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) refresh();
  QWidget::changeEvent(event);
}

void TablePage::applyTheme() {
  QPalette ground = m_noteBar->palette();
  ground.setColor(QPalette::Window, m_theme.colour(QStringLiteral("surface.pane")));
  m_noteBar->setPalette(ground);
  QPalette ink = m_note->palette();
  ink.setColor(QPalette::WindowText, m_theme.colour(QStringLiteral("text.secondary")));
  m_note->setPalette(ink);
  m_note->setFont(m_theme.font(FontRole::kData));
  m_noteBar->layout()->setContentsMargins(m_theme.scaled(8), m_theme.scaled(3), m_theme.scaled(8), m_theme.scaled(3));
  m_foot->setFixedHeight(m_theme.size(QStringLiteral("table_header")));
  m_view->applyTheme();
  m_state->applyTheme();
  m_foot->update();
}

}  // namespace attnscope::ui
