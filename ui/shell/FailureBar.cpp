// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/FailureBar.h"

#include <QHBoxLayout>
#include <QPushButton>

#include "ui/shell/CentreBlock.h"
#include "ui/shell/TextLabel.h"

namespace attnscope::ui {

FailureBar::FailureBar(Session& session, const Theme& theme, QWidget* parent)
    : Surface(theme, QStringLiteral("severity.problem_bg"), Qt::BottomEdge, parent), m_session(session) {
  setObjectName(QStringLiteral("failureBar"));
  setFixedHeight(theme.scaled(40));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(theme.scaled(12), 0, theme.scaled(8), 1);
  row->setSpacing(theme.scaled(8));
  row->addWidget(new IconLabel(theme, QStringLiteral("problem"), "severity.problem", 16, this));
  m_words = new TextLabel(theme, QString(), {FontRole::kUi, QFont::Normal, "text.primary"}, this);
  row->addWidget(m_words, 1);
  auto* again = new QPushButton(tr("Read it again"), this);
  again->setAccessibleName(again->text());
  connect(again, &QPushButton::clicked, this, [this] {
    if (const int failed = failedRun(); failed >= 0) m_session.reload(failed);
  });
  row->addWidget(again);
  auto* close = new QPushButton(tr("Close it"), this);
  close->setAccessibleName(close->text());
  connect(close, &QPushButton::clicked, this, [this] {
    if (const int failed = failedRun(); failed >= 0) m_session.closeRun(failed);
  });
  row->addWidget(close);
  connect(&m_session, &Session::runsChanged, this, &FailureBar::refresh);
  connect(&m_session, &Session::runChanged, this, &FailureBar::refresh);
  refresh();
}

QString FailureBar::words() const { return m_words->text(); }

int FailureBar::failedRun() const {
  for (int i = 0; i < m_session.runCount(); ++i) {
    if (m_session.run(i)->state() == RunState::kFailed) return i;
  }
  return -1;
}

void FailureBar::refresh() {
  const int failed = failedRun();
  setVisible(failed >= 0 && !m_session.readyRuns().empty());
  if (failed < 0) return;
  const Run* run = m_session.run(failed);
  m_words->setText(tr("%1 could not be read. %2").arg(run->fileName(), QString::fromStdString(run->error().message())));
  m_words->setToolTip(m_words->text());
}

}  // namespace attnscope::ui
