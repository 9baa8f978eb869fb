// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/StartPage.h"

#include <cmath>

#include <QFontMetricsF>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QSvgRenderer>
#include <QVBoxLayout>

#include "ui/shell/RecentList.h"
#include "ui/shell/SampleFiles.h"
#include "ui/shell/SamplePreview.h"
#include "ui/theme/TextLabel.h"

namespace attnscope::ui {

namespace {

class Emblem : public QWidget {
 public:
  Emblem(const Theme& theme, QWidget* parent) : QWidget(parent), m_renderer(QStringLiteral(":/app/attnscope.svg")) {
    const auto scale = [this, &theme] { setFixedSize(theme.scaled(40), theme.scaled(40)); };
    QObject::connect(&theme, &Theme::changed, this, scale);
    scale();
  }

 protected:
  void paintEvent(QPaintEvent* /*event*/) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    m_renderer.render(&painter, QRectF(rect()));
  }

 private:
  QSvgRenderer m_renderer;
};

// A card with a border of its own, for what floats on the page.
class Card : public QWidget {
 public:
  Card(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
    QObject::connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
  }

 protected:
  void paintEvent(QPaintEvent* /*event*/) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(m_theme.colour(QStringLiteral("border.strong")));
    painter.setBrush(m_theme.colour(QStringLiteral("surface.raised")));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
  }

 private:
  const Theme& m_theme;
};

}  // namespace

ActionCard::ActionCard(const Theme& theme, const QString& icon, const QString& title, const QString& text,
                       const QString& keys, QWidget* parent)
    : QAbstractButton(parent), m_theme(theme), m_icon(icon), m_text(text), m_keys(keys) {
  setText(title);
  setAccessibleName(title);
  setAccessibleDescription(text);
  setFocusPolicy(Qt::TabFocus);
  setCursor(Qt::PointingHandCursor);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(&m_theme, &Theme::changed, this, [this] {
    updateGeometry();
    update();
  });
}

QSize ActionCard::sizeHint() const { return {m_theme.scaled(400), m_theme.scaled(56)}; }

void ActionCard::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const bool isHovered = underMouse() || isDown();
  const char* ground = m_isPrimary ? (isHovered ? "state.primary_hover" : "state.primary")
                                   : (isHovered ? "state.hover" : "surface.raised");
  const QColor ink =
      m_theme.colour(m_isPrimary ? QStringLiteral("state.primary_text") : QStringLiteral("text.primary"));
  const QColor line = hasFocus()    ? m_theme.colour(QStringLiteral("state.focus"))
                      : m_isPrimary ? m_theme.colour(QString::fromLatin1(ground))
                                    : m_theme.colour(QStringLiteral("border.strong"));
  const double half = hasFocus() ? 1.0 : 0.5;
  painter.setPen(QPen(line, hasFocus() ? 2 : 1));
  painter.setBrush(m_theme.colour(QString::fromLatin1(ground)));
  painter.drawRoundedRect(QRectF(rect()).adjusted(half, half, -half, -half), 4, 4);

  const int icon = m_theme.scaled(20);
  painter.drawPixmap(QPointF(m_theme.scaled(15), (height() - icon) / 2),
                     m_theme.iconPixmap(m_icon, icon, ink, devicePixelRatioF()));
  const double left = m_theme.scaled(49);
  QColor quiet = m_isPrimary ? ink : m_theme.colour(QStringLiteral("text.secondary"));
  if (m_isPrimary) quiet.setAlphaF(0.8F);

  double right = width() - m_theme.scaled(15);
  if (!m_keys.isEmpty()) {
    const QFont font = m_theme.font(FontRole::kCaption);
    const double wide = QFontMetricsF(font).horizontalAdvance(m_keys) + m_theme.scaled(12);
    const QRectF box(right - wide, (height() - m_theme.scaled(16)) / 2.0, wide, m_theme.scaled(16));
    painter.setFont(font);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(m_isPrimary ? ink : m_theme.colour(QStringLiteral("border.strong")));
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    painter.setPen(quiet);
    painter.drawText(box, Qt::AlignCenter, m_keys);
    right = box.left() - m_theme.scaled(8);
  }
  QFont font = m_theme.font(FontRole::kUi, QFont::DemiBold);
  painter.setFont(font);
  painter.setPen(ink);
  painter.drawText(QRectF(left, m_theme.scaled(11), right - left, m_theme.scaled(18)), Qt::AlignLeft | Qt::AlignVCenter,
                   QFontMetricsF(font).elidedText(text(), Qt::ElideRight, right - left));
  font = m_theme.font(FontRole::kData);
  painter.setFont(font);
  painter.setPen(quiet);
  painter.drawText(QRectF(left, m_theme.scaled(29), right - left, m_theme.scaled(16)), Qt::AlignLeft | Qt::AlignVCenter,
                   QFontMetricsF(font).elidedText(m_text, Qt::ElideRight, right - left));
}

StartPage::StartPage(AppSettings& settings, const Theme& theme, QWidget* parent)
    : Surface(theme, QStringLiteral("surface.panel"), {}, parent), m_settings(settings) {
  setObjectName(QStringLiteral("startPage"));
  setAccessibleName(tr("Start"));
  auto* outer = new QHBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  auto* scroll = new QScrollArea(this);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setFocusPolicy(Qt::NoFocus);
  scroll->setAccessibleName(tr("Start"));
  auto* ground = new Surface(theme, QStringLiteral("surface.panel"));
  auto* across = new QHBoxLayout(ground);
  scaleLayout(theme, across, {32, 44, 32, 24});
  across->addStretch(1);
  auto* page = new QWidget(ground);
  const auto scale = [&theme, page] { page->setMaximumWidth(theme.scaled(1080)); };
  connect(&theme, &Theme::changed, page, scale);
  scale();
  across->addWidget(page, 1000);
  across->addStretch(1);
  auto* column = new QVBoxLayout(page);
  scaleLayout(theme, column, {}, 32);
  column->addWidget(makeTitle());
  auto* row = new QHBoxLayout;
  scaleLayout(theme, row, {}, 40);
  row->addWidget(makeActions(), 400);
  row->addWidget(makeSample(), 640);
  column->addLayout(row);
  column->addWidget(makeRecent());
  column->addStretch(1);
  scroll->setWidget(ground);
  outer->addWidget(scroll);
  connect(&m_settings, &AppSettings::recentChanged, this, &StartPage::refreshRecent);
  refreshRecent();
}

QWidget* StartPage::makeTitle() {
  auto* title = new QWidget(this);
  auto* row = new QHBoxLayout(title);
  scaleLayout(theme(), row, {}, 14);
  row->addWidget(new Emblem(theme(), title));
  auto* words = new QVBoxLayout;
  words->setSpacing(0);
  words->addWidget(new TextLabel(theme(), QStringLiteral("Attnscope"),
                                 {FontRole::kDisplay, QFont::DemiBold, "text.primary"}, title));
  words->addWidget(new TextLabel(theme(), tr("See where the time and the memory of attention go, side by side."),
                                 {FontRole::kUi, QFont::Normal, "text.secondary"}, title));
  row->addLayout(words, 1);
  return title;
}

QWidget* StartPage::makeActions() {
  auto* actions = new QWidget(this);
  auto* column = new QVBoxLayout(actions);
  scaleLayout(theme(), column, {}, 8);
  auto* open = new ActionCard(theme(), QStringLiteral("open"), tr("Open traces"),
                              tr("PyTorch Profiler and Chrome traces"), tr("Ctrl O"), actions);
  open->setPrimary(true);
  connect(open, &QAbstractButton::clicked, this, &StartPage::openRequested);
  column->addWidget(open);
  auto* compare = new ActionCard(theme(), QStringLiteral("compare"), tr("Compare two runs"),
                                 tr("Two traces, aligned, with their differences"), tr("Ctrl Shift O"), actions);
  connect(compare, &QAbstractButton::clicked, this, &StartPage::compareRequested);
  column->addWidget(compare);
  auto* lab = new ActionCard(theme(), QStringLiteral("lab"), tr("Run implementations"),
                             tr("Choose a shape, here on this machine"), tr("Ctrl R"), actions);
  connect(lab, &QAbstractButton::clicked, this, &StartPage::labRequested);
  column->addWidget(lab);
  column->addSpacing(theme().scaled(4));
  auto* note = new TextLabel(
      theme(),
      tr("Or drop files anywhere in this window. Nothing is sent anywhere, and nothing in a file is executed."),
      {FontRole::kData, QFont::Normal, "text.tertiary"}, actions);
  note->setWrapped(true);
  column->addWidget(note);
  column->addStretch(1);
  return actions;
}

QWidget* StartPage::makeSample() {
  auto* card = new Card(theme(), this);
  auto* column = new QVBoxLayout(card);
  column->setContentsMargins(1, 1, 1, 1);
  column->setSpacing(0);
  m_preview = new SamplePreview(theme(), card);
  column->addWidget(m_preview);
  column->addWidget(makeHairline(theme(), card));
  auto* foot = new QHBoxLayout;
  scaleLayout(theme(), foot, {16, 12, 16, 12}, 8);
  auto* words = new QVBoxLayout;
  words->setSpacing(0);
  words->addWidget(new TextLabel(theme(), tr("Sample comparison: naive against flash attention"),
                                 {FontRole::kUi, QFont::DemiBold, "text.primary"}, card));
  const bool isThere = !sampleSession().isEmpty();
  words->addWidget(new TextLabel(theme(),
                                 isThere ? tr("Measured and profiled in the Lab. Opens at once, offline.")
                                         : tr("The sample is not installed beside the program."),
                                 {FontRole::kData, QFont::Normal, "text.secondary"}, card));
  foot->addLayout(words, 1);
  auto* traces = new QPushButton(tr("Two plain traces"), card);
  traces->setAccessibleName(tr("Open two plain traces of naive and flash attention"));
  traces->setToolTip(tr("A transformer block with naive and with flash attention, as the PyTorch Profiler saves them"));
  traces->setEnabled(!sampleTraces().isEmpty());
  connect(traces, &QPushButton::clicked, this, &StartPage::sampleTracesRequested);
  foot->addWidget(traces);
  auto* open = new QPushButton(tr("Open the sample"), card);
  open->setAccessibleName(open->text());
  open->setEnabled(isThere);
  connect(open, &QPushButton::clicked, this, &StartPage::sampleRequested);
  foot->addWidget(open);
  column->addLayout(foot);
  auto* holder = new QWidget(this);
  auto* layout = new QVBoxLayout(holder);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(card);
  layout->addStretch(1);
  return holder;
}

QWidget* StartPage::makeRecent() {
  auto* recent = new QWidget(this);
  auto* column = new QVBoxLayout(recent);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  m_recentHead = new QWidget(recent);
  auto* head = new QHBoxLayout(m_recentHead);
  scaleLayout(theme(), head, {0, 0, 0, 4});
  head->addWidget(new TextLabel(theme(), tr("Recent"), {FontRole::kUi, QFont::DemiBold, "text.primary"}, m_recentHead),
                  1);
  m_filter = new QLineEdit(m_recentHead);
  m_filter->setPlaceholderText(tr("Filter recent files"));
  m_filter->setAccessibleName(tr("Filter recent files"));
  m_filter->setClearButtonEnabled(true);
  const auto scale = [this] { m_filter->setFixedWidth(theme().scaled(180)); };
  connect(&theme(), &Theme::changed, m_filter, scale);
  scale();
  head->addWidget(m_filter);
  column->addWidget(m_recentHead);
  column->addWidget(makeHairline(theme(), recent));
  m_recent = new RecentList(m_settings, theme(), recent);
  column->addWidget(m_recent);
  m_noMatch = new TextLabel(theme(), tr("No recent file has these letters in its path."),
                            {FontRole::kData, QFont::Normal, "text.tertiary"}, recent);
  m_noMatch->setContentsMargins(0, theme().scaled(8), 0, 0);
  column->addWidget(m_noMatch);
  connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& text) {
    m_recent->recent()->setFilter(text);
    refreshRecent();
  });
  connect(m_recent, &RecentList::fileChosen, this, &StartPage::fileChosen);
  return recent;
}

void StartPage::refreshRecent() {
  const bool any = !m_settings.recentFiles().empty();
  m_recentHead->parentWidget()->setVisible(any);
  const bool anyShown = m_recent->recent()->rowCount() > 0;
  m_recent->setVisible(anyShown);
  m_noMatch->setVisible(any && !anyShown);
}

void StartPage::startPreview() { m_preview->start(sampleSession()); }
bool StartPage::isSettled() const { return m_preview->isSettled(); }

}  // namespace attnscope::ui
