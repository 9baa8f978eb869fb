// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Kernels, Operators, Memory, Compare, Findings, Records, Charts, Selection and Details below the timelines, and Inside
// where a trace tells of the tiles of a kernel: one group of tabs, two where it is wide enough. Folds to its row of
// tabs.

#include <QHash>
#include <QWidget>

#include "ui/bridge/Session.h"
#include "ui/bridge/ViewState.h"
#include "ui/theme/Theme.h"

class QAction;
class QLineEdit;
class QSplitter;

namespace attnscope::ui {

class AppSettings;
class ChartsPage;
class ComparePage;
class Details;
class FindingsPage;
class IconButton;
class InsidePage;
class KernelsPage;
class MemoryPage;
class OperatorsPage;
class RecordsPage;
class SelectionPage;
class TabGroup;
class TablePage;

class LowerArea : public QWidget {
  Q_OBJECT

 public:
  LowerArea(Session& session, ViewState& view, const Theme& theme, QWidget* parent = nullptr);

  void addDetails(Details* details);     // as the last tab
  void removeDetails(Details* details);  // it has no parent then
  [[nodiscard]] bool hasDetails() const;
  void showPage(QWidget* page);
  [[nodiscard]] QWidget* kernels() const;
  [[nodiscard]] QWidget* operators() const;
  [[nodiscard]] QWidget* memory() const;
  [[nodiscard]] QWidget* compare() const;
  [[nodiscard]] FindingsPage* findings() const { return m_findings; }
  [[nodiscard]] RecordsPage* records() const { return m_records; }
  [[nodiscard]] ChartsPage* charts() const { return m_charts; }
  [[nodiscard]] QList<TablePage*> tables() const;
  [[nodiscard]] InsidePage* inside() const { return m_inside; }  // not among the tabs where no trace has tiles
  [[nodiscard]] SelectionPage* selected() const { return m_selected; }
  [[nodiscard]] QWidget* details() const;
  [[nodiscard]] QList<QWidget*> pages() const;  // by the order of the tabs
  [[nodiscard]] bool isShown(const QWidget* page) const;
  void setFolded(bool isFolded);
  [[nodiscard]] bool isFolded() const { return m_isFolded; }
  [[nodiscard]] bool isSettled() const;
  [[nodiscard]] QList<QAction*> tableActions() const;
  // Columns and thresholds that a person chose: read once, and kept from then on.
  void restoreChoices(AppSettings& settings);
  void focusFilter();
  void clearFilter();
  [[nodiscard]] bool hasFilter() const;

 Q_SIGNALS:
  void foldedChanged();
  void pagesChanged();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void arrange();  // one group or two
  void showInsideWhereWanted();
  void refreshControls();
  void applyFilter(const QString& text);
  void refreshFilterState();                  // whether what is written can be understood
  [[nodiscard]] TablePage* filtered() const;  // the table the field filters, or null

  Session& m_session;
  const Theme& m_theme;
  QSplitter* m_splitter;
  TabGroup* m_left;
  TabGroup* m_right;
  KernelsPage* m_kernels;
  OperatorsPage* m_operators;
  MemoryPage* m_memory;
  ComparePage* m_compare;
  FindingsPage* m_findings;
  RecordsPage* m_records;
  ChartsPage* m_charts;
  SelectionPage* m_selected;
  InsidePage* m_inside;
  Details* m_details = nullptr;
  QLineEdit* m_filter;
  IconButton* m_fold;
  QHash<QWidget*, QString> m_filters;
  bool m_isFolded = false;
};

}  // namespace attnscope::ui
