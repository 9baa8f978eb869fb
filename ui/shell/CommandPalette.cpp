// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/CommandPalette.h"

#include <algorithm>

#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTimer>
#include <QVBoxLayout>

#include "ui/shell/Shortcuts.h"

namespace attnscope::ui {

namespace {

constexpr int kWidth = 560;
constexpr int kRowsShown = 12;
constexpr int kAt = Qt::UserRole;        // position in the commands
constexpr int kPath = Qt::UserRole + 1;  // and what stands beside the words
constexpr int kKeys = Qt::UserRole + 2;

QString plain(QString words) { return words.remove(u'&').remove(QStringLiteral("…")); }

void collect(const QList<QAction*>& actions, const QString& path, std::vector<Command>& commands) {
  for (QAction* action : actions) {
    if (action->isSeparator()) continue;
    if (QMenu* menu = action->menu()) {
      Q_EMIT menu->aboutToShow();
      collect(menu->actions(),
              path.isEmpty() ? plain(menu->title()) : path + QStringLiteral(" › ") + plain(menu->title()), commands);
    } else if (!action->text().isEmpty()) {
      commands.push_back({action, plain(action->text()), path});
    }
  }
}

bool isSpelledBy(const QString& text, const QString& letters) {
  qsizetype at = 0;
  for (const QChar letter : letters) {
    at = text.indexOf(letter, at, Qt::CaseInsensitive);
    if (at < 0) return false;
    ++at;
  }
  return true;
}

class Row : public QStyledItemDelegate {
 public:
  Row(const Theme& theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}

  [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
    return {0, m_theme.size(QStringLiteral("control"))};
  }

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const bool isChosen = (option.state & QStyle::State_Selected) != 0;
    const bool isUsable = (index.flags() & Qt::ItemIsEnabled) != 0;
    const QRect box = option.rect.adjusted(m_theme.scaled(10), 0, -m_theme.scaled(10), 0);
    painter->fillRect(option.rect,
                      m_theme.colour(isChosen ? QStringLiteral("state.selected") : QStringLiteral("surface.raised")));
    const QString keys = index.data(kKeys).toString();
    painter->setFont(m_theme.font(FontRole::kCaption, QFont::Medium));
    painter->setPen(m_theme.colour(QStringLiteral("text.secondary")));
    painter->drawText(box, Qt::AlignRight | Qt::AlignVCenter, keys);
    const int right = box.right() - painter->fontMetrics().horizontalAdvance(keys) - m_theme.scaled(12);
    painter->setFont(m_theme.font(FontRole::kUi));
    painter->setPen(m_theme.colour(isUsable ? QStringLiteral("text.primary") : QStringLiteral("text.disabled")));
    const QString words =
        painter->fontMetrics().elidedText(index.data(Qt::DisplayRole).toString(), Qt::ElideRight, right - box.left());
    painter->drawText(box, Qt::AlignLeft | Qt::AlignVCenter, words);
    const int left = box.left() + painter->fontMetrics().horizontalAdvance(words) + m_theme.scaled(8);
    if (right <= left) return;
    painter->setFont(m_theme.font(FontRole::kData));
    painter->setPen(m_theme.colour(QStringLiteral("text.tertiary")));
    painter->drawText(QRect(left, box.top(), right - left, box.height()), Qt::AlignLeft | Qt::AlignVCenter,
                      painter->fontMetrics().elidedText(index.data(kPath).toString(), Qt::ElideRight, right - left));
  }

 private:
  const Theme& m_theme;
};

}  // namespace

std::vector<Command> commandsOf(const QMenuBar& menus) {
  std::vector<Command> commands;
  collect(menus.actions(), {}, commands);
  return commands;
}

int commandRank(const QString& words, const QString& path, const QString& query) {
  int rank = 0;
  const QString all = words + u' ' + path;
  for (const QString& part : query.split(u' ', Qt::SkipEmptyParts)) {
    const qsizetype at = all.indexOf(part, 0, Qt::CaseInsensitive);
    const bool beginsWord = at == 0 || all.contains(u' ' + part, Qt::CaseInsensitive);
    if (beginsWord) {
      rank += at < words.size() && at >= 0 ? 0 : 1;
    } else if (at >= 0) {
      rank += 2;
    } else if (isSpelledBy(words, part)) {
      rank += 6;
    } else {
      return -1;
    }
  }
  return rank;
}

CommandPalette::CommandPalette(std::vector<Command> commands, const QStringList& recent, const Theme& theme,
                               QWidget* parent)
    : QDialog(parent, Qt::Dialog | Qt::FramelessWindowHint),
      m_commands(std::move(commands)),
      m_recent(recent),
      m_theme(theme),
      m_field(new QLineEdit(this)),
      m_list(new QListWidget(this)) {
  setWindowTitle(tr("Commands"));
  setAccessibleName(tr("Commands"));
  setAttribute(Qt::WA_DeleteOnClose);
  auto* column = new QVBoxLayout(this);
  const int edge = theme.scaled(8);
  column->setContentsMargins(edge, edge, edge, edge);
  column->setSpacing(theme.scaled(6));
  m_field->setPlaceholderText(tr("What do you want to do?"));
  m_field->setAccessibleName(tr("Command"));
  m_field->setFixedHeight(theme.size(QStringLiteral("control")));
  column->addWidget(m_field);
  m_list->setFrameShape(QFrame::NoFrame);
  m_list->setItemDelegate(new Row(theme, m_list));
  m_list->setAccessibleName(tr("Commands that fit"));
  m_list->setFocusPolicy(Qt::NoFocus);  // the arrows move in it while one types
  m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_list->setFixedHeight(kRowsShown * theme.size(QStringLiteral("control")));
  column->addWidget(m_list);
  const int width = std::min(theme.scaled(kWidth), parent->width() - 2 * edge);
  setFixedWidth(width);
  move(parent->mapToGlobal(QPoint((parent->width() - width) / 2, theme.size(QStringLiteral("top_bar")))));
  m_field->installEventFilter(this);
  connect(m_field, &QLineEdit::textChanged, this, &CommandPalette::refresh);
  connect(m_list, &QListWidget::itemClicked, this, &CommandPalette::take);
  refresh();
  m_field->setFocus();
}

QStringList CommandPalette::shown() const {
  QStringList words;
  for (int row = 0; row < m_list->count(); ++row) words << m_list->item(row)->text();
  return words;
}

void CommandPalette::refresh() {
  struct Found {
    std::size_t at;
    int rank;
    bool isUsable;
    qsizetype used;  // position among the recent ones
  };
  std::vector<Found> found;
  const QString query = m_field->text().trimmed();
  for (std::size_t at = 0; at < m_commands.size(); ++at) {
    const Command& command = m_commands[at];
    const int rank = command.action ? commandRank(command.words, command.path, query) : -1;
    if (rank < 0) continue;
    const qsizetype used = m_recent.indexOf(command.action->objectName());
    found.push_back({at, rank, command.action->isEnabled(), used < 0 ? m_recent.size() : used});
  }
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    if (a.isUsable != b.isUsable) return a.isUsable;
    return a.rank != b.rank ? a.rank < b.rank : a.used < b.used;
  });
  m_list->clear();
  for (const Found& each : found) {
    const Command& command = m_commands[each.at];
    auto* item = new QListWidgetItem(command.words, m_list);
    item->setData(kAt, static_cast<int>(each.at));
    item->setData(kPath, command.path);
    item->setData(kKeys, keyWords(command.action->shortcuts()));
    item->setData(Qt::AccessibleTextRole, command.words + QStringLiteral(", ") + command.path);
    item->setToolTip(command.action->toolTip());
    if (!each.isUsable) item->setFlags(item->flags() & ~Qt::ItemIsEnabled);
  }
  m_list->setCurrentRow(0);
}

void CommandPalette::take() {
  const QListWidgetItem* item = m_list->currentItem();
  if (!item || (item->flags() & Qt::ItemIsEnabled) == 0) return;
  const QPointer<QAction> action = m_commands[static_cast<std::size_t>(item->data(kAt).toInt())].action;
  accept();
  if (!action) return;
  Q_EMIT chosen(action);
  // After this is closed: the action may open a dialog, or look at who has the focus.
  QTimer::singleShot(0, action, &QAction::trigger);
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::KeyPress) return QDialog::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  const int rows = m_list->count();
  const auto go = [&](int row) { m_list->setCurrentRow(std::clamp(row, 0, std::max(0, rows - 1))); };
  switch (key->key()) {
    case Qt::Key_Down:
      go(m_list->currentRow() + 1);
      return true;
    case Qt::Key_Up:
      go(m_list->currentRow() - 1);
      return true;
    case Qt::Key_PageDown:
      go(m_list->currentRow() + kRowsShown);
      return true;
    case Qt::Key_PageUp:
      go(m_list->currentRow() - kRowsShown);
      return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      take();
      return true;
    default:
      return QDialog::eventFilter(watched, event);
  }
}

}  // namespace attnscope::ui
