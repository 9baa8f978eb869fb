// SPDX-License-Identifier: GPL-3.0-or-later
// How long the window, which is up already, takes from the wish to open a trace until its timelines are painted with
// the whole of it, and until they first show the beginning of its file:
//     load_window FILE

#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include <QApplication>
#include <QElapsedTimer>
#include <QEvent>
#include <QTimer>

#include "core/trace/Trace.h"
#include "ui/bridge/Session.h"
#include "ui/shell/AppSettings.h"
#include "ui/shell/MainWindow.h"
#include "ui/timeline/DisplayTracks.h"
#include "ui/timeline/TimelinePane.h"

namespace attnscope::ui {
namespace {

constexpr int kMostMs = 120'000;

double cpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Sees each pane's paint event come and takes the time when it and what came with it is done.
class FirstPictures : public QObject {
 public:
  void begin() {
    m_cpuAtBegin = cpuSeconds();
    m_clock.start();
  }
  [[nodiscard]] bool isComplete() const { return m_whole >= 0; }
  [[nodiscard]] double whole() const { return m_whole; }
  [[nodiscard]] double beginning() const { return m_beginning < 0 ? m_whole : m_beginning; }
  [[nodiscard]] double cpu() const { return m_cpu; }

  bool eventFilter(QObject* object, QEvent* event) override {
    if (event->type() != QEvent::Paint) return false;
    const auto* pane = qobject_cast<TimelinePane*>(object);
    if (pane == nullptr || pane->tracks() == nullptr || pane->tracks()->tracks.empty()) return false;
    const bool isPart = pane->tracks()->facts->trace->partial;
    QTimer::singleShot(0, this, [this, isPart] { painted(isPart); });
    return false;
  }

 private:
  void painted(bool isPart) {
    double& place = isPart ? m_beginning : m_whole;
    if (place >= 0) return;
    place = static_cast<double>(m_clock.nsecsElapsed()) * 1e-9;
    if (isPart) return;
    m_cpu = cpuSeconds() - m_cpuAtBegin;
    QCoreApplication::quit();
  }

  QElapsedTimer m_clock;
  double m_cpuAtBegin = 0;
  double m_cpu = 0;
  double m_beginning = -1;
  double m_whole = -1;
};

int open(QApplication& application, const QString& path) {
  Theme theme;
  theme.apply(application, ThemeChoice::kLight);
  AppSettings settings(Persistence::kForgotten);
  MainWindow window(theme, settings);
  window.resize(1920, 1080);
  window.show();
  while (!window.isSettled()) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 50);
  FirstPictures pictures;
  application.installEventFilter(&pictures);
  QTimer::singleShot(0, &window, [&] {
    pictures.begin();
    window.openFiles({path});
  });
  QTimer::singleShot(kMostMs, &application, [] { QCoreApplication::quit(); });
  QApplication::exec();
  const Run* const run = window.session().runCount() > 0 ? window.session().run(0) : nullptr;
  if (!pictures.isComplete() || run == nullptr || run->trace() == nullptr) {
    std::fprintf(stderr, "load_window: no picture of %s\n", qPrintable(path));
    return 1;
  }
  std::printf("{\"wall\": %.6f, \"beginning\": %.6f, \"cpu\": %.6f, \"events\": %llu}\n", pictures.whole(),
              pictures.beginning(), pictures.cpu(), static_cast<unsigned long long>(run->trace()->events));
  std::fflush(stdout);
  std::_Exit(0);  // taking the window apart again is no part of it
}

}  // namespace
}  // namespace attnscope::ui

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: load_window FILE\n");
    return 2;
  }
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  return attnscope::ui::open(application, QString::fromLocal8Bit(argv[1]));
}
