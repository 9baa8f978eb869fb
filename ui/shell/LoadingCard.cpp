// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/LoadingCard.h"

#include <array>
#include <string_view>

#include <QFileInfo>
#include <QFontMetricsF>
#include <QPainter>
#include <QPushButton>

#include "ui/bridge/Format.h"
#include "ui/shell/RunFigures.h"

namespace attnscope::ui {

namespace {

struct Stage {
  std::string_view name;  // as the loader calls it
  const char* words;
};
constexpr std::array<Stage, 6> kStages = {
    {{"Open", QT_TRANSLATE_NOOP("attnscope::ui::LoadingCard", "Read")},
     {"Parse", QT_TRANSLATE_NOOP("attnscope::ui::LoadingCard", "Parse")},
     {"Sort", QT_TRANSLATE_NOOP("attnscope::ui::LoadingCard", "Sort")},
     {"Nest", QT_TRANSLATE_NOOP("attnscope::ui::LoadingCard", "Nest")},
     {"Link", QT_TRANSLATE_NOOP("attnscope::ui::LoadingCard", "Link")},
     {"Summarise", QT_TRANSLATE_NOOP("attnscope::ui::LoadingCard", "Summarise")}}};

int stageOf(std::string_view name) {
  if (name.empty()) return 0;
  for (std::size_t i = 0; i < kStages.size(); ++i) {
    if (QLatin1String(kStages[i].name.data(), static_cast<int>(kStages[i].name.size()))
            .compare(QLatin1String(name.data(), static_cast<int>(name.size())), Qt::CaseInsensitive) == 0) {
      return static_cast<int>(i);
    }
  }
  return static_cast<int>(kStages.size()) - 1;  // what comes after these has no row of its own
}

}  // namespace

LoadingCard::LoadingCard(Session& session, const Theme& theme, Run* run, QWidget* parent)
    : QWidget(parent), m_session(session), m_theme(theme), m_run(run), m_bytes(QFileInfo(run->path()).size()) {
  setAccessibleName(tr("Opening %1").arg(run->fileName()));
  m_cancel = new QPushButton(tr("Cancel"), this);
  m_cancel->setAccessibleName(tr("Stop reading %1").arg(run->fileName()));
  connect(m_cancel, &QPushButton::clicked, this, [this] {
    if (const int position = m_session.positionOf(m_run); position >= 0) m_session.cancel(position);
  });
  setFixedSize(sizeHint());
}

QSize LoadingCard::sizeHint() const { return {m_theme.scaled(470), m_theme.scaled(244)}; }

void LoadingCard::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  m_cancel->adjustSize();
  m_cancel->move(width() - m_cancel->width() - m_theme.scaled(16), height() - m_cancel->height() - m_theme.scaled(12));
}

void LoadingCard::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(m_theme.colour(QStringLiteral("border.strong")));
  painter.setBrush(m_theme.colour(QStringLiteral("surface.raised")));
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
  const Progress& progress = m_run->progress();
  const double share = progressShare(progress);
  const int left = m_theme.scaled(16);
  const int right = width() - left;
  QFont font = m_theme.font(FontRole::kTitle, QFont::DemiBold);
  painter.setFont(font);
  painter.setPen(m_theme.colour(QStringLiteral("text.primary")));
  painter.drawText(QRectF(left, m_theme.scaled(14), right - left - m_theme.scaled(60), m_theme.scaled(20)),
                   Qt::AlignLeft | Qt::AlignVCenter,
                   QFontMetricsF(font).elidedText(tr("Opening %1").arg(m_run->fileName()), Qt::ElideMiddle,
                                                  right - left - m_theme.scaled(60)));
  font = m_theme.font(FontRole::kData);
  painter.setFont(font);
  painter.setPen(m_theme.colour(QStringLiteral("text.secondary")));
  if (share >= 0) {
    m_theme.drawNumber(painter, QRectF(right - 60, m_theme.scaled(14), 60, m_theme.scaled(20)),
                       format::percent(share, 0));
  }
  const auto events = static_cast<std::int64_t>(progress.events());
  QString words = format::fileSize(static_cast<double>(m_bytes));
  if (events > 0) words += tr(", %1 events so far").arg(format::count(events));
  painter.drawText(QRectF(left, m_theme.scaled(36), right - left, m_theme.scaled(16)), Qt::AlignLeft | Qt::AlignVCenter,
                   words);

  const int now = stageOf(progress.stage());
  double top = m_theme.scaled(64);
  for (std::size_t i = 0; i < kStages.size(); ++i) {
    const bool isAhead = static_cast<int>(i) > now;
    painter.setPen(m_theme.colour(isAhead ? QStringLiteral("text.tertiary") : QStringLiteral("text.primary")));
    painter.drawText(QRectF(left + m_theme.scaled(16), top, m_theme.scaled(70), m_theme.scaled(16)),
                     Qt::AlignLeft | Qt::AlignVCenter, tr(kStages[i].words));
    const QRectF track(left + m_theme.scaled(94), top + m_theme.scaled(7), right - left - m_theme.scaled(94), 3);
    painter.fillRect(track, m_theme.colour(QStringLiteral("state.progress_track")));
    const double done = isAhead ? 0 : static_cast<int>(i) < now ? 1 : std::max(0.0, share);
    painter.fillRect(QRectF(track.left(), track.top(), track.width() * done, 3),
                     m_theme.colour(QStringLiteral("state.progress")));
    top += m_theme.scaled(22);
  }
}

}  // namespace attnscope::ui
