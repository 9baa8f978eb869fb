// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/TableView.h"

#include <algorithm>

#include <QFontMetricsF>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

#include "ui/tables/RowTable.h"
#include "ui/tables/TableDelegate.h"
#include "ui/tables/TableHeader.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {
namespace {

// What the widths of visual.md are for: Inter at 12 px.
constexpr double kDigitCell = 7.7;
constexpr double kNameAdvance = 152;

}  // namespace

TableView::TableView(RowTable& model, const Theme& theme, QWidget* parent)
    : QTableView(parent), m_model(model), m_theme(theme) {
  m_header = new TableHeader(model, theme, this);
  m_delegate = new TableDelegate(theme, this);
  setHorizontalHeader(m_header);
  setItemDelegate(m_delegate);
  setModel(&model);
  verticalHeader()->hide();
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  verticalHeader()->setMinimumSectionSize(0);
  setFrameShape(QFrame::NoFrame);
  setShowGrid(false);
  setWordWrap(false);
  setAlternatingRowColors(false);
  setCornerButtonEnabled(false);
  setTabKeyNavigation(false);
  setSelectionBehavior(QAbstractItemView::SelectRows);
  setSelectionMode(QAbstractItemView::ExtendedSelection);
  setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  setMouseTracking(true);
  connect(m_header, &QHeaderView::sectionClicked, this, [this](int section) {
    if ((QGuiApplication::keyboardModifiers() & Qt::ShiftModifier) != 0) {
      m_model.addOrder(section);
    } else {
      m_model.setOrder(section, m_model.orderOfClick(section));
    }
    m_header->viewport()->update();
  });
  m_header->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(m_header, &QWidget::customContextMenuRequested, this,
          [this](const QPoint& at) { showColumnMenu(m_header->viewport()->mapToGlobal(at)); });
  connect(&model, &RowTable::columnsChanged, this, &TableView::layOutColumns);
  applyTheme();
}

void TableView::applyTheme() {
  verticalHeader()->setDefaultSectionSize(m_theme.size(QStringLiteral("table_row")));
  verticalScrollBar()->setSingleStep(m_theme.size(QStringLiteral("table_row")));
  m_header->setFixedHeight(m_theme.size(QStringLiteral("table_header")));
  layOutColumns();
  viewport()->update();
  m_header->viewport()->update();
}

void TableView::layOutColumns() {
  const QFontMetricsF metrics(m_theme.font(FontRole::kData));
  double cell = 0;
  for (char digit = '0'; digit <= '9'; ++digit) cell = std::max(cell, metrics.horizontalAdvance(QLatin1Char(digit)));
  const ColumnMeasure measure{cell / kDigitCell,
                              metrics.horizontalAdvance(QStringLiteral("flash_fwd_kernel<64, 128>")) / kNameAdvance};
  std::vector<Column> columns = m_model.rows().columns;
  for (Column& column : columns) {
    const auto choice = m_choice.constFind(column.title);
    if (choice != m_choice.constEnd()) {
      column.isExtra = !*choice;
      column.hideRank = 0;
    }
  }
  const std::vector<int> widths = columnWidths(columns, viewport()->width(), measure);
  int first = -1;
  for (int section = 0; section < static_cast<int>(widths.size()); ++section) {
    const int width = widths[static_cast<std::size_t>(section)];
    m_header->setSectionHidden(section, width == 0);
    if (width > 0) m_header->resizeSection(section, width);
    if (width > 0 && first < 0) first = section;
  }
  m_delegate->setFirstColumn(std::max(first, 0));
  Q_EMIT columnsLaidOut();
}

std::vector<int> TableView::shownColumns() const {
  std::vector<int> shown;
  for (int section = 0; section < m_model.columnCount(); ++section) {
    if (!m_header->isSectionHidden(section)) shown.push_back(section);
  }
  return shown;
}

void TableView::setColumnChoice(const QHash<QString, bool>& choice) {
  m_choice = choice;
  layOutColumns();
}

void TableView::openColumnMenu() { showColumnMenu(m_header->viewport()->mapToGlobal(m_header->rect().bottomLeft())); }

void TableView::choose(const QString& title, bool isShown) {
  m_choice[title] = isShown;
  layOutColumns();
  Q_EMIT columnChoiceChanged();
}

void TableView::showColumnMenu(const QPoint& at) {
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  QStringList titles;  // those of several runs have one
  for (int section = 0; section < m_model.columnCount(); ++section) {
    const Column& column = m_model.rows().columns[static_cast<std::size_t>(section)];
    if (column.role == ColumnRole::kName || titles.contains(column.title)) continue;
    titles << column.title;
    QAction* each = menu->addAction(column.role == ColumnRole::kDistribution ? tr("Distribution") : column.title);
    each->setCheckable(true);
    each->setChecked(!m_header->isSectionHidden(section));
    each->setToolTip(column.description);
    connect(each, &QAction::triggered, this, [this, title = column.title](bool isOn) { choose(title, isOn); });
  }
  menu->addSeparator();
  QAction* usual = menu->addAction(tr("Usual columns"));
  usual->setEnabled(!m_choice.isEmpty());
  connect(usual, &QAction::triggered, this, [this] {
    setColumnChoice({});
    Q_EMIT columnChoiceChanged();
  });
  menu->popup(at);
}

bool TableView::isOnCaret(QPoint at, int line) const {
  const int name = columnAt(at.x());
  if (name < 0 || m_model.rows().columns[static_cast<std::size_t>(name)].role != ColumnRole::kName) return false;
  const int left = columnViewportPosition(name) + m_delegate->indentOf(m_model.depthOf(line));
  return at.x() >= left && at.x() < left + m_delegate->indentOf(1) + m_theme.scaled(8);
}

void TableView::resizeEvent(QResizeEvent* event) {
  QTableView::resizeEvent(event);
  layOutColumns();
}

bool TableView::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    // The table walks through a row's slices by the keys that also walk on the timeline.
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->modifiers() == Qt::NoModifier && (key->key() == Qt::Key_Period || key->key() == Qt::Key_Comma)) {
      event->accept();
      return true;
    }
  }
  return QTableView::event(event);
}

bool TableView::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::MouseMove || event->type() == QEvent::HoverMove) {
    setHovered(rowAt(static_cast<QSinglePointEvent*>(event)->position().toPoint().y()));
  } else if (event->type() == QEvent::Leave) {
    setHovered(-1);
  }
  return QTableView::viewportEvent(event);
}

void TableView::setHovered(int line) {
  if (line == m_hovered) return;
  const auto update = [this](int of) {
    if (of < 0) return;
    viewport()->update(0, rowViewportPosition(of), viewport()->width(), rowHeight(of));
  };
  update(m_hovered);
  update(line);
  m_hovered = line;
  m_delegate->setHoveredLine(line);
}

void TableView::keyPressEvent(QKeyEvent* event) {
  const int line = currentIndex().row();
  switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (line >= 0) Q_EMIT rowActivated(line);
      return;
    case Qt::Key_Period:
      Q_EMIT walked(1);
      return;
    case Qt::Key_Comma:
      Q_EMIT walked(-1);
      return;
    case Qt::Key_Left:
    case Qt::Key_Right:
      if (m_model.canFold(line)) {
        if (m_model.isFolded(line) == (event->key() == Qt::Key_Right)) m_model.toggleFold(line);
        setCurrentIndex(m_model.index(line, 0));
        return;
      }
      break;
    default:
      break;
  }
  QTableView::keyPressEvent(event);
}

void TableView::mousePressEvent(QMouseEvent* event) {
  const int line = rowAt(event->position().toPoint().y());
  const bool isFolding = m_model.isGroup(line) || (m_model.canFold(line) && isOnCaret(event->pos(), line));
  if (event->button() == Qt::LeftButton && isFolding) {
    m_model.toggleFold(line);
    return;
  }
  QTableView::mousePressEvent(event);
}

void TableView::mouseDoubleClickEvent(QMouseEvent* event) {
  const int line = rowAt(event->position().toPoint().y());
  if (line >= 0 && !m_model.isGroup(line)) Q_EMIT rowActivated(line);
}

void TableView::paintEvent(QPaintEvent* event) {
  QTableView::paintEvent(event);
  if (!m_focusByKey) return;
  QPainter painter(viewport());
  painter.fillRect(QRect(0, 0, viewport()->width(), m_theme.size(QStringLiteral("focus_ring"))),
                   m_theme.colour(QStringLiteral("state.focus")));
}

void TableView::focusInEvent(QFocusEvent* event) {
  const Qt::FocusReason reason = event->reason();
  m_focusByKey = reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason || reason == Qt::ShortcutFocusReason;
  QTableView::focusInEvent(event);
  viewport()->update();
}

void TableView::focusOutEvent(QFocusEvent* event) {
  m_focusByKey = false;
  QTableView::focusOutEvent(event);
  viewport()->update();
}

}  // namespace attnscope::ui
