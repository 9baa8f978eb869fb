// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Kernels, Operators, Memory, Selection and Details below the timelines: one group of tabs, two where it is wide
// enough. Folds to its row of tabs.

#include <QHash>
#include <QWidget>

#include "ui/bridge/Session.h"
#include "ui/bridge/ViewState.h"
#include "ui/theme/Theme.h"

class QAction;
class QLineEdit;
class QSplitter;

namespace attnscope::ui {

class Details;
class IconButton;
class KernelsPage;
class MemoryPage;
class OperatorsPage;
class SelectionPage;
class TabGroup;

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
  [[nodiscard]] SelectionPage* selected() const { return m_selected; }
  [[nodiscard]] QWidget* details() const;
  [[nodiscard]] QList<QWidget*> pages() const;  // by the order of the tabs
  [[nodiscard]] bool isShown(const QWidget* page) const;
  void setFolded(bool isFolded);
  [[nodiscard]] bool isFolded() const { return m_isFolded; }
  [[nodiscard]] bool isSettled() const;
  [[nodiscard]] QList<QAction*> tableActions() const;
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
  void refreshControls();
  void applyFilter(const QString& text);
  [[nodiscard]] QWidget* filtered() const;  // the table the field filters, or null

  Session& m_session;
  const Theme& m_theme;
  QSplitter* m_splitter;
  TabGroup* m_left;
  TabGroup* m_right;
  KernelsPage* m_kernels;
  OperatorsPage* m_operators;
  MemoryPage* m_memory;
  SelectionPage* m_selected;
  Details* m_details = nullptr;
  QLineEdit* m_filter;
  IconButton* m_fold;
  QHash<QWidget*, QString> m_filters;
  bool m_isFolded = false;
};

}  // namespace attnscope::ui
