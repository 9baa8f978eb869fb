// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A lower tab with one table: the rows of the session's runs in scope, built in a worker, with the selection carried
// both ways, totals at the foot, and what is so when there is nothing to show. GUI thread only; session and theme
// outlive it.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <QHash>
#include <QList>
#include <QStringList>
#include <QTimer>
#include <QWidget>

#include "ui/bridge/Jobs.h"
#include "ui/bridge/Session.h"
#include "ui/tables/KernelRows.h"
#include "ui/tables/RowTable.h"
#include "ui/theme/PageState.h"

class QAction;
class QProgressBar;
class QStackedLayout;
class QTableView;
class QToolButton;
class QVBoxLayout;

namespace attnscope::ui {

class TableFoot;
class TableView;
class Theme;

class TablePage : public QWidget {
  Q_OBJECT

 public:
  TablePage(Session& session, const Theme& theme, QWidget* parent);

  [[nodiscard]] QString tabText() const;  // "Kernels 18"
  // Nothing is being read, built or sorted: what is shown is what there is.
  [[nodiscard]] bool isSettled() const;
  [[nodiscard]] QList<QAction*> tableActions() const { return m_actions; }
  void setFilterText(const QString& text);
  void setGrouped(bool grouped) { m_model.setGrouped(grouped); }  // by kind of work, where the rows have one
  [[nodiscard]] QTableView* tableView() const;
  [[nodiscard]] const RowTable& model() const { return m_model; }
  [[nodiscard]] QString stateTitle() const;  // of what is shown instead of the table; empty: the table is shown
  [[nodiscard]] QString footTitle() const;
  [[nodiscard]] QString filterError() const { return m_model.filterError(); }  // of what is in the field; empty: none
  [[nodiscard]] QString problem() const;                                       // that the foot shows; empty: none
  // Columns that a person chose to see or not, by title.
  [[nodiscard]] QHash<QString, bool> columnChoice() const;
  void setColumnChoice(const QHash<QString, bool>& choice);
  // Asks where to write; empty: nowhere.
  using FileChooser = std::function<QString(QWidget* over, const QString& suggestion)>;
  void setFileChooser(FileChooser chooser) { m_chooseFile = std::move(chooser); }

 Q_SIGNALS:
  void tabTextChanged();
  void settledChanged();
  void filterErrorChanged();
  void columnChoiceChanged();  // by the person

 protected:
  using Builder = std::function<SharedRows()>;
  // What builds the rows from the session as it is; empty while something is still missing. It runs in a worker.
  [[nodiscard]] virtual Builder builder() = 0;
  [[nodiscard]] virtual QString pageName() const = 0;                     // "Kernels"
  [[nodiscard]] virtual PageStateWords emptyWords() const = 0;            // for no rows
  [[nodiscard]] virtual QString allRows(const QString& scope) const = 0;  // "All kernels of step 3"; scope may be empty
  [[nodiscard]] virtual QString someRows(const QString& shown, const QString& all) const = 0;  // "3 of 18 kernels"

  // Whether rows become selected with the slices that they stand for.
  [[nodiscard]] virtual bool followsSelection() const { return true; }
  [[nodiscard]] bool isSelecting() const { return m_applying; }  // the session hears of a selection from here

  // Ready runs with their tables, baseline first; nullopt while some of them have none yet.
  [[nodiscard]] std::optional<std::vector<RunInput>> inputs() const;
  [[nodiscard]] const Session& session() const { return m_session; }
  [[nodiscard]] QStringList kindTitles() const;
  // The same `name` in every table that has the act: they share its keys.
  void addTableAction(const QString& name, QAction* action);
  QWidget* noteBar() const { return m_noteBar; }
  // Puts a switch of these views into the note bar, the first of them chosen; `choose` gets the position of the one
  // that is clicked. Their buttons, in the same order.
  QList<QToolButton*> addViews(const QStringList& titles, const std::function<void(int)>& choose);
  void refresh();  // soon: changes that come together are built once
  bool event(QEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void build();
  void putRows(SharedRows rows);
  void putNote(const QString& note);
  void updateState();
  void updateFoot();
  void applyTheme();
  void selectFromSession();
  void selectFromTable();
  void activate(int line);
  void walk(int direction);
  using TextForm = QString (*)(const TableRows&, std::span<const std::uint32_t>, std::span<const int>);
  void addTextAction(const QString& name, const QString& words, const QKeySequence& keys, TextForm form);
  void writeRows(TextForm form, const std::function<void(QString)>& done);
  void copy(TextForm form);
  void exportCsv();
  void showSelected(const std::vector<std::uint32_t>& rows);
  [[nodiscard]] std::vector<std::uint32_t> rowsToCopy() const;  // the selected ones, else all that are shown
  [[nodiscard]] std::vector<int> runPositions() const;          // by run of the table; -1: it is gone
  [[nodiscard]] QString wordsOf(const std::vector<std::uint32_t>& rows) const;
  [[nodiscard]] int positionOfNumber(int runNumber) const;
  [[nodiscard]] std::vector<std::uint32_t> selectedRows() const;  // by line
  [[nodiscard]] QString scopeInWords() const;

  Session& m_session;
  const Theme& m_theme;
  RowTable m_model;
  Jobs m_jobs;
  Jobs m_selecting;
  Jobs m_writing;
  FileChooser m_chooseFile;
  QTimer m_refresh;
  QTimer m_slow;  // the progress bar is not shown for what is done at once
  QWidget* m_table = nullptr;
  QWidget* m_noteBar = nullptr;
  QVBoxLayout* m_note = nullptr;  // a label a line
  QProgressBar* m_progress = nullptr;
  TableView* m_view = nullptr;
  TableFoot* m_foot = nullptr;
  PageState* m_state = nullptr;
  QStackedLayout* m_stack = nullptr;
  QList<QAction*> m_actions;
  bool m_applying = false;  // the selection is being set from the session
};

}  // namespace attnscope::ui
