// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/FindField.h"

#include <QFontMetricsF>
#include <QFrame>
#include <QKeyEvent>
#include <QPainter>
#include <QTimer>
#include <QVBoxLayout>

#include "ui/bridge/Format.h"
#include "ui/shell/LinkButton.h"
#include "ui/theme/Surface.h"
#include "ui/theme/TextLabel.h"

namespace attnscope::ui {

namespace {

constexpr int kTypingPauseMs = 120;

}  // namespace

FindField::FindField(SliceSearch& search, const Theme& theme, QWidget* parent)
    : QLineEdit(parent), m_search(search), m_theme(theme), m_pause(new QTimer(this)) {
  setObjectName(QStringLiteral("find"));
  setAccessibleName(tr("Find slices by name"));
  setToolTip(tr("Text in names; /text/: a regular expression; cat:kernel: in a category; args:word: in arguments"));
  setFixedHeight(theme.size(QStringLiteral("control")));
  m_pause->setSingleShot(true);
  m_pause->setInterval(kTypingPauseMs);
  connect(m_pause, &QTimer::timeout, this, [this] { m_search.search(text().trimmed()); });
  connect(this, &QLineEdit::textEdited, m_pause, qOverload<>(&QTimer::start));
  connect(&m_search, &SliceSearch::changed, this, &FindField::refresh);
  connect(&m_theme, &Theme::changed, this, &FindField::refresh);
  refresh();
}

QString FindField::countWords() const {
  if (m_search.text().isEmpty()) return {};
  if (!m_search.problem().isEmpty()) return tr("Cannot search");
  const auto count = static_cast<std::int64_t>(m_search.result().count());
  if (count == 0) return m_search.isBusy() ? QString() : tr("No match");
  if (m_search.current() < 0) return count == 1 ? tr("1 slice") : tr("%1 slices").arg(format::count(count));
  return tr("%1 of %2").arg(format::count(m_search.current() + 1), format::count(count));
}

void FindField::refresh() {
  setFixedHeight(m_theme.size(QStringLiteral("control")));
  const int right = m_theme.scaled(8) +
                    static_cast<int>(QFontMetricsF(m_theme.font(FontRole::kCaption)).horizontalAdvance(countWords()));
  setTextMargins(m_theme.scaled(22), 0, std::max(right, m_theme.scaled(22)), 0);
  choosePlaceholder();
  showNearest();
  update();
}

// The longest that fits: an ellipsis alone says nothing.
void FindField::choosePlaceholder() {
  const QMargins margins = textMargins();
  const int room = width() - margins.left() - margins.right() - m_theme.scaled(8);
  QString fitting;
  for (const QString& words : {tr("Find slices, kernels, operators"), tr("Find slices"), tr("Find")}) {
    fitting = fontMetrics().horizontalAdvance(words) <= room ? words : QString();
    if (!fitting.isEmpty()) break;
  }
  setPlaceholderText(fitting);
}

void FindField::paintEvent(QPaintEvent* event) {
  QLineEdit::paintEvent(event);
  QPainter painter(this);
  const int side = m_theme.scaled(14);
  painter.drawPixmap(QPointF(m_theme.scaled(8), (height() - side) / 2),
                     m_theme.iconPixmap(QStringLiteral("search"), side,
                                        m_theme.colour(QStringLiteral("text.secondary")), devicePixelRatioF()));
  const QFont font = m_theme.font(FontRole::kCaption);
  painter.setFont(font);
  const QString words = countWords();
  if (!words.isEmpty()) {
    painter.setPen(m_theme.colour(QStringLiteral("text.tertiary")));
    painter.drawText(rect().adjusted(0, 0, -m_theme.scaled(8), 0), Qt::AlignRight | Qt::AlignVCenter, words);
  } else if (!hasFocus() && text().isEmpty()) {
    const QRectF box(width() - m_theme.scaled(21), (height() - m_theme.scaled(16)) / 2.0, m_theme.scaled(13),
                     m_theme.scaled(16));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(m_theme.colour(QStringLiteral("border.strong")));
    const double radius = m_theme.number(QStringLiteral("radius.chip"));
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
    painter.setPen(m_theme.colour(QStringLiteral("text.tertiary")));
    painter.drawText(box, Qt::AlignCenter, QStringLiteral("/"));
  }
}

void FindField::resizeEvent(QResizeEvent* event) {
  QLineEdit::resizeEvent(event);
  choosePlaceholder();
}

void FindField::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
    m_search.search(text().trimmed());
    m_search.next(event->modifiers().testFlag(Qt::ShiftModifier) ? -1 : 1);
    return;
  }
  if (event->key() == Qt::Key_Escape) {
    clear();
    m_search.search(QString());
    clearFocus();
    return;
  }
  QLineEdit::keyPressEvent(event);
}

void FindField::focusOutEvent(QFocusEvent* event) {
  QLineEdit::focusOutEvent(event);
  // Not at once: the click that takes the focus may be on one of the names.
  QTimer::singleShot(200, this, [this] {
    if (m_nearest && !hasFocus()) m_nearest->hide();
  });
}

void FindField::showNearest() {
  if (m_nearest) {
    m_nearest->hide();
    m_nearest->deleteLater();
    m_nearest = nullptr;
  }
  const bool isNone = !m_search.text().isEmpty() && !m_search.isBusy() && m_search.result().count() == 0;
  if (!isNone || !hasFocus()) return;
  auto* card = new Surface(m_theme, QStringLiteral("surface.raised"),
                           Qt::LeftEdge | Qt::RightEdge | Qt::TopEdge | Qt::BottomEdge, window());
  card->setLineColour(QStringLiteral("border.strong"));
  auto* column = new QVBoxLayout(card);
  column->setContentsMargins(m_theme.scaled(12), m_theme.scaled(8), m_theme.scaled(12), m_theme.scaled(8));
  column->setSpacing(m_theme.scaled(2));
  column->addWidget(new TextLabel(m_theme, tr("No match for \"%1\"").arg(m_search.text()),
                                  {FontRole::kData, QFont::DemiBold, "text.primary"}, card));
  if (!m_search.problem().isEmpty()) {
    column->addWidget(
        new TextLabel(m_theme, m_search.problem(), {FontRole::kData, QFont::Normal, "severity.problem"}, card));
  }
  if (!m_search.result().nearest.isEmpty()) {
    column->addWidget(new TextLabel(m_theme, tr("Names that are alike:"),
                                    {FontRole::kCaption, QFont::Normal, "text.tertiary"}, card));
  }
  for (const QString& name : m_search.result().nearest) {
    auto* link = new LinkButton(m_theme, name, card);
    connect(link, &QAbstractButton::clicked, this, [this, name] {
      setText(name);
      setFocus();
      m_search.search(name);
    });
    column->addWidget(link);
  }
  m_nearest = card;
  card->setFixedWidth(width());
  card->adjustSize();
  card->move(mapTo(window(), QPoint(0, height() + 2)));
  card->show();
  card->raise();
}

}  // namespace attnscope::ui
