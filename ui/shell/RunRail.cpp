// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/RunRail.h"

#include <QPainter>
#include <QVBoxLayout>

#include "ui/bridge/ErrorWords.h"
#include "ui/shell/IconButton.h"
#include "ui/shell/RunFigures.h"
#include "ui/shell/RunMenu.h"

namespace attnscope::ui {

RailChip::RailChip(Session& session, const Theme& theme, Run* run, QWidget* parent)
    : QAbstractButton(parent), m_session(session), m_theme(theme), m_run(run) {
  setFocusPolicy(Qt::TabFocus);
  setFixedSize(sizeHint());
  const QString state = run->state() == RunState::kFailed    ? tr(", could not be read")
                        : run->state() == RunState::kLoading ? tr(", being read")
                                                             : QString();
  setAccessibleName(tr("Run %1, %2%3").arg(run->letter(), run->title(), state));
  QStringList lines{accessibleName()};
  for (const Figure& figure : runFigures(*run, session.scopeWords())) {
    lines << QStringLiteral("%1: %2").arg(figure.label, figure.value);
  }
  if (run->state() == RunState::kFailed) lines << whatHappened(run->error());
  setToolTip(lines.join(u'\n'));
  connect(run, &Run::changed, this, qOverload<>(&QWidget::update));
}

QSize RailChip::sizeHint() const { return {m_theme.size(QStringLiteral("sidebar_rail")) - 1, m_theme.scaled(44)}; }

void RailChip::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  if (underMouse()) painter.fillRect(rect(), m_theme.colour(QStringLiteral("state.hover")));
  painter.fillRect(0, 0, m_theme.size(QStringLiteral("run_stripe")), height(), m_theme.run(m_run->number()));
  const double side = m_theme.chipSize();
  painter.setOpacity(m_run->isHidden() ? 0.45 : 1.0);
  m_theme.drawChip(painter, QPointF((width() + 4 - side) / 2, (height() - side) / 2), m_run->number(), m_run->letter());
  painter.setOpacity(1.0);
  const auto mark = [&](const char* icon, const char* colour) {
    const int small = m_theme.scaled(12);
    painter.drawPixmap(QPointF(width() - small - 2, height() - small - m_theme.scaled(4)),
                       m_theme.iconPixmap(QString::fromLatin1(icon), small, m_theme.colour(QString::fromLatin1(colour)),
                                          devicePixelRatioF()));
  };
  if (m_run->state() == RunState::kFailed) {
    mark("problem", "severity.problem");
  } else if (m_session.readyRuns().size() > 1 && m_session.baseline() == m_session.positionOf(m_run)) {
    mark("baseline", "text.secondary");
  }
  painter.fillRect(0, height() - 1, width(), 1, m_theme.colour(QStringLiteral("border.hairline")));
  if (hasFocus()) {
    painter.setPen(QPen(m_theme.colour(QStringLiteral("state.focus")), 2));
    painter.drawRect(rect().adjusted(1, 1, -1, -1));
  }
}

RailMissing::RailMissing(const WithoutTrace& missing, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_number(missing.number), m_words(missingWords(missing)) {
  setFixedSize(m_theme.size(QStringLiteral("sidebar_rail")) - 1, m_theme.scaled(44));
  setAccessibleName(tr("%1, %2: %3").arg(m_words.letter, m_words.title, m_words.sentence));
  setToolTip(m_words.title + u'\n' + m_words.sentence);
}

void RailMissing::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  const double side = m_theme.chipSize();
  painter.setOpacity(0.45);
  m_theme.drawChip(painter, QPointF((width() + 4 - side) / 2, (height() - side) / 2), m_number, m_words.letter);
  painter.setOpacity(1);
  const int small = m_theme.scaled(12);
  painter.drawPixmap(
      QPointF(width() - small - 2, height() - small - m_theme.scaled(4)),
      m_theme.iconPixmap(
          m_words.isFailure ? QStringLiteral("problem") : QStringLiteral("refused"), small,
          m_theme.colour(m_words.isFailure ? QStringLiteral("severity.problem") : QStringLiteral("severity.warning")),
          devicePixelRatioF()));
  painter.fillRect(0, height() - 1, width(), 1, m_theme.colour(QStringLiteral("border.hairline")));
}

RunRail::RunRail(Session& session, const Theme& theme, QWidget* parent)
    : Surface(theme, QStringLiteral("surface.panel"), Qt::RightEdge, parent), m_session(session) {
  setObjectName(QStringLiteral("rail"));
  setFixedWidth(theme.size(QStringLiteral("sidebar_rail")));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 1, theme.scaled(4));
  layout->setSpacing(0);
  auto* expand = new IconButton(theme, QStringLiteral("sidebar"), tr("Show the sidebar"), this);
  connect(expand, &QToolButton::clicked, this, &RunRail::expandRequested);
  layout->addSpacing(theme.scaled(2));
  layout->addWidget(expand, 0, Qt::AlignHCenter);
  layout->addSpacing(theme.scaled(2));
  layout->addWidget(makeHairline(theme, this));
  m_chips = new QVBoxLayout;
  m_chips->setSpacing(0);
  layout->addLayout(m_chips);
  layout->addSpacing(theme.scaled(4));
  auto* add = new IconButton(theme, QStringLiteral("add"), tr("Add a run or a trace"), this);
  connect(add, &QToolButton::clicked, this, &RunRail::addRequested);
  layout->addWidget(add, 0, Qt::AlignHCenter);
  layout->addStretch(1);
  auto* health = new IconButton(theme, QStringLiteral("health"), tr("Trace health"), this);
  connect(health, &QToolButton::clicked, this, &RunRail::healthRequested);
  layout->addWidget(health, 0, Qt::AlignHCenter);
  m_health = health;
  connect(&m_session, &Session::runsChanged, this, &RunRail::rebuild);
  connect(&m_session, &Session::runChanged, this, &RunRail::rebuild);
  connect(&m_session, &Session::scopeChanged, this, &RunRail::rebuild);
  connect(&theme, &Theme::changed, this, [this] {
    setFixedWidth(this->theme().size(QStringLiteral("sidebar_rail")));
    rebuild();
  });
  rebuild();
}

void RunRail::rebuild() {
  while (QLayoutItem* item = m_chips->takeAt(0)) {
    if (item->widget()) item->widget()->deleteLater();
    delete item;
  }
  bool anyRead = false;
  for (int i = 0; i < m_session.runCount(); ++i) {
    Run* run = m_session.run(i);
    anyRead = anyRead || run->trace();
    auto* chip = new RailChip(m_session, theme(), run, this);
    connect(chip, &QAbstractButton::clicked, this, [this, chip, run] {
      makeRunMenu(m_session, run, this)->popup(chip->mapToGlobal(QPoint(chip->width(), 0)));
    });
    m_chips->addWidget(chip);
  }
  for (const WithoutTrace& each : m_session.withoutTrace()) m_chips->addWidget(new RailMissing(each, theme(), this));
  m_health->setVisible(anyRead);
}

}  // namespace attnscope::ui
