// SPDX-License-Identifier: GPL-3.0-or-later
// Turns of the GUI thread in a session: opens traces, zooms, pans, searches, selects, measures, sorts, filters,
// compares, closes, at 1920x1080, and tells how much CPU time a turn of the event loop took and where the longest was.
//
//   bench_session [MB [SECONDS]]   100 MB of trace and 60 s unless given; the musts are meant for 1000 MB and 300 s
//
// What is done once (the first build of a page) is listed apart.

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <QApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QLineEdit>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include "tests/ui/TurnWatch.h"
#include "ui/shell/AppSettings.h"
#include "ui/shell/LowerArea.h"
#include "ui/shell/MainWindow.h"
#include "ui/shell/SelectionPage.h"
#include "ui/timeline/TimelineView.h"

namespace attnscope::ui {
namespace {

constexpr double kMostP999Ms = 16;
constexpr double kMostMs = 33;
constexpr int kInterruptMs = 8;

// Steps of an operator with a launch and a kernel each, until there are `bytes` of them.
void writeTrace(const QString& path, qint64 bytes, double kernelUs) {
  QFile file(path);
  if (!file.open(QIODevice::WriteOnly)) return;
  file.write(
      "{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"Test GPU\"}], \"traceEvents\": [\n");
  std::string block;
  double at = 1000;
  for (long call = 0; file.pos() + static_cast<qint64>(block.size()) < bytes; ++call) {
    const std::string ids =
        "\"External id\":" + std::to_string(call + 1) + ",\"correlation\":" + std::to_string(call + 1);
    const std::string name = "aten::operator_" + std::to_string(call % 400);
    if (call % 5000 == 0) {
      block += R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#)" + std::to_string(call / 5000) +
               R"(","pid":1,"tid":1,"ts":)" + std::to_string(at) + R"(,"dur":149990,"args":{}},)" + "\n";
    }
    block += R"({"ph":"X","cat":"cpu_op","name":")" + name + R"(","pid":1,"tid":1,"ts":)" + std::to_string(at) +
             R"(,"dur":25,"args":{"External id":)" + std::to_string(call + 1) +
             R"(,"Input Dims":[[8, 1024, 64], [8, 64, 1024]]}},)" + "\n";
    block += R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":)" +
             std::to_string(at + 5) + R"(,"dur":6,"args":{)" + ids + "}},\n";
    block += R"({"ph":"X","cat":"kernel","name":"void kernel_)" + std::to_string(call % 200) +
             R"(<float, 128>","pid":0,"tid":7,"ts":)" + std::to_string(at + 12) + R"(,"dur":)" +
             std::to_string(kernelUs) + R"(,"args":{"device":0,"stream":7,)" + ids + "}},\n";
    at += 30;
    if (block.size() > (1u << 20)) {
      file.write(block.data(), static_cast<qint64>(block.size()));
      block.clear();
    }
  }
  block += R"({"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"python"}}]})";
  file.write(block.data(), static_cast<qint64>(block.size()));
}

class Script : public QObject {
 public:
  Script(MainWindow& window, test::TurnWatch& watch, int seconds)
      : m_window(window), m_watch(watch), m_ms(seconds * 1000) {}

  void start(const QStringList& files) {
    m_files = files;
    add("(open)", [this] { m_window.openFiles({m_files[0]}); });
    add("(first page)", [this] { m_window.showView(ViewName::kOperators); });
    add("(first page)", [this] { m_window.showView(ViewName::kMemory); });
    add("(first page)", [this] { m_window.showView(ViewName::kKernels); });
    m_once = m_steps.size();
    for (int zoom = 0; zoom < 12; ++zoom) add("zoom in", [this] { key("zoomIn"); });
    for (int pan = 0; pan < 12; ++pan) add("pan", [this] { key("right"); });
    add("search", [this] { find(QStringLiteral("operator_7")); });
    add("search", [this] { find(QStringLiteral("/kernel_1[0-9]</")); });
    for (int hit = 0; hit < 6; ++hit)
      add("next hit", [this] { m_window.action(QStringLiteral("findNext"))->trigger(); });
    for (int walk = 0; walk < 6; ++walk) add("next of name", [this] { key("nextSame"); });
    add("chain", [this] { key("chain"); });
    add("back", [this] { key("selectBack"); });
    add("whole", [this] { key("all"); });
    add("measure", [this] { measure(); });
    add("show sums", [this] { m_window.findChild<LowerArea*>()->showPage(&selected()); });
    add("sum by operator", [this] { selected().setBy(AggregateBy::kOperator); });
    add("sum by name", [this] { selected().setBy(AggregateBy::kName); });
    add("kernels", [this] { m_window.showView(ViewName::kKernels); });
    add("filter", [this] { filter(QStringLiteral("kernel_1")); });
    add("no filter", [this] { filter({}); });
    add("operators", [this] { m_window.showView(ViewName::kOperators); });
    add("scope", [this] { m_window.session().setScope(Scope{ScopeKind::kStep, 1, {}}); });
    add("whole scope", [this] { m_window.session().setScope(Scope{}); });
    add("compare", [this] { m_window.openFiles({m_files[1]}); });
    for (int zoom = 0; zoom < 8; ++zoom) add("zoom two", [this] { key("zoomIn"); });
    for (int pan = 0; pan < 8; ++pan) add("pan two", [this] { key("left"); });
    add("close", [this] { m_window.session().closeRun(1); });
    add("let go", [this] { key("letGo"); });
    add("whole", [this] { key("all"); });
    connect(&m_timer, &QTimer::timeout, this, [this] { step(); });
    m_clock.start();
    m_timer.start(120);
  }
  [[nodiscard]] std::size_t rounds() const { return m_rounds; }

 private:
  void add(const char* what, std::function<void()> act) { m_steps.push_back({what, std::move(act)}); }
  void key(const char* name) {
    for (QAction* action : m_window.timeline().timelineActions()) {
      if (action->objectName() == QLatin1String("timeline.") + QLatin1String(name)) action->trigger();
    }
  }
  void find(const QString& text) {
    auto* field = m_window.findChild<QLineEdit*>(QStringLiteral("find"));
    field->setFocus();
    field->clear();
    QTest::keyClicks(field, text);
    QTest::keyClick(field, Qt::Key_Return);
    m_window.timeline().setFocus();
  }
  void filter(const QString& text) { m_window.findChild<QLineEdit*>(QStringLiteral("tableFilter"))->setText(text); }
  SelectionPage& selected() { return *m_window.findChild<LowerArea*>()->selected(); }
  void measure() {
    const TimelinePane* pane = m_window.timeline().pane(0);
    if (!pane || !pane->tracks()) return;
    Measure area;
    area.run = 0;
    area.track = pane->tracks()->compared;
    for (const int track : pane->trackOrder()) {
      const auto rows = static_cast<int>(pane->tracks()->tracks[static_cast<std::size_t>(track)].rows.size());
      for (int row = 0; row < rows; ++row) area.rows.emplace_back(track, row);
    }
    area.fromNs = m_window.view().startNs();
    area.toNs = m_window.view().endNs();
    m_window.timeline().state().setMeasure(area);
  }
  // The next thing is done when what came of the last one is there, as a person would wait for it.
  void step() {
    if (!m_window.isSettled() && m_waited++ < 1000) return;
    m_waited = 0;
    if (m_at == m_steps.size()) {
      ++m_rounds;
      m_at = m_once;
    }
    if (m_clock.elapsed() > m_ms && m_rounds > 0) {
      QCoreApplication::quit();
      return;
    }
    m_watch.setWhat(m_steps[m_at].what);
    m_steps[m_at++].act();
  }

  struct Step {
    std::string what;
    std::function<void()> act;
  };
  MainWindow& m_window;
  test::TurnWatch& m_watch;
  QStringList m_files;
  std::vector<Step> m_steps;
  std::size_t m_once = 0;
  std::size_t m_at = 0;
  std::size_t m_rounds = 0;
  int m_waited = 0;
  qint64 m_ms;
  QTimer m_timer;
  QElapsedTimer m_clock;
};

void print(const char* title, const test::TurnReport& report) {
  std::printf("%s: %zu turns, median %.2f ms, p99.9 %.1f ms, longest %.1f ms (%s)\n", title, report.turns,
              report.medianMs, report.p999Ms, report.longestMs, report.longestWhat.c_str());
  for (const test::TurnsOf& of : report.byWords) {
    std::printf("  %-16s %6zu turns, longest %6.1f ms\n", of.what.c_str(), of.turns, of.longestMs);
  }
  for (const test::TurnsOf& of : report.byWords) {
    if (!of.longestStack.empty())
      std::printf("where the longest of \"%s\" was:\n%s", of.what.c_str(), of.longestStack.c_str());
  }
}

int runSession(QApplication& application, qint64 megabytes, int seconds) {
  QTemporaryDir folder;
  const QStringList files{folder.filePath(QStringLiteral("before.json")),
                          folder.filePath(QStringLiteral("after.json"))};
  writeTrace(files[0], megabytes * 1'000'000, 14);
  writeTrace(files[1], megabytes * 100'000, 9);
  Theme theme;
  theme.apply(application, ThemeChoice::kLight);
  AppSettings settings(Persistence::kForgotten);
  MainWindow window(theme, settings);
  window.resize(1920, 1080);
  window.show();
  test::TurnWatch watch(kInterruptMs);
  Script script(window, watch, seconds);
  script.start(files);
  QApplication::exec();
  const test::TurnReport report = watch.report();
  std::printf("%lld MB, %zu rounds\n", static_cast<long long>(megabytes), script.rounds());
  print("session", report);
  print("apart (opening, first build of a page)", watch.reportApart());
  int met = 0;
  const auto must = [&](const char* what, bool isMet) {
    met += isMet ? 1 : 0;
    if (!isMet) std::printf("missed: %s\n", what);
  };
  must("99.9 % of the turns within 16 ms", report.p999Ms <= kMostP999Ms);
  must("the longest turn within 33 ms", report.longestMs <= kMostMs);
  std::printf("session: %d of 2 musts met\n", met);
  return met == 2 ? 0 : 1;
}

}  // namespace
}  // namespace attnscope::ui

int main(int argc, char** argv) {
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  const long megabytes = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 100;
  const long seconds = argc > 2 ? std::strtol(argv[2], nullptr, 10) : 60;
  if (megabytes < 1 || seconds < 1) {
    std::fprintf(stderr, "usage: bench_session [MB [SECONDS]]\n");
    return 2;
  }
  return attnscope::ui::runSession(application, megabytes, static_cast<int>(seconds));
}
