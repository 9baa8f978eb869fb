// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/BeginningMark.h"

#include <algorithm>

#include "ui/bridge/Format.h"

namespace attnscope::ui {

namespace {
constexpr int kRefreshMs = 100;
}

BeginningMark::BeginningMark(const Theme& theme, QWidget* parent) : QLabel(parent), m_theme(theme) {
  setObjectName(QStringLiteral("beginningMark"));
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setAutoFillBackground(true);
  setAlignment(Qt::AlignCenter);
  m_timer.setInterval(kRefreshMs);
  connect(&m_timer, &QTimer::timeout, this, &BeginningMark::refresh);
  hide();
}

void BeginningMark::follow(const Run* run) {
  m_run = run;
  setVisible(run != nullptr);
  if (run == nullptr) {
    m_timer.stop();
    return;
  }
  QPalette colours = palette();
  colours.setColor(QPalette::Window, m_theme.colour(QStringLiteral("surface.window")));
  colours.setColor(QPalette::WindowText, m_theme.colour(QStringLiteral("text.primary")));
  setPalette(colours);
  setFont(m_theme.font(FontRole::kUi, QFont::Medium));
  refresh();
  m_timer.start();
  raise();
}

void BeginningMark::refresh() {
  const Progress& progress = m_run->progress();
  const auto total = static_cast<double>(progress.total());
  const double share = total > 0 ? std::min(1.0, static_cast<double>(progress.done()) / total) : 1.0;
  const QString events = format::count(static_cast<std::int64_t>(progress.events()));
  setText(tr("Still reading: %1 %, %2 events. These are the first.").arg(static_cast<int>(100 * share)).arg(events));
  setAccessibleName(text());
  place();
}

void BeginningMark::place() {
  const QSize wanted = sizeHint() + QSize(m_theme.scaled(24), m_theme.scaled(8));
  const QRect area = parentWidget()->rect();
  setGeometry((area.width() - wanted.width()) / 2, area.bottom() - wanted.height() - m_theme.scaled(8), wanted.width(),
              wanted.height());
}

}  // namespace attnscope::ui
