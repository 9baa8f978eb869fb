// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/Capture.h"

#include <cstdio>

#include <QFileInfo>
#include <QPixmap>
#include <QTimer>

#include "ui/shell/MainWindow.h"

namespace attnscope::ui {

namespace {

constexpr int kLookEveryMs = 20;
constexpr int kSettledLooks = 4;  // results of one view start work of another
constexpr int kWaitAtMostMs = 300000;
constexpr int kExitDone = 0;
constexpr int kExitUsage = 2;
constexpr int kExitInput = 3;

void complain(const QString& words) { std::fprintf(stderr, "attnscope: %s\n", qPrintable(words)); }

}  // namespace

QString captureObstacle(const QString& path) {
  const QFileInfo file(path);
  const QFileInfo folder(file.absolutePath());
  if (!folder.isDir()) {
    return Capture::tr("%1 cannot be written: there is no folder %2; make it first").arg(path, folder.filePath());
  }
  if (file.isDir()) return Capture::tr("%1 cannot be written: it is a folder; name a file").arg(path);
  if (!folder.isWritable() || (file.exists() && !file.isWritable())) {
    return Capture::tr("%1 cannot be written: its permissions forbid it").arg(path);
  }
  if (file.suffix().compare(QLatin1String("png"), Qt::CaseInsensitive) != 0) {
    return Capture::tr("%1 is not named as a PNG: end its name in .png").arg(path);
  }
  return {};
}

Capture::Capture(MainWindow& window, const CommandLine& line, QObject* parent)
    : QObject(parent), m_window(window), m_line(line), m_ticks(new QTimer(this)) {
  m_ticks->setInterval(kLookEveryMs);
  connect(m_ticks, &QTimer::timeout, this, &Capture::look);
  m_since.start();
  m_ticks->start();
}

void Capture::look() {
  if (m_line.captureAfterMs && m_since.elapsed() >= *m_line.captureAfterMs) {
    draw();
    return;
  }
  if (m_since.elapsed() > kWaitAtMostMs) {
    m_ticks->stop();
    complain(
        tr("%1 was not drawn: the view did not come to rest in %2 s").arg(m_line.capture).arg(kWaitAtMostMs / 1000));
    Q_EMIT finished(kExitInput);
    return;
  }
  m_settledLooks = m_window.isSettled() ? m_settledLooks + 1 : 0;
  if (m_settledLooks < kSettledLooks || m_line.captureAfterMs) return;
  if (!m_hasView) {
    // A view may need what was read: Details shows the longest slice.
    m_hasView = true;
    m_settledLooks = 0;
    if (m_line.view && *m_line.view != ViewName::kStart) m_window.showView(*m_line.view);
    return;
  }
  draw();
}

void Capture::draw() {
  m_ticks->stop();
  const QPixmap picture = m_window.grab();
  if (!picture.save(m_line.capture, "PNG")) {
    complain(tr("%1 could not be written: check the space on the disk").arg(m_line.capture));
    Q_EMIT finished(kExitUsage);
    return;
  }
  int code = kExitDone;
  const Session& session = m_window.session();
  for (int i = 0; i < session.runCount(); ++i) {
    const Run* run = session.run(i);
    if (run->state() != RunState::kFailed) continue;
    complain(QStringLiteral("%1: %2").arg(run->location(), QString::fromStdString(run->error().message())));
    code = kExitInput;
  }
  Q_EMIT finished(code);
}

}  // namespace attnscope::ui
