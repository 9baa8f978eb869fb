// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/PaneState.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>

#include "ui/bridge/ErrorWords.h"
#include "ui/bridge/Format.h"

namespace attnscope::ui {

namespace {
constexpr int kBlockWidth = 470;
constexpr int kRefreshMs = 100;
}  // namespace

QString readingWords(const Progress& progress) {
  QStringList parts;
  const QString stage = QString::fromLatin1(progress.stage());
  parts << (stage.isEmpty() ? PaneState::tr("Opening") : stage);
  if (progress.total() > 0) {
    parts << PaneState::tr("%1 of %2")
                 .arg(format::fileSize(static_cast<double>(progress.done())),
                      format::fileSize(static_cast<double>(progress.total())));
  }
  if (progress.events() > 0)
    parts << PaneState::tr("%1 events").arg(format::count(static_cast<std::int64_t>(progress.events())));
  return parts.join(QStringLiteral(", "));
}

PaneState::PaneState(const Theme& theme, QWidget* parent)
    : QWidget(parent),
      m_theme(theme),
      m_cancel(tr("Cancel")),
      m_retry(tr("Read it again")),
      m_close(tr("Close the run")),
      m_block(new QWidget(this)) {
  auto* column = new QVBoxLayout(m_block);
  auto* head = new QHBoxLayout;
  head->addWidget(&m_icon);
  head->addWidget(&m_title, 1);
  column->addLayout(head);
  m_detail.setWordWrap(true);
  for (QLabel* label : {&m_title, &m_detail}) label->setTextFormat(Qt::PlainText);  // they may quote a file
  m_detail.setTextInteractionFlags(Qt::TextSelectableByMouse);
  column->addWidget(&m_detail);
  m_progress.setTextVisible(false);
  column->addWidget(&m_progress);
  auto* buttons = new QHBoxLayout;
  for (QPushButton* button : {&m_cancel, &m_retry, &m_close}) {
    button->setProperty("control", QStringLiteral("small"));
    buttons->addWidget(button);
  }
  buttons->addStretch(1);
  column->addLayout(buttons);
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->addWidget(m_block, 0, Qt::AlignCenter);
  connect(&m_cancel, &QPushButton::clicked, this, &PaneState::cancelWanted);
  connect(&m_retry, &QPushButton::clicked, this, &PaneState::retryWanted);
  connect(&m_close, &QPushButton::clicked, this, &PaneState::closeWanted);
  connect(&m_theme, &Theme::changed, this, &PaneState::refreshLook);
  m_timer.setInterval(kRefreshMs);
  connect(&m_timer, &QTimer::timeout, this, &PaneState::refreshProgress);
  hide();
}

void PaneState::refreshLook() {
  m_block->setFixedWidth(m_theme.scaled(kBlockWidth));
  const int gap = m_theme.scaled(static_cast<int>(m_theme.number(QStringLiteral("space.x4"))));
  m_block->layout()->setContentsMargins(gap, gap, gap, gap);
  m_block->layout()->setSpacing(m_theme.scaled(static_cast<int>(m_theme.number(QStringLiteral("space.x3")))));
  for (QLayout* line : m_block->layout()->findChildren<QLayout*>()) line->setSpacing(gap);
  const auto paint = [&](QLabel& label, FontRole role, int weight, const char* token) {
    label.setFont(m_theme.font(role, weight));
    QPalette palette = label.palette();
    palette.setColor(QPalette::WindowText, m_theme.colour(QString::fromLatin1(token)));
    label.setPalette(palette);
  };
  paint(m_title, FontRole::kUi, QFont::DemiBold, "text.primary");
  paint(m_detail, FontRole::kData, QFont::Normal, "text.secondary");
  if (!m_iconName.isEmpty()) {
    const bool isProblem = m_iconName == QLatin1String("problem");
    const QColor ink =
        m_theme.colour(isProblem ? QStringLiteral("severity.problem") : QStringLiteral("text.secondary"));
    m_icon.setPixmap(m_theme.iconPixmap(m_iconName, m_theme.scaled(20), ink, devicePixelRatioF()));
  }
}

void PaneState::showBlock(const QString& icon, const QString& title, const QString& detail) {
  m_iconName = icon;
  m_title.setText(title);
  m_detail.setText(detail);
  m_detail.setVisible(!detail.isEmpty());
  m_progress.hide();
  m_cancel.hide();
  m_retry.hide();
  m_close.hide();
  m_timer.stop();
  m_loading = nullptr;
  refreshLook();
  setAccessibleName(title);
  setAccessibleDescription(detail);
  show();
  raise();
}

void PaneState::showEmptyTimeline() {
  showBlock(QStringLiteral("timeline"), tr("No trace is open"),
            tr("Open one to see its timeline, or two to compare them."));
}

void PaneState::showLoading(const Run& run) {
  showBlock(QStringLiteral("file"), tr("Reading %1").arg(run.fileName()), QString());
  m_loading = &run;
  m_detail.show();
  m_progress.show();
  m_cancel.show();
  refreshProgress();
  m_timer.start();
}

void PaneState::refreshProgress() {
  if (!m_loading || m_loading->state() != RunState::kLoading) return;
  const Progress& progress = m_loading->progress();
  const auto done = static_cast<double>(progress.done());
  const auto total = static_cast<double>(progress.total());
  m_detail.setText(readingWords(progress));
  m_progress.setRange(0, total > 0 ? 1000 : 0);
  if (total > 0) m_progress.setValue(static_cast<int>(1000 * done / total));
}

void PaneState::showPreparing(const QString& title) {
  showBlock(QStringLiteral("timeline"), tr("Laying out the rows of %1").arg(title), QString());
}

void PaneState::showFailed(const Run& run) {
  const Error& error = run.error();
  QString detail = whatHappened(error);
  if (error.event)
    detail += QLatin1Char(' ') +
              tr("%1 events were read before it.").arg(format::count(static_cast<std::int64_t>(*error.event)));
  if (!error.remedy.empty()) detail += QLatin1Char(' ') + whatToDo(error);
  showBlock(QStringLiteral("problem"), tr("%1 could not be read").arg(run.spokenName()), detail);
  m_retry.show();
  m_close.show();
}

void PaneState::showNothing(const Run& run) {
  showBlock(QStringLiteral("info"), tr("%1 has no slices").arg(run.fileName()),
            tr("No event with a duration was recorded: there is nothing to draw over time."));
  m_close.show();
}

void PaneState::conceal() {
  m_timer.stop();
  m_loading = nullptr;
  hide();
}

QString PaneState::text() const { return m_title.text() + QLatin1Char('\n') + m_detail.text(); }

void PaneState::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), m_theme.colour(QStringLiteral("timeline.pane")));
}

}  // namespace attnscope::ui
