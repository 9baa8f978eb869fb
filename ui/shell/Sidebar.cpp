// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/Sidebar.h"

#include <algorithm>

#include <QGridLayout>
#include <QHBoxLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QTimer>
#include <QVBoxLayout>

#include "ui/shell/HealthFoot.h"
#include "ui/shell/IconButton.h"
#include "ui/shell/MissingRow.h"
#include "ui/shell/RunCard.h"
#include "ui/shell/RunFigures.h"
#include "ui/shell/RunMenu.h"
#include "ui/theme/TextLabel.h"

namespace attnscope::ui {

Sidebar::Sidebar(Session& session, const Theme& theme, QWidget* parent)
    : Surface(theme, QStringLiteral("surface.panel"), {}, parent), m_session(session) {
  setObjectName(QStringLiteral("sidebar"));
  setMinimumWidth(theme.scaled(200));
  setMaximumWidth(theme.scaled(360));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);

  auto* head = new QHBoxLayout;
  scaleLayout(theme, head, {10, 0, 6, 0});
  head->addWidget(new TextLabel(theme, tr("Runs"), {FontRole::kCaption, QFont::DemiBold, "text.primary"}, this), 1);
  auto* add = new IconButton(theme, QStringLiteral("add"), tr("Add a run or a trace"), this);
  add->setSmall(true);
  connect(add, &QToolButton::clicked, this, &Sidebar::addRequested);
  head->addWidget(add);
  auto* headRow = new QWidget(this);
  headRow->setLayout(head);
  headRow->setFixedHeight(theme.scaled(30));
  layout->addWidget(headRow);
  layout->addWidget(makeHairline(theme, this));

  auto* scroll = new QScrollArea(this);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setFocusPolicy(Qt::NoFocus);
  scroll->setAccessibleName(tr("Runs"));
  auto* content = new Surface(theme, QStringLiteral("surface.panel"));
  m_list = new QVBoxLayout(content);
  m_list->setContentsMargins(0, 0, 0, 0);
  m_list->setSpacing(0);
  auto* addRow = new IconButton(theme, QStringLiteral("add"), tr("Add a run or a trace"), content);
  addRow->setWords(tr("Add a run or a trace"));
  addRow->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  m_list->addSpacing(theme.scaled(3));
  connect(addRow, &QToolButton::clicked, this, &Sidebar::addRequested);
  m_list->addWidget(addRow);
  m_list->addSpacing(theme.scaled(3));
  m_list->addWidget(makeHairline(theme, content));
  m_capture = new QWidget(content);
  m_list->addWidget(m_capture);
  m_list->addStretch(1);
  scroll->setWidget(content);
  layout->addWidget(scroll, 1);

  auto* foot = new HealthFoot(session, theme, this);
  connect(foot, &QAbstractButton::clicked, this, &Sidebar::healthRequested);
  layout->addWidget(foot);

  m_dropLine = new Surface(theme, QStringLiteral("text.primary"), {}, content);
  m_dropLine->setFixedHeight(2);
  m_dropLine->hide();

  m_ticks = new QTimer(this);
  m_ticks->setInterval(100);
  connect(m_ticks, &QTimer::timeout, this, [this] {
    for (RunCard* card : m_cards) card->refreshProgress();
  });
  connect(&m_session, &Session::runsChanged, this, &Sidebar::rebuild);
  connect(&m_session, &Session::runChanged, this, &Sidebar::refreshCapture);
  connect(&m_session, &Session::scopeChanged, this, &Sidebar::refreshCards);
  connect(&theme, &Theme::changed, this, [this, headRow] {
    setMinimumWidth(this->theme().scaled(200));
    setMaximumWidth(this->theme().scaled(360));
    headRow->setFixedHeight(this->theme().scaled(30));
    refreshCapture();
  });
  rebuild();
}

void Sidebar::rebuild() {
  std::vector<Run*> wanted;
  for (int i = 0; i < m_session.runCount(); ++i) wanted.push_back(m_session.run(i));
  const bool isSame = std::equal(wanted.begin(), wanted.end(), m_cards.begin(), m_cards.end(),
                                 [](const Run* run, const RunCard* card) { return card->run() == run; });
  if (!isSame) {
    for (RunCard* card : m_cards) {
      m_list->removeWidget(card);
      card->hide();
      card->deleteLater();
    }
    m_cards.clear();
    for (Run* run : wanted) {
      auto* card = new RunCard(m_session, theme(), run, m_capture->parentWidget());
      connect(card, &RunCard::menuRequested, this,
              [this](Run* of, const QPoint& where) { makeRunMenu(m_session, of, this)->popup(where); });
      connect(card, &RunCard::dragMoved, this, [this](Run* /*of*/, int y) { showDropLine(y); });
      connect(card, &RunCard::dragEnded, this, &Sidebar::dropCard);
      m_list->insertWidget(static_cast<int>(m_cards.size()), card);
      m_cards.push_back(card);
    }
  }
  rebuildMissing();
  refreshCards();
  refreshCapture();
}

void Sidebar::rebuildMissing() {
  const std::vector<WithoutTrace> wanted = m_session.withoutTrace();
  for (MissingRow* row : m_missing) {
    m_list->removeWidget(row);
    row->hide();
    row->deleteLater();
  }
  m_missing.clear();
  for (const WithoutTrace& each : wanted) {
    auto* row = new MissingRow(each, theme(), m_capture->parentWidget());
    m_list->insertWidget(static_cast<int>(m_cards.size() + m_missing.size()), row);
    m_missing.push_back(row);
  }
}

void Sidebar::refreshCards() {
  for (RunCard* card : m_cards) card->refresh();
}

void Sidebar::refreshCapture() {
  bool anyLoading = false;
  for (int i = 0; i < m_session.runCount(); ++i) {
    anyLoading = anyLoading || m_session.run(i)->state() == RunState::kLoading;
  }
  if (anyLoading) {
    m_ticks->start();
  } else {
    m_ticks->stop();
  }
  delete m_capture->layout();
  qDeleteAll(m_capture->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly));
  const bool isShown = m_session.runCount() == 1 && m_session.run(0)->trace();
  m_capture->setVisible(isShown);
  if (!isShown) return;
  auto* grid = new QGridLayout(m_capture);
  const int side = theme().scaled(10);
  grid->setContentsMargins(side, theme().scaled(12), side, theme().scaled(12));
  grid->setHorizontalSpacing(theme().scaled(8));
  grid->setVerticalSpacing(theme().scaled(4));
  grid->setColumnMinimumWidth(0, theme().scaled(64));
  grid->setColumnStretch(1, 1);
  grid->addWidget(
      new TextLabel(theme(), tr("Capture"), {FontRole::kCaption, QFont::DemiBold, "text.secondary"}, m_capture), 0, 0,
      1, 2);
  int row = 1;
  for (const Figure& figure : captureFigures(*m_session.run(0)->trace())) {
    grid->addWidget(new TextLabel(theme(), figure.label, {FontRole::kData, QFont::Normal, "text.secondary"}, m_capture),
                    row, 0, Qt::AlignTop);
    auto* value = new TextLabel(theme(), figure.value, {}, m_capture);
    value->setWrapped(true);
    grid->addWidget(value, row, 1);
    ++row;
  }
}

int Sidebar::positionAt(int globalY) const {
  int position = 0;
  for (const RunCard* card : m_cards) {
    if (globalY > card->mapToGlobal(QPoint(0, card->height() / 2)).y()) ++position;
  }
  return position;
}

void Sidebar::showDropLine(int globalY) {
  if (m_cards.empty()) return;
  const int position = positionAt(globalY);
  const RunCard* last = m_cards.back();
  const int y = position < static_cast<int>(m_cards.size()) ? m_cards[static_cast<std::size_t>(position)]->y()
                                                            : last->y() + last->height();
  m_dropLine->setGeometry(0, std::max(0, y - 1), m_dropLine->parentWidget()->width(), 2);
  m_dropLine->raise();
  m_dropLine->show();
}

void Sidebar::dropCard(Run* run, int globalY) {
  m_dropLine->hide();
  const int from = m_session.positionOf(run);
  int to = positionAt(globalY);
  if (to > from) --to;
  if (from >= 0 && to != from) m_session.moveRun(from, to);
}

}  // namespace attnscope::ui
