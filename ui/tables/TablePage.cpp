// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/TablePage.h"

#include <algorithm>

#include <QAction>
#include <QButtonGroup>
#include <QClipboard>
#include <QEvent>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QLocale>
#include <QProgressBar>
#include <QSaveFile>
#include <QStackedLayout>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/tables/TableCopy.h"
#include "ui/tables/TableFoot.h"
#include "ui/tables/TableHeader.h"
#include "ui/tables/TableView.h"
#include "ui/theme/TextLabel.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {
namespace {

constexpr int kSlowMs = 200;
constexpr std::size_t kSlicesAtOnce = 20'000;  // as many are sorted or looked up within a frame

}  // namespace

TablePage::TablePage(Session& session, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_session(session), m_theme(theme), m_model(this) {
  m_table = new QWidget(this);
  // Over the table and over what stands in its place: a view without rows leads back to the others.
  m_noteBar = new QWidget(this);
  m_noteBar->setAutoFillBackground(true);
  m_note = new QVBoxLayout;
  m_note->setSpacing(0);
  auto* bar = new QHBoxLayout(m_noteBar);
  bar->setSpacing(0);
  bar->addLayout(m_note, 1);
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
  column->addWidget(m_view, 1);
  column->addWidget(m_foot);
  m_state = new PageState(theme, this);
  auto* page = new QVBoxLayout(this);
  page->setContentsMargins(0, 0, 0, 0);
  page->setSpacing(0);
  page->addWidget(m_noteBar);
  m_stack = new QStackedLayout;
  m_stack->setContentsMargins(0, 0, 0, 0);
  page->addLayout(m_stack, 1);
  m_stack->addWidget(m_table);
  m_stack->addWidget(m_state);

  m_chooseFile = [](QWidget* over, const QString& suggestion) {
    return QFileDialog::getSaveFileName(over, tr("Export the table"), suggestion, tr("Comma-separated values (*.csv)"));
  };
  addTextAction(QStringLiteral("copy"), tr("Copy rows"), QKeySequence::Copy, tabSeparated);
  addTextAction(QStringLiteral("copyMarkdown"), tr("Copy rows as Markdown"),
                QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C), markdown);
  addTextAction(QStringLiteral("copyJson"), tr("Copy rows as JSON"), {}, json);
  auto* exported = new QAction(tr("Export as CSV…"), this);
  connect(exported, &QAction::triggered, this, &TablePage::exportCsv);
  addTableAction(QStringLiteral("export"), exported);
  auto* columns = new QAction(tr("Columns…"), this);
  connect(columns, &QAction::triggered, m_view, &TableView::openColumnMenu);
  addTableAction(QStringLiteral("columns"), columns);
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
  connect(&m_model, &RowTable::filterErrorChanged, this, [this] {
    m_foot->setProblem(m_model.filterError());
    Q_EMIT filterErrorChanged();
  });
  connect(m_view, &TableView::columnChoiceChanged, this, &TablePage::columnChoiceChanged);
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
  return QStringLiteral("%1 %2").arg(pageName(), format::count(static_cast<std::int64_t>(m_model.rows().wholeRows())));
}

bool TablePage::isSettled() const {
  return !m_session.isBusy() && !m_refresh.isActive() && !m_jobs.isBusy() && m_model.isSettled() &&
         !m_selecting.isBusy() && !m_writing.isBusy();
}

QString TablePage::stateTitle() const {
  return m_stack->currentWidget() == m_state ? m_state->words().title : QString();
}

QString TablePage::footTitle() const { return m_foot->title(); }

void TablePage::setFilterText(const QString& text) { m_model.setFilter(text); }

void TablePage::addTextAction(const QString& name, const QString& words, const QKeySequence& keys, TextForm form) {
  auto* action = new QAction(words, this);
  action->setShortcut(keys);
  connect(action, &QAction::triggered, this, [this, form] { copy(form); });
  addTableAction(name, action);
}

QHash<QString, bool> TablePage::columnChoice() const { return m_view->columnChoice(); }

void TablePage::setColumnChoice(const QHash<QString, bool>& choice) { m_view->setColumnChoice(choice); }

QString TablePage::problem() const { return m_foot->problem(); }

void TablePage::addTableAction(const QString& name, QAction* action) {
  action->setObjectName(QStringLiteral("table.") + name);
  action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  m_actions << action;
  m_view->addAction(action);
}

QList<QToolButton*> TablePage::addViews(const QStringList& titles, const std::function<void(int)>& choose) {
  auto* segment = new QWidget(m_noteBar);
  segment->setObjectName(QStringLiteral("segment"));  // the sheet's rule
  segment->setAttribute(Qt::WA_StyledBackground);
  auto* row = new QHBoxLayout(segment);
  row->setContentsMargins(2, 2, 2, 2);
  row->setSpacing(0);
  auto* group = new QButtonGroup(segment);
  QList<QToolButton*> buttons;
  for (int at = 0; at < titles.size(); ++at) {
    auto* button = new QToolButton(segment);
    button->setText(titles[at]);
    button->setCheckable(true);
    group->addButton(button);
    row->addWidget(button);
    connect(button, &QToolButton::clicked, this, [choose, at] { choose(at); });
    buttons << button;
  }
  buttons.front()->setChecked(true);
  m_noteBar->layout()->addWidget(segment);
  return buttons;
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
  putNote(m_model.rows().note);
  updateState();
  Q_EMIT tabTextChanged();
}

// A label a line, each cut where the page is too narrow for it.
void TablePage::putNote(const QString& note) {
  while (QLayoutItem* item = m_note->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  for (const QString& line : note.split(u'\n', Qt::SkipEmptyParts)) {
    auto* label = new TextLabel(m_theme, line, {FontRole::kData, QFont::Normal, "text.secondary"}, m_noteBar);
    label->setToolTip(line);
    m_note->addWidget(label);
  }
}

void TablePage::updateState() {
  const bool isReady = !m_session.readyRuns().empty();
  const bool isWorking = m_session.isBusy() || m_jobs.isBusy();
  if (isReady && !isWorking && m_model.rows().rowCount == 0) {
    m_state->setWords(emptyWords());
    m_stack->setCurrentWidget(m_state);
  } else {
    m_stack->setCurrentWidget(m_table);
  }
  const bool hasSwitch = m_noteBar->layout()->count() > 1;
  m_noteBar->setVisible((hasSwitch && isReady) || !m_model.rows().note.isEmpty());
}

QString TablePage::scopeInWords() const {
  if (m_session.scope().kind == ScopeKind::kWhole) return {};
  const QString words = m_session.scopeWords();
  return QLocale().toLower(words.left(1)) + words.mid(1);
}

void TablePage::updateFoot() {
  const TableRows& rows = m_model.rows();
  const std::size_t shown = m_model.arrangement().shownRows;
  if (shown == rows.wholeRows()) {
    m_foot->setTitle(allRows(scopeInWords()), tr("rows sum to this line"));
  } else {
    m_foot->setTitle(someRows(format::count(static_cast<std::int64_t>(shown)),
                              format::count(static_cast<std::int64_t>(rows.wholeRows()))),
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
  std::vector<std::pair<int, int>> ranges;  // lines, first to last; selectedRows() of Qt makes an index for each
  for (const QItemSelectionRange& range : m_view->selectionModel()->selection()) {
    ranges.emplace_back(range.top(), range.bottom());
  }
  std::sort(ranges.begin(), ranges.end());
  std::vector<std::uint32_t> rows;
  int next = 0;
  for (const auto& [first, last] : ranges) {
    for (int line = std::max(first, next); line <= last; ++line) {
      if (m_model.rowAt(line) != RowSlices::kNoRow) rows.push_back(m_model.rowAt(line));
    }
    next = std::max(next, last + 1);
  }
  return rows;
}

namespace {

// What the rows stand for, in each run of the table. `positions` by run of the table, -1 for one that is gone.
Selection selectionOfRows(const TableRows& table, const std::vector<int>& positions,
                          const std::vector<std::uint32_t>& rows) {
  Selection selection;
  selection.origin = SelectionOrigin::kTable;
  for (std::size_t i = 0; i < table.slices.size(); ++i) {
    const RowSlices& ofRun = table.slices[i];
    SelectedSlices part;
    part.run = positions[i];
    if (part.run < 0) continue;
    for (const std::uint32_t row : rows) {
      const std::span<const SliceId> slices = ofRun.slices(row);
      part.slices.insert(part.slices.end(), slices.begin(), slices.end());
      // The first row leads, in the first run that has it, with its longest slice.
      if (selection.leadRun >= 0) continue;
      const SliceId longest = ofRun.longest(row);
      if (longest == kNoSlice) continue;
      selection.leadRun = part.run;
      selection.leadSlice = longest;
    }
    if (part.slices.empty()) continue;
    std::sort(part.slices.begin(), part.slices.end());
    part.slices.erase(std::unique(part.slices.begin(), part.slices.end()), part.slices.end());
    selection.parts.push_back(std::move(part));
  }
  return selection;
}

std::size_t sliceCount(const TableRows& table, const std::vector<std::uint32_t>& rows) {
  std::size_t count = 0;
  for (const RowSlices& ofRun : table.slices) {
    for (const std::uint32_t row : rows) count += ofRun.slices(row).size();
  }
  return count;
}

}  // namespace

std::vector<int> TablePage::runPositions() const {
  std::vector<int> positions;
  for (const RowSlices& ofRun : m_model.rows().slices) positions.push_back(positionOfNumber(ofRun.runNumber()));
  return positions;
}

QString TablePage::wordsOf(const std::vector<std::uint32_t>& rows) const {
  if (rows.size() == 1) return onOneLine(m_model.rows().cellText(rows.front(), 0));
  return tr("%1 rows").arg(format::count(static_cast<std::int64_t>(rows.size())));
}

void TablePage::selectFromTable() {
  if (m_applying) return;
  const std::vector<std::uint32_t> rows = selectedRows();
  m_selecting.cancelAll();
  if (rows.empty()) {
    m_applying = true;
    if (m_session.selection().origin == SelectionOrigin::kTable) m_session.clearSelection();
    m_applying = false;
    return;
  }
  const auto put = [this](Selection selection) {
    m_applying = true;
    m_session.select(std::move(selection));
    m_applying = false;
  };
  const QString words = wordsOf(rows);
  if (sliceCount(m_model.rows(), rows) <= kSlicesAtOnce) {
    Selection selection = selectionOfRows(m_model.rows(), runPositions(), rows);
    selection.words = words;
    put(std::move(selection));
    return;
  }
  m_selecting.start(
      QStringLiteral("select"),
      [table = m_model.sharedRows(), positions = runPositions(), rows, words](std::stop_token) {
        Selection selection = selectionOfRows(*table, positions, rows);
        selection.words = words;
        return selection;
      },
      put);
}

// The rows that stand for the selected slices become selected; looked up in a worker where they are many.
void TablePage::selectFromSession() {
  if (m_applying || !followsSelection()) return;
  m_selecting.cancelAll();
  const Selection& selection = m_session.selection();
  struct Part {
    std::size_t run;  // of the table
    std::vector<SliceId> slices;
  };
  std::vector<Part> parts;
  std::size_t count = 0;
  const std::vector<int> positions = runPositions();
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const std::vector<SliceId>* slices = selection.slicesOf(positions[i]);
    if (slices == nullptr) continue;
    count += slices->size();
    parts.push_back({i, *slices});
  }
  const auto find = [table = m_model.sharedRows(), parts = std::move(parts)](std::stop_token stop) {
    std::vector<std::uint32_t> rows;
    for (const Part& part : parts) {
      const auto found = table->slices[part.run].rowsOf(part.slices, stop);
      rows.insert(rows.end(), found.begin(), found.end());
    }
    return rows;
  };
  if (count <= kSlicesAtOnce) {
    showSelected(find({}));
    return;
  }
  m_selecting.start(QStringLiteral("show"), find,
                    [this](const std::vector<std::uint32_t>& rows) { showSelected(rows); });
}

// Rows come into view only when none of them is.
void TablePage::showSelected(const std::vector<std::uint32_t>& rows) {
  std::vector<int> lines;
  for (const std::uint32_t row : rows) {
    const int line = m_model.lineOf(row);
    if (line >= 0) lines.push_back(line);
  }
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  // Qt compares each stretch of selected lines with each: what is scattered more than this is marked at its first.
  constexpr int kMostStretches = 1'000;
  QItemSelection wanted;
  for (std::size_t i = 0; i < lines.size() && wanted.size() < kMostStretches;) {
    std::size_t end = i + 1;
    while (end < lines.size() && lines[end] == lines[end - 1] + 1) ++end;
    wanted.append(
        QItemSelectionRange(m_model.index(lines[i], 0), m_model.index(lines[end - 1], m_model.columnCount() - 1)));
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
    if (!std::binary_search(lines.begin(), lines.end(), m_view->currentIndex().row())) {
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
    m_model.toggleFold(line);
    return;
  }
  const Selection selection = selectionOfRows(m_model.rows(), runPositions(), {row});
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

std::vector<std::uint32_t> TablePage::rowsToCopy() const {
  std::vector<std::uint32_t> rows = selectedRows();
  if (!rows.empty()) return rows;
  for (int line = 0; line < m_model.rowCount(); ++line) {
    if (m_model.rowAt(line) != RowSlices::kNoRow) rows.push_back(m_model.rowAt(line));
  }
  return rows;
}

// Written in a worker where the rows are many.
void TablePage::writeRows(TextForm form, const std::function<void(QString)>& done) {
  const auto write = [table = m_model.sharedRows(), rows = rowsToCopy(), shown = m_view->shownColumns(),
                      form](std::stop_token) { return form(*table, rows, shown); };
  if (static_cast<std::size_t>(m_model.rowCount()) <= RowTable::kAtOnce) {
    done(write({}));
  } else {
    m_writing.start(QStringLiteral("write"), write, done);
  }
}

void TablePage::copy(TextForm form) {
  writeRows(form, [](const QString& text) { QGuiApplication::clipboard()->setText(text); });
}

void TablePage::exportCsv() {
  const QString path = m_chooseFile(this, QStringLiteral("%1.csv").arg(pageName().toLower()));
  if (path.isEmpty()) return;
  writeRows(commaSeparated, [this, path](const QString& text) {
    QSaveFile file(path);
    const bool isWritten = file.open(QIODevice::WriteOnly) && file.write(text.toUtf8()) >= 0 && file.commit();
    m_foot->setProblem(isWritten ? QString()
                                 : tr("%1 could not be written: %2; name another place").arg(path, file.errorString()));
  });
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
  m_noteBar->layout()->setContentsMargins(m_theme.scaled(8), m_theme.scaled(3), m_theme.scaled(8), m_theme.scaled(3));
  m_foot->setFixedHeight(m_theme.size(QStringLiteral("table_header")));
  m_view->applyTheme();
  m_state->applyTheme();
  m_foot->update();
}

}  // namespace attnscope::ui
