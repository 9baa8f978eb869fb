// SPDX-License-Identifier: GPL-3.0-or-later
// Opens one trace in a window that is up and drawn, and says when its picture was complete: the whole trace read,
// every job that its timelines and its table wait for done, and painted. Beside it when every job was done, those of
// tabs that are not shown as well.
//     load_window FILE

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include <QAbstractItemView>
#include <QApplication>
#include <QEvent>
#include <QEventLoop>
#include <QTimer>

#include "ui/bridge/Session.h"
#include "ui/shell/AppSettings.h"
#include "ui/shell/MainWindow.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {
namespace {

constexpr double kStill = 0.15;  // seconds without a job or a picture: nothing more will come
constexpr double kLongest = 120;

double cpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Knows when the last picture was done.
class Application : public QApplication {
 public:
  using QApplication::QApplication;
  bool notify(QObject* receiver, QEvent* event) override {
    const QEvent::Type type = event->type();
    const bool done = QApplication::notify(receiver, event);
    if (type != QEvent::Paint && type != QEvent::UpdateRequest) return done;
    m_painted = elapsed();
    const auto* view = qobject_cast<const QAbstractItemView*>(receiver->parent());  // of a viewport
    if (view || receiver->inherits("attnscope::ui::TimelinePane")) m_picture = m_painted;
    return done;
  }
  void restart() { m_start = std::chrono::steady_clock::now(); }
  [[nodiscard]] double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
  }
  [[nodiscard]] double painted() const { return m_painted; }
  [[nodiscard]] double picture() const { return m_picture; }  // of timelines and tables alone

 private:
  std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
  double m_painted = 0;
  double m_picture = 0;
};

int measure(Application& application, const QString& file) {
  Theme theme;
  theme.apply(application, ThemeChoice::kLight);
  AppSettings settings(Persistence::kForgotten);
  MainWindow window(theme, settings, {});
  window.resize(1920, 1080);
  window.show();
  // Looks twice each ten ms: looking all the time would take a core from what is waited for.
  const auto turnUntilStill = [&](const auto& isDone) {
    double since = -1;
    QEventLoop loop;
    QTimer looks;
    QObject::connect(&looks, &QTimer::timeout, &loop, [&] {
      const double now = application.elapsed();
      if (!isDone() || !window.isSettled()) {
        since = -1;
      } else if (since < 0) {
        since = now;
      }
      const bool isStill = since >= 0 && now - std::max(since, application.painted()) > kStill;
      if (isStill || now > kLongest) loop.quit();
    });
    looks.start(5);
    loop.exec();
    return since;
  };
  if (turnUntilStill([] { return true; }) < 0) return 1;
  const double cpu = cpuSeconds();
  application.restart();
  window.openFiles({file});
  const auto isWhole = [&] {
    const Session& session = window.session();
    if (session.readyRuns().empty()) return false;
    const auto trace = session.run(session.readyRuns().front())->trace();
    return trace && !trace->partial;
  };
  const double settled = turnUntilStill(isWhole);
  if (settled < 0) {
    std::fprintf(stderr, "the window did not come to rest within %.0f s\n", kLongest);
    return 1;
  }
  const Trace& trace = *window.session().run(0)->trace();
  const double read = std::accumulate(trace.load.stages.begin(), trace.load.stages.end(), 0.0,
                                      [](double sum, const LoadStage& stage) { return sum + stage.seconds; });
  std::printf("{\"wall\": %.6f, \"all\": %.6f, \"read\": %.6f, \"cpu\": %.6f, \"events\": %llu}\n",
              application.picture(), std::max(settled, application.painted()), read, cpuSeconds() - cpu,
              static_cast<unsigned long long>(trace.events));
  std::fflush(stdout);
  std::_Exit(0);  // taking the trace apart again is no part of showing it
}

}  // namespace
}  // namespace attnscope::ui

int main(int count, char** words) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  attnscope::ui::Application application(count, words);
  if (count < 2) return 2;
  return attnscope::ui::measure(application, QString::fromLocal8Bit(words[1]));
}
