// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/RunStateView.h"

#include <algorithm>

#include <QApplication>
#include <QClipboard>
#include <QPainter>
#include <QPointer>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>

#include "ui/bridge/ErrorWords.h"
#include "ui/shell/CentreBlock.h"
#include "ui/shell/LoadingCard.h"
#include "ui/shell/RunFigures.h"

namespace attnscope::ui {

namespace {

constexpr int kNothingForMs = 200;
constexpr int kBarForMs = 1000;
constexpr std::size_t kMostCards = 2;

}  // namespace

RunStateView::RunStateView(Session& session, const Theme& theme, QWidget* parent)
    : Surface(theme, QStringLiteral("timeline.pane"), {}, parent), m_session(session) {
  setObjectName(QStringLiteral("runStates"));
  m_column = new QVBoxLayout(this);
  m_column->setSpacing(theme.scaled(12));
  m_ticks = new QTimer(this);
  m_ticks->setInterval(50);
  connect(m_ticks, &QTimer::timeout, this, [this] {
    refresh();
    for (QWidget* card : findChildren<LoadingCard*>()) card->update();
    update();
  });
  connect(&m_session, &Session::runsChanged, this, &RunStateView::refresh);
  connect(&m_session, &Session::runChanged, this, &RunStateView::refresh);
  refresh();
}

RunStateView::Shown RunStateView::wantedState() const {
  bool anyLoading = false;
  bool anyFailed = false;
  for (int i = 0; i < m_session.runCount(); ++i) {
    anyLoading = anyLoading || m_session.run(i)->state() == RunState::kLoading;
    anyFailed = anyFailed || m_session.run(i)->state() == RunState::kFailed;
  }
  if (m_session.runCount() == 0 || m_session.anyShown()) return Shown::kNothing;
  if (anyLoading) return Shown::kLoading;
  return anyFailed ? Shown::kFailed : Shown::kHidden;
}

void RunStateView::refresh() {
  Shown wanted = wantedState();
  if (wanted == Shown::kLoading) {
    if (!m_ticks->isActive()) {
      m_since.start();
      m_ticks->start();
    }
    // A file that is read at once needs no words about it.
    if (m_since.elapsed() < kBarForMs) wanted = Shown::kNothing;
  } else {
    m_ticks->stop();
  }
  std::vector<Run*> runs;
  const RunState of = wanted == Shown::kLoading ? RunState::kLoading : RunState::kFailed;
  for (int i = 0; i < m_session.runCount(); ++i) {
    if (m_session.run(i)->state() == of) runs.push_back(m_session.run(i));
  }
  if (wanted == m_shown && runs == m_runs) return;
  m_runs = runs;
  build(wanted);
}

void RunStateView::build(Shown wanted) {
  m_shown = wanted;
  while (QLayoutItem* item = m_column->takeAt(0)) {
    if (QWidget* old = item->widget()) {
      old->hide();
      old->deleteLater();
    }
    delete item;
  }
  m_column->addStretch(1);
  if (wanted == Shown::kLoading) {
    for (std::size_t i = 0; i < std::min(m_runs.size(), kMostCards); ++i) {
      m_column->addWidget(new LoadingCard(m_session, theme(), m_runs[i], this), 0, Qt::AlignHCenter);
    }
  } else if (wanted == Shown::kFailed) {
    for (std::size_t i = 0; i < std::min(m_runs.size(), kMostCards); ++i) addFailure(m_runs[i]);
  } else if (wanted == Shown::kHidden) {
    auto* block = new CentreBlock(theme(), QStringLiteral("eye_off"), "text.secondary", this);
    block->setTitle(tr("All runs are hidden"));
    block->setBody(tr("They are open and can be shown again in the sidebar."));
    connect(block->addButton(tr("Show all runs"), true), &QPushButton::clicked, this, [this] {
      for (int i = 0; i < m_session.runCount(); ++i) m_session.setHidden(i, false);
    });
    m_column->addWidget(block);
  }
  m_column->addStretch(1);
}

void RunStateView::addFailure(Run* run) {
  auto* block = new CentreBlock(theme(), QStringLiteral("problem"), "severity.problem", this);
  block->setTitle(tr("%1 could not be read").arg(run->spokenName()));
  block->setBody(whatHappened(run->error()));
  block->setRemedy(whatToDo(run->error()));
  const QPointer<Run> guarded(run);
  connect(block->addButton(tr("Choose another file"), true), &QPushButton::clicked, this, &RunStateView::openRequested);
  connect(block->addButton(tr("Read it again"), false), &QPushButton::clicked, this, [this, guarded] {
    if (guarded && m_session.positionOf(guarded) >= 0) m_session.reload(m_session.positionOf(guarded));
  });
  connect(block->addButton(tr("Copy details"), false), &QPushButton::clicked, this, [guarded] {
    if (!guarded) return;
    QApplication::clipboard()->setText(guarded->location() + QStringLiteral(": ") +
                                       QString::fromStdString(guarded->error().message()));
  });
  m_column->addWidget(block);
}

void RunStateView::paintEvent(QPaintEvent* event) {
  Surface::paintEvent(event);
  if (!m_ticks->isActive() || m_since.elapsed() < kNothingForMs || m_since.elapsed() >= kBarForMs) return;
  QPainter painter(this);
  painter.fillRect(0, 0, width(), 3, theme().colour(QStringLiteral("state.progress_track")));
  double share = 0;
  for (int i = 0; i < m_session.runCount(); ++i) share = std::max(share, progressShare(m_session.run(i)->progress()));
  painter.fillRect(QRectF(0, 0, width() * share, 3), theme().colour(QStringLiteral("state.progress")));
}

}  // namespace attnscope::ui
