// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lab/ImplementationList.h"

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>

#include "ui/lab/ImplementationDelegate.h"
#include "ui/lab/ImplementationModel.h"

namespace attnscope::ui {

ImplementationList::ImplementationList(ImplementationModel& model, const Theme& theme, QWidget* parent)
    : QListView(parent), m_model(model) {
  setModel(&model);
  setItemDelegate(new ImplementationDelegate(theme, viewport()));
  setAccessibleName(tr("Implementations"));
  setFrameShape(QFrame::NoFrame);
  setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setResizeMode(QListView::Adjust);  // reasons wrap at the width of the view
  setSelectionMode(QAbstractItemView::SingleSelection);
  setEditTriggers(QAbstractItemView::NoEditTriggers);
  viewport()->setMouseTracking(true);
  viewport()->setAttribute(Qt::WA_Hover);
  connect(&theme, &Theme::changed, this, &ImplementationList::scheduleDelayedItemsLayout);
  connect(&m_model, &QAbstractItemModel::layoutChanged, this, &ImplementationList::applyFilter);
}

void ImplementationList::setFilter(const QString& words) {
  m_filter = words.trimmed();
  applyFilter();
}

void ImplementationList::setOnlyRunnable(bool onlyRunnable) {
  m_onlyRunnable = onlyRunnable;
  applyFilter();
}

void ImplementationList::applyFilter() {
  // A group's head is shown where one of its rows is; a chosen row is never hidden by what can run here.
  int head = -1;
  bool headMatches = false;
  bool anyShown = false;
  const auto closeGroup = [&] {
    if (head >= 0) setRowHidden(head, !anyShown);
  };
  for (int row = 0; row < m_model.rowCount(); ++row) {
    const QModelIndex index = m_model.index(row);
    if (index.data(ImplementationModel::kIsGroup).toBool()) {
      closeGroup();
      head = row;
      anyShown = false;
      headMatches = index.data().toString().contains(m_filter, Qt::CaseInsensitive);
      continue;
    }
    const bool matches = m_filter.isEmpty() || headMatches ||
                         index.data().toString().contains(m_filter, Qt::CaseInsensitive) ||
                         index.data(ImplementationModel::kId).toString().contains(m_filter, Qt::CaseInsensitive);
    const bool able = index.data(ImplementationModel::kRefusal).toString().isEmpty() ||
                      index.data(ImplementationModel::kPosition).toInt() >= 0;
    const bool shown = matches && (able || !m_onlyRunnable);
    setRowHidden(row, !shown);
    anyShown = anyShown || shown;
  }
  closeGroup();
}

int ImplementationList::shownCount() const {
  int count = 0;
  for (int row = 0; row < m_model.rowCount(); ++row) {
    if (!isRowHidden(row) && !m_model.index(row).data(ImplementationModel::kIsGroup).toBool()) ++count;
  }
  return count;
}

void ImplementationList::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Space || event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
    m_model.toggle(currentIndex());
    return;
  }
  QListView::keyPressEvent(event);
}

void ImplementationList::mousePressEvent(QMouseEvent* event) {
  QListView::mousePressEvent(event);
  // The whole row is the check box: 14 px are little to hit.
  if (event->button() == Qt::LeftButton) m_model.toggle(indexAt(event->pos()));
}

void ImplementationList::contextMenuEvent(QContextMenuEvent* event) {
  const QModelIndex index = event->reason() == QContextMenuEvent::Keyboard ? currentIndex() : indexAt(event->pos());
  if (!index.isValid() || index.data(ImplementationModel::kIsGroup).toBool()) return;
  QMenu menu(this);
  QAction* baseline = menu.addAction(tr("Make baseline"));
  baseline->setEnabled(index.data(ImplementationModel::kRefusal).toString().isEmpty() &&
                       index.data(ImplementationModel::kPosition).toInt() != 0);
  connect(baseline, &QAction::triggered, this, [this, index] { m_model.makeBaseline(index); });
  const bool chosen = index.data(ImplementationModel::kPosition).toInt() >= 0;
  QAction* toggle = menu.addAction(chosen ? tr("Leave out") : tr("Choose"));
  connect(toggle, &QAction::triggered, this, [this, index] { m_model.toggle(index); });
  menu.exec(event->globalPos());
}

}  // namespace attnscope::ui
