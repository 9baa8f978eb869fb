// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/BeginningMark.h"

#include <algorithm>

#include <QHBoxLayout>
#include <QPainter>

#include "ui/theme/Surface.h"
#include "ui/timeline/PaneState.h"

namespace attnscope::ui {

namespace {
constexpr int kRefreshMs = 100;
constexpr int kFromEdge = 8;
}  // namespace

BeginningMark::BeginningMark(const Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_cancel(tr("Cancel")) {
  setObjectName(QStringLiteral("beginningMark"));
  setCursor(Qt::ArrowCursor);
  auto* row = new QHBoxLayout(this);
  scaleLayout(theme, row, {12, 6, 8, 6}, 12);
  row->addWidget(&m_words);
  row->addWidget(&m_cancel);
  m_cancel.setProperty("control", QStringLiteral("small"));
  connect(&m_cancel, &QPushButton::clicked, this, &BeginningMark::cancelWanted);
  m_timer.setInterval(kRefreshMs);
  connect(&m_timer, &QTimer::timeout, this, &BeginningMark::refresh);
  connect(&m_theme, &Theme::changed, this, &BeginningMark::refreshLook);
  hide();
}

void BeginningMark::follow(const Run* run) {
  m_run = run;
  if (run == nullptr) {
    m_timer.stop();
    hide();
    return;
  }
  m_cancel.setAccessibleName(tr("Stop reading %1").arg(run->fileName()));
  refreshLook();
  refresh();
  m_timer.start();
  show();
  raise();
}

void BeginningMark::refreshLook() {
  m_words.setFont(m_theme.font(FontRole::kData, QFont::Medium));
  QPalette colours = m_words.palette();
  colours.setColor(QPalette::WindowText, m_theme.colour(QStringLiteral("text.primary")));
  m_words.setPalette(colours);
  place();
}

void BeginningMark::refresh() {
  if (!m_run) return;
  m_words.setText(tr("The beginning; still reading: %1").arg(readingWords(m_run->progress())));
  setAccessibleName(m_words.text());
  place();
}

void BeginningMark::place() {
  const QRect area = parentWidget()->rect();
  const QSize wanted = sizeHint().boundedTo(area.size());
  setGeometry((area.width() - wanted.width()) / 2,
              std::max(0, area.height() - wanted.height() - m_theme.scaled(kFromEdge)), wanted.width(),
              wanted.height());
}

void BeginningMark::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), m_theme.colour(QStringLiteral("surface.raised")));
  painter.setPen(m_theme.colour(QStringLiteral("border.strong")));
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

}  // namespace attnscope::ui
