// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/RecentList.h"

#include <QContextMenuEvent>
#include <QDir>
#include <QFileInfo>
#include <QFontMetricsF>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLocale>
#include <QMenu>
#include <QPainter>
#include <QStyledItemDelegate>

#include "ui/bridge/Format.h"

namespace attnscope::ui {

namespace {

class RecentDelegate : public QStyledItemDelegate {
 public:
  RecentDelegate(const Theme& theme, RecentList* list) : QStyledItemDelegate(list), m_theme(theme), m_list(list) {}

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const bool isThere = m_list->recent()->row(index.row()).isThere;
    const bool isSelected = option.state.testFlag(QStyle::State_Selected) && m_list->hasFocus();
    const bool isHovered = m_list->property("hoveredRow").toInt() == index.row();
    const char* ground = isSelected ? "state.selected" : isHovered ? "state.hover" : "surface.panel";
    painter->fillRect(option.rect, m_theme.colour(QString::fromLatin1(ground)));
    painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1),
                      m_theme.colour(QStringLiteral("border.row")));
    if (isSelected && index.column() == 0) {
      painter->fillRect(QRect(option.rect.left(), option.rect.top(), 2, option.rect.height()),
                        m_theme.colour(QStringLiteral("state.selected_bar")));
    }
    QRectF box = QRectF(option.rect).adjusted(m_theme.scaled(8), 0, -m_theme.scaled(8), 0);
    const bool isName = index.column() == RecentModel::kName;
    const bool isRight = index.column() >= RecentModel::kSize;
    if (isName) {
      const int side = m_theme.scaled(14);
      const bool isSession = index.data().toString().endsWith(QLatin1String(".attn"));
      painter->drawPixmap(QPointF(box.left(), box.top() + (box.height() - side) / 2),
                          m_theme.iconPixmap(isSession ? QStringLiteral("lab") : QStringLiteral("file"), side,
                                             m_theme.colour(isThere ? QStringLiteral("text.secondary")
                                                                    : QStringLiteral("text.disabled")),
                                             m_list->devicePixelRatioF()));
      box.adjust(m_theme.scaled(22), 0, 0, 0);
    }
    const QFont font = m_theme.font(FontRole::kData, isName && isThere ? QFont::Medium : QFont::Normal);
    painter->setFont(font);
    const char* ink = !isThere                                         ? "text.disabled"
                      : isName || index.column() == RecentModel::kSize ? "text.primary"
                                                                       : "text.secondary";
    painter->setPen(m_theme.colour(QString::fromLatin1(ink)));
    const QString text = index.data().toString();
    if (index.column() == RecentModel::kSize) {
      m_theme.drawNumber(*painter, box, text);
      return;
    }
    painter->drawText(box, static_cast<int>(isRight ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter,
                      QFontMetricsF(font).elidedText(text, Qt::ElideMiddle, box.width()));
  }

  [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& /*option*/, const QModelIndex& /*index*/) const override {
    return {m_theme.scaled(80), m_theme.scaled(28)};
  }

 private:
  const Theme& m_theme;
  RecentList* m_list;
};

QString folderWords(const QString& path) {
  const QString folder = QFileInfo(path).absolutePath();
  const QString home = QDir::homePath();
  if (folder == home) return QStringLiteral("~");
  return folder.startsWith(home + u'/') ? QStringLiteral("~") + folder.mid(home.size()) : folder;
}

QString openedWords(const QDateTime& opened) {
  if (!opened.isValid()) return format::unknown();
  const QLocale locale;
  const qint64 days = opened.date().daysTo(QDate::currentDate());
  if (days == 0) return RecentModel::tr("today, %1").arg(opened.time().toString(QStringLiteral("HH:mm")));
  if (days == 1) return RecentModel::tr("yesterday");
  return locale.toString(opened.date(), days < 300 ? QStringLiteral("d MMM") : QStringLiteral("d MMM yyyy"));
}

}  // namespace

RecentModel::RecentModel(const AppSettings& settings, QObject* parent)
    : QAbstractTableModel(parent), m_settings(settings) {
  connect(&settings, &AppSettings::recentChanged, this, &RecentModel::refresh);
  refresh();
}

void RecentModel::setFilter(const QString& text) {
  m_filter = text;
  refresh();
}

void RecentModel::refresh() {
  beginResetModel();
  m_rows.clear();
  for (const RecentFile& file : m_settings.recentFiles()) {
    if (!m_filter.isEmpty() && !file.path.contains(m_filter, Qt::CaseInsensitive)) continue;
    m_rows.push_back({file, QFileInfo::exists(file.path)});
  }
  endResetModel();
}

int RecentModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int RecentModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kColumns; }

Qt::ItemFlags RecentModel::flags(const QModelIndex& index) const {
  if (!index.isValid()) return Qt::NoItemFlags;
  return Qt::ItemIsSelectable | Qt::ItemIsEnabled;
}

QVariant RecentModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Row& at = row(index.row());
  if (role == Qt::ToolTipRole) return at.file.path;
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
    case kName:
      return QFileInfo(at.file.path).fileName();
    case kFolder:
      return folderWords(at.file.path);
    case kSummary:
      return at.isThere ? at.file.summary : tr("not found");
    case kSize:
      return at.isThere && at.file.bytes >= 0 ? format::fileSize(static_cast<double>(at.file.bytes))
                                              : format::unknown();
    case kOpened:
      return openedWords(at.file.opened);
    default:
      return {};
  }
}

RecentList::RecentList(AppSettings& settings, const Theme& theme, QWidget* parent)
    : QTableView(parent), m_settings(settings), m_theme(theme), m_model(new RecentModel(settings, this)) {
  setAccessibleName(tr("Recent files"));
  setModel(m_model);
  setItemDelegate(new RecentDelegate(theme, this));
  setFrameShape(QFrame::NoFrame);
  setShowGrid(false);
  setSelectionBehavior(SelectRows);
  setSelectionMode(SingleSelection);
  setTabKeyNavigation(false);
  setMouseTracking(true);
  horizontalHeader()->hide();
  verticalHeader()->hide();
  verticalHeader()->setMinimumSectionSize(1);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setProperty("hoveredRow", -1);
  connect(this, &QTableView::entered, this, [this](const QModelIndex& index) {
    setProperty("hoveredRow", index.row());
    viewport()->update();
  });
  connect(this, &QTableView::clicked, this, &RecentList::choose);
  connect(m_model, &QAbstractItemModel::modelReset, this, &RecentList::refresh);
  connect(&m_theme, &Theme::changed, this, &RecentList::refresh);
  refresh();
}

void RecentList::refresh() {
  verticalHeader()->setDefaultSectionSize(m_theme.scaled(28));
  setMaximumHeight(m_theme.scaled(28) * std::max(1, m_model->rowCount()) + 2);
  viewport()->setCursor(Qt::PointingHandCursor);
}

void RecentList::resizeEvent(QResizeEvent* event) {
  QTableView::resizeEvent(event);
  const int room = viewport()->width();
  const int size = m_theme.scaled(96);
  const int opened = m_theme.scaled(140);
  const int rest = room - size - opened;
  setColumnWidth(RecentModel::kName, rest * 330 / 844);
  setColumnWidth(RecentModel::kFolder, rest * 280 / 844);
  setColumnWidth(RecentModel::kSummary, rest - rest * 330 / 844 - rest * 280 / 844);
  setColumnWidth(RecentModel::kSize, size);
  setColumnWidth(RecentModel::kOpened, opened);
}

void RecentList::choose(const QModelIndex& index) {
  if (index.isValid() && m_model->row(index.row()).isThere) Q_EMIT fileChosen(m_model->row(index.row()).file.path);
}

void RecentList::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
    choose(currentIndex());
    return;
  }
  if (event->key() == Qt::Key_Delete && currentIndex().isValid()) {
    m_settings.removeRecent(m_model->row(currentIndex().row()).file.path);
    return;
  }
  QTableView::keyPressEvent(event);
}

void RecentList::contextMenuEvent(QContextMenuEvent* event) {
  const QModelIndex index = indexAt(event->pos());
  if (!index.isValid()) return;
  const QString path = m_model->row(index.row()).file.path;
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  connect(menu->addAction(tr("Remove from this list")), &QAction::triggered, this,
          [this, path] { m_settings.removeRecent(path); });
  connect(menu->addAction(tr("Clear the list")), &QAction::triggered, &m_settings, &AppSettings::clearRecent);
  menu->popup(event->globalPos());
}

}  // namespace attnscope::ui
