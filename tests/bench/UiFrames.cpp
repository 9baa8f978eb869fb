// SPDX-License-Identifier: GPL-3.0-or-later
// What the window costs over generated slices: frames of the timeline with one pane and two, at 1920x1080 and at
// 3840x2160, with labels, selection, arrows, counters and hits of a search on; index, search, sums of a selection, hit
// test, first paint; a key press until its frame is painted; the window until it is visible.
//
//   bench_ui [SLICES]   of each run; 10 000 000 unless given
//
// CPU time of the GUI thread and not wall time, but for the last two: a shared machine's other work does not count.
// Beside it stands that of all threads, for rows are drawn by several.
// Each is done several times and the best median and best 99th percentile stand, for CPU time too grows while a
// neighbour fills the caches.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <QApplication>
#include <QElapsedTimer>
#include <QKeyEvent>
#include <QProcess>
#include <QWidget>

#include "core/analysis/SliceAggregate.h"
#include "ui/shell/AppSettings.h"
#include "ui/shell/MainWindow.h"
#include "ui/shell/SliceSearch.h"
#include "ui/timeline/TimelinePane.h"
#include "ui/timeline/TimelineView.h"

namespace attnscope::ui {
namespace {

constexpr int kThreads = 4;
constexpr int kDepths = 12;
constexpr int kRepeats = 3;
constexpr double kMostBytes = 4.05;

// Of this thread, or with CLOCK_PROCESS_CPUTIME_ID of all.
double cpuMs(clockid_t clock = CLOCK_THREAD_CPUTIME_ID) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// Threads of nested operators, and two streams of one row with half of the slices.
std::shared_ptr<const RunFacts> generate(std::uint32_t count, unsigned seed) {
  auto trace = std::make_shared<Trace>();
  auto facts = std::make_shared<RunFacts>();
  std::mt19937_64 random(seed);
  trace->processes.resize(2);
  trace->processes[0].kind = ProcessKind::kHost;
  trace->processes[0].name = "python";
  trace->processes[1].kind = ProcessKind::kDevice;
  trace->processes[1].device = 0;
  std::vector<StringId> names;
  for (int name = 0; name < 5000; ++name) {
    names.push_back(trace->strings.intern("aten::generated_operator_" + std::to_string(name) + "<float, 128, 64>"));
  }
  SliceTable& table = trace->slices;
  std::int64_t last = 0;
  const auto addTrack = [&](bool isStream, std::uint32_t slices) {
    Track track;
    track.kind = isStream ? TrackKind::kStream : TrackKind::kThread;
    track.process = ProcessId{isStream ? 1u : 0u};
    track.device = isStream ? 0 : -1;
    track.name = isStream ? "stream 7" : "python, thread";
    track.firstSlice = static_cast<std::uint32_t>(table.size());
    track.sliceCount = slices;
    const int depths = isStream ? 1 : kDepths;
    // Lengths are log-normal; a level further down is shorter and more often there.
    for (int depth = 0; depth < depths; ++depth) {
      const std::uint32_t here = depth + 1 == depths ? slices - (slices / static_cast<std::uint32_t>(depths)) *
                                                                    static_cast<std::uint32_t>(depths - 1)
                                                     : slices / static_cast<std::uint32_t>(depths);
      std::lognormal_distribution<double> length(8.5, 1.2);
      std::exponential_distribution<double> gap(1.0 / 2500);
      track.rows.push_back({static_cast<std::uint32_t>(table.size()), here});
      // Rows with fewer slices have longer ones, so that every row is full from end to end.
      const double stretch = static_cast<double>(count) / 4 / here;
      std::int64_t now = 0;
      for (std::uint32_t slice = 0; slice < here; ++slice) {
        const auto duration = static_cast<std::int64_t>(std::clamp(stretch * length(random), 900.0, 1e9));
        table.startNs.push_back(now);
        table.durationNs.push_back(duration);
        table.name.push_back(names[random() % names.size()]);
        table.depth.push_back(static_cast<std::uint16_t>(depth));
        now += duration + static_cast<std::int64_t>(stretch * gap(random));
      }
      last = std::max(last, now);
    }
    trace->tracks.push_back(std::move(track));
  };
  for (int stream = 0; stream < 2; ++stream) addTrack(true, count / 4);
  for (int thread = 0; thread < kThreads; ++thread) addTrack(false, count / 2 / kThreads);
  const std::size_t size = table.size();
  table.category.resize(size, kNoString);
  table.kind.resize(size, WorkKind::kUnknown);
  table.finished.resize(size, true);
  table.markedUnfinished.resize(size, false);
  table.parent.resize(size, kNoSlice);
  table.track.resize(size);
  table.categoryClass.resize(size, CategoryClass::kCpuOperator);
  for (std::size_t track = 0; track < trace->tracks.size(); ++track) {
    const Track& from = trace->tracks[track];
    for (std::uint32_t at = 0; at < from.sliceCount; ++at) {
      table.track[from.firstSlice + at] = TrackId{static_cast<std::uint32_t>(track)};
      if (from.kind == TrackKind::kStream) table.categoryClass[from.firstSlice + at] = CategoryClass::kKernel;
    }
  }
  for (std::size_t at = 0; at < size; ++at) {
    facts->paintClass.push_back(
        static_cast<std::uint8_t>(table.categoryClass[at] == CategoryClass::kKernel ? random() % 7 : 9));
  }
  trace->range = trace->dense = {0, last};
  // Every 100th kernel has a launch, so that the selected ones have arrows.
  const Track& host = trace->tracks[2];
  for (std::uint32_t kernel = 0; kernel < trace->tracks[0].sliceCount; kernel += 100) {
    trace->deviceWork.slice.push_back(SliceId{trace->tracks[0].firstSlice + kernel});
    trace->deviceWork.launch.push_back(SliceId{host.firstSlice + kernel % host.sliceCount});
    trace->deviceWork.launchOperator.push_back(kNoSlice);
    trace->deviceWork.device.push_back(0);
  }
  for (int counter = 0; counter < 2; ++counter) {
    CounterSeries series;
    series.name = trace->strings.intern("counter " + std::to_string(counter));
    series.process = ProcessId{0};
    for (int sample = 0; sample < 100'000; ++sample) {
      series.atNs.push_back(last / 100'000 * sample);
      series.value.push_back(static_cast<double>(random() % 1000));
    }
    trace->counters.push_back(std::move(series));
  }
  facts->comparedTrack = TrackId{0};
  facts->trace = std::move(trace);
  return facts;
}

// Best over the repeats.
struct Times {
  double median = 1e9;
  double p99 = 1e9;
};

class Bench {
 public:
  explicit Bench(std::uint32_t slices) : m_slices(slices) {
    m_theme.apply(*qApp, ThemeChoice::kLight);
    for (int run = 0; run < 2; ++run) {
      m_facts.push_back(generate(slices, static_cast<unsigned>(run) + 1));
      const double begin = cpuMs();
      const auto tracks = makeDisplayTracks(m_facts.back());
      const double laidOut = cpuMs();
      std::shared_ptr<const DisplayIndexes> indexes;
      double indexMs = 1e9;
      for (int repeat = 0; repeat < kRepeats; ++repeat) {
        const double from = cpuMs();
        indexes = makeDisplayIndexes(*tracks);
        indexMs = std::min(indexMs, cpuMs() - from);
      }
      m_models.push_back(std::make_unique<RunModel>(tracks));
      m_layouts.push_back(layoutPane(*tracks, PaneRole::kAlone, TrackArrangement::of(*tracks), {}));
      if (run == 0) firstPaint(laidOut - begin);
      m_models.back()->setIndexes(indexes);
      m_bytes = std::max(m_bytes, static_cast<double>(indexes->bytes) / static_cast<double>(slices));
      m_indexMs = std::max(m_indexMs, indexMs);
      mark(*tracks, run);
    }
    m_view.setExtent(m_facts[0]->trace->dense);
    std::printf("%u slices in each run: index %.1f ms, %.2f bytes a slice\n", slices, m_indexMs, m_bytes);
  }

  int run() {
    must("index: 200 ms for 10 million slices", m_indexMs <= 200.0 * m_slices / 10e6);
    must("index: at most 4 bytes a slice", m_bytes <= kMostBytes);
    for (const QSize& size : {QSize(1920, 1080), QSize(3840, 2160)}) {
      for (const int panes : {1, 2}) scenes(size, panes);
    }
    search();
    aggregate();
    hitTest();
    keyToFrame();
    window();
    std::printf("ui: %d of %d musts met\n", m_met, m_musts);
    return m_met == m_musts ? 0 : 1;
  }

 private:
  // A selected kernel with its arrow, some hundred hits of a search in each row.
  void mark(const DisplayTracks& tracks, int run) {
    std::vector<SliceId> hits;
    for (std::uint32_t at = 0; at < m_slices; at += 97) hits.push_back(SliceId{at});
    m_hits.push_back(foundRows(tracks, hits));
    m_selected.push_back(selectedRows(tracks, {tracks.facts->trace->deviceWork.slice.back()}));
    if (run == 0) {
      Selection selection;
      selection.parts.push_back({0, {tracks.facts->trace->deviceWork.slice.back()}});
      selection.leadRun = 0;
      selection.leadSlice = tracks.facts->trace->deviceWork.slice.back();
      selection.origin = SelectionOrigin::kTimeline;
      m_session.select(std::move(selection));
    }
  }

  PaneScene sceneOf(std::size_t run, QSize size) {
    PaneScene scene;
    scene.session = &m_session;
    scene.theme = &m_theme;
    scene.state = &m_state;
    scene.model = m_models[run].get();
    scene.layout = &m_layouts[run];
    scene.selected = run < m_selected.size() ? &m_selected[run] : &m_nothing;
    scene.found = run < m_hits.size() ? &m_hits[run] : nullptr;
    scene.run = static_cast<int>(run);
    scene.size = size;
    scene.scale = TimeScale::of(m_view.startNs(), m_view.spanNs(), scene.trackWidth(), 1);
    return scene;
  }

  // Panes one under the other, into one image.
  void frame(QImage& image, int panes) {
    QPainter painter(&image);
    const QSize size(image.width(), image.height() / panes);
    m_ink.prepare(m_theme, 1);
    for (std::size_t run = 0; run < static_cast<std::size_t>(panes); ++run) {
      const PaneScene scene = sceneOf(run, size);
      painter.save();
      painter.translate(0, size.height() * static_cast<double>(run));
      paintTracks(painter, QRegion(0, 0, size.width(), size.height()), scene, m_ink, m_buffer);
      paintMarks(painter, scene, m_view);
      painter.restore();
    }
  }

  void firstPaint(double layoutMs) {
    m_view.setExtent(m_facts[0]->trace->dense);
    m_view.showAll();
    QImage image(1920, 1080, QImage::Format_RGB32);
    const double begin = cpuMs();
    frame(image, 1);
    std::printf("first paint: rows %.1f ms in a worker, frame without an index %.1f ms\n", layoutMs, cpuMs() - begin);
  }

  void scenes(QSize size, int panes) {
    const double most = size.width() > 1920 ? 16 : 8;
    const double whole = static_cast<double>(m_view.extent().durationNs());
    const double middle = whole * 0.4;
    std::printf("%d pane%s, %d x %d\n", panes, panes > 1 ? "s" : "", size.width(), size.height());
    const auto scene = [&](const char* name, int frames, auto move) {
      QImage image(size, QImage::Format_RGB32);
      Times best;
      Times ofAll;
      for (int repeat = 0; repeat < kRepeats; ++repeat) {
        std::vector<double> times;
        std::vector<double> timesOfAll;
        for (int at = 0; at < frames; ++at) {
          move(at);
          const double begin = cpuMs();
          const double beginOfAll = cpuMs(CLOCK_PROCESS_CPUTIME_ID);
          frame(image, panes);
          times.push_back(cpuMs() - begin);
          timesOfAll.push_back(cpuMs(CLOCK_PROCESS_CPUTIME_ID) - beginOfAll);
        }
        keep(best, times);
        keep(ofAll, timesOfAll);
      }
      std::printf("  %-6s median %5.2f ms  p99 %5.2f ms; of all threads %5.2f ms, %5.2f ms\n", name, best.median,
                  best.p99, ofAll.median, ofAll.p99);
      if (panes == 2) {
        must(std::string(name) + " at " + std::to_string(size.width()) + ": 99 % of frames within " +
                 std::to_string(static_cast<int>(most)) + " ms",
             best.p99 <= most);
      }
    };
    scene("full", 60, [&](int) { m_view.showAll(); });
    scene("mid", 60, [&](int at) { m_view.setView(middle + at, whole / 100); });
    scene("label", 60, [&](int at) { m_view.setView(middle + at * 1000, 2e7); });
    scene("deep", 60, [&](int at) { m_view.setView(middle + at * 100, 230'000); });
    scene("pan", 300, [&](int at) { m_view.setView(middle + at * 7 * whole / 100 / 1700, whole / 100); });
    scene("zoom", 300, [&](int at) {
      const double span = whole * std::pow(10.0, -6.0 * at / 300);
      m_view.setView(middle - span / 2, span);
    });
  }

  static void keep(Times& best, std::vector<double>& times) {
    std::sort(times.begin(), times.end());
    best.median = std::min(best.median, times[times.size() / 2]);
    best.p99 = std::min(best.p99, times[times.size() * 99 / 100]);
  }

  double bestOf(int times, const std::function<void()>& act) {
    double best = 1e9;
    for (int repeat = 0; repeat < times; ++repeat) {
      const double begin = cpuMs();
      act();
      best = std::min(best, cpuMs() - begin);
    }
    return best;
  }

  void search() {
    const SearchedRuns runs{{0, m_facts[0]}};
    SearchResult result;
    const auto one = [&](const char* text) {
      const double ms = bestOf(5, [&] { result = findSlices(runs, parseSearch(QString::fromLatin1(text))); });
      std::printf("search %-22s %8zu hits %6.1f ms\n", text, result.count(), ms);
      must(std::string("search ") + text + ": 50 ms for 10 million slices", ms <= 50.0 * m_slices / 10e6);
    };
    one("operator_77");
    one("/operator_[0-9]{2}</");
    one("aten");
  }

  void aggregate() {
    std::vector<SliceId> slices;
    for (std::uint32_t at = 0; at < std::min(m_slices, 1'000'000u); ++at) slices.push_back(SliceId{at});
    std::size_t rows = 0;
    const double ms = bestOf(5, [&] {
      SliceAggregate sums(*m_facts[0]->trace, AggregateBy::kName);
      sums.add(slices);
      rows = sums.rows().size();
    });
    std::printf("sum of %zu slices by name: %zu rows, %.1f ms\n", slices.size(), rows, ms);
    must("sums of 1 million slices by name: 60 ms", ms <= 60);
  }

  void hitTest() {
    m_view.showAll();
    const PaneScene scene = sceneOf(0, QSize(1920, 1080));
    constexpr int kHits = 10'000;
    std::mt19937 random(5);
    int found = 0;
    const double ms = bestOf(kRepeats, [&] {
      for (int at = 0; at < kHits; ++at) {
        found += scene.hit(QPointF(200 + static_cast<int>(random() % 1700), static_cast<int>(random() % 1080))) ? 1 : 0;
      }
    });
    std::printf("hit test: %.1f us each, %d found\n", ms * 1000 / kHits, found / kRepeats);
  }

  // Wall time, of the whole window over the sample traces.
  void keyToFrame() {
    AppSettings settings(Persistence::kForgotten);
    MainWindow window(m_theme, settings);
    window.resize(1920, 1080);
    window.show();
    window.openSample();
    QElapsedTimer clock;
    clock.start();
    while (!window.isSettled() && clock.elapsed() < 20'000) QCoreApplication::processEvents(QEventLoop::AllEvents, 10);
    window.timeline().setFocus();
    std::vector<double> times;
    for (int press = 0; press < 100; ++press) {
      window.view().setView(100'000.0 * press, 1'000'000);
      QCoreApplication::processEvents();
      clock.start();
      for (QAction* action : window.timeline().timelineActions()) {
        if (action->objectName() == QLatin1String("timeline.right")) action->trigger();
      }
      QCoreApplication::processEvents();
      times.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
    }
    Times best;
    keep(best, times);
    std::printf("key press to painted frame, sample traces: median %.1f ms  p99 %.1f ms\n", best.median, best.p99);
  }

  // Another process of this program, which ends when its window is painted.
  void window() {
    double best = 1e9;
    for (int repeat = 0; repeat < 5; ++repeat) {
      QProcess process;
      QElapsedTimer clock;
      clock.start();
      process.start(QCoreApplication::applicationFilePath(), {QStringLiteral("--window")});
      process.waitForReadyRead(20'000);
      best = std::min(best, static_cast<double>(clock.nsecsElapsed()) / 1e6);
      process.waitForFinished(20'000);
    }
    std::printf("window visible after start: %.0f ms\n", best);
    must("window visible after start: 300 ms", best <= 300);
  }

  void must(const std::string& what, bool isMet) {
    ++m_musts;
    if (isMet) {
      ++m_met;
    } else {
      std::printf("missed: %s\n", what.c_str());
    }
  }

  std::uint32_t m_slices;
  Theme m_theme;
  Session m_session;
  ViewState m_view;
  TimelineState m_state;
  std::vector<SelectedRows> m_selected;
  std::vector<FoundRows> m_hits;
  SelectedRows m_nothing;
  PaneInk m_ink;
  PaneBuffer m_buffer;
  std::vector<std::shared_ptr<const RunFacts>> m_facts;
  std::vector<std::unique_ptr<RunModel>> m_models;
  std::vector<PaneLayout> m_layouts;
  double m_bytes = 0;
  double m_indexMs = 0;
  int m_musts = 0;
  int m_met = 0;
};

// Shows the window, says so when it is painted, and ends.
int showWindow(QApplication& application) {
  Theme theme;
  theme.apply(application, ThemeChoice::kLight);
  AppSettings settings(Persistence::kForgotten);
  MainWindow window(theme, settings);
  window.resize(1920, 1080);
  window.show();
  while (!window.isVisible()) QCoreApplication::processEvents();
  window.grab();
  std::printf("visible\n");
  std::fflush(stdout);
  return 0;
}

}  // namespace
}  // namespace attnscope::ui

int main(int argc, char** argv) {
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  if (argc > 1 && std::string_view(argv[1]) == "--window") return attnscope::ui::showWindow(application);
  const long slices = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 10'000'000;
  if (slices < 1000) {
    std::fprintf(stderr, "usage: bench_ui [SLICES], 1000 at least\n");
    return 2;
  }
  return attnscope::ui::Bench(static_cast<std::uint32_t>(slices)).run();
}
