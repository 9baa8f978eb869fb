// SPDX-License-Identifier: Apache-2.0
// Opens one trace as the window does, to the indexes that it draws from, and says what it took:
//     load_product FILE [THREADS]
// Anonymous memory is sampled every 10 ms by a thread of its own: after loading, at most while loading, and with the
// operator tree and the indexes.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "core/analysis/Memory.h"
#include "core/analysis/Operators.h"
#include "core/import/TraceLoader.h"
#include "core/index/CounterIndex.h"
#include "core/index/RowIndex.h"
#include "core/trace/InParallel.h"

namespace {

using namespace attnscope;

double cpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Resident pages that are no file's: the second and third number of statm.
std::uint64_t anonymousBytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  std::uint64_t shared = 0;
  statm >> size >> resident >> shared;
  return (resident - shared) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

class MemoryWatch {
 public:
  MemoryWatch()
      : m_thread([this](const std::stop_token& stop) {
          while (!stop.stop_requested()) {
            m_peak = std::max<std::uint64_t>(m_peak, anonymousBytes());
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
          }
        }) {}
  [[nodiscard]] std::uint64_t peak() const { return m_peak; }

 private:
  std::atomic<std::uint64_t> m_peak{0};
  std::jthread m_thread;
};

struct Opened {
  std::shared_ptr<const Trace> trace;
  OperatorTree tree;
  std::vector<MemorySeries> memory;
  std::vector<std::uint8_t> paint;
  std::vector<RowIndex> rows;
  std::vector<CounterIndex> counters;
};

// The operator tree, then the memory series and the indexes of all rows and counters, on `threads` threads.
void prepare(Opened& opened, unsigned threads) {
  const Trace& trace = *opened.trace;
  const SliceTable& slices = trace.slices;
  opened.paint.assign(slices.size(), 0);
  std::vector<RowSpan> spans;
  for (const Track& track : trace.tracks) spans.insert(spans.end(), track.rows.begin(), track.rows.end());
  opened.rows.resize(spans.size());
  opened.counters.resize(trace.counters.size());
  opened.tree = buildOperatorTree(trace, {}, threads);
  inParallel(1 + spans.size() + trace.counters.size(), threads, [&](std::size_t i) {
    if (i == 0) {
      opened.memory = memorySeries(trace);
    } else if (i <= spans.size()) {
      const RowSpan row = spans[i - 1];
      opened.rows[i - 1] = RowIndex::build({std::span(slices.startNs).subspan(row.first, row.count),
                                            std::span(slices.durationNs).subspan(row.first, row.count),
                                            std::span(opened.paint).subspan(row.first, row.count)});
    } else {
      const CounterSeries& series = trace.counters[i - 1 - spans.size()];
      opened.counters[i - 1 - spans.size()] = CounterIndex::build(series.atNs, series.value);
    }
  });
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) return 2;
  LoadOptions options;
  options.threads = count > 2 ? static_cast<unsigned>(std::atoi(words[2])) : std::thread::hardware_concurrency();
  const MemoryWatch memory;
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  double beginning = -1;  // until then nothing could be shown
  options.onBeginning = [&](const std::shared_ptr<const Trace>&) { beginning = elapsed(); };
  Progress progress;
  Opened opened;
  const auto trace = loadTrace(words[1], options, progress, {});
  if (!trace) {
    std::fprintf(stderr, "%s\n", trace.error().message().c_str());
    return 1;
  }
  opened.trace = *trace;
  const double loaded = elapsed();
  const std::uint64_t loadedBytes = anonymousBytes();
  const std::uint64_t peakBytes = std::max(memory.peak(), loadedBytes);
  prepare(opened, options.threads);
  const double wall = elapsed();
  const Trace& t = *opened.trace;
  std::printf(
      "{\"wall\": %.6f, \"loaded\": %.6f, \"beginning\": %.6f, \"cpu\": %.6f, \"events\": %llu, \"slices\": %zu, "
      "\"anonymous_bytes\": %llu, \"peak_anonymous_bytes\": %llu, \"prepared_bytes\": %llu, \"repaired_bytes\": %llu, "
      "\"stages\": {",
      wall, loaded, beginning < 0 ? wall : beginning, cpuSeconds(), static_cast<unsigned long long>(t.events),
      t.slices.size(), static_cast<unsigned long long>(loadedBytes), static_cast<unsigned long long>(peakBytes),
      static_cast<unsigned long long>(anonymousBytes()), static_cast<unsigned long long>(t.load.repairedBytes));
  for (const LoadStage& stage : t.load.stages) std::printf("\"%s\": %.6f, ", stage.name.c_str(), stage.seconds);
  std::printf("\"Tables and indexes\": %.6f}}\n", wall - loaded);
  std::fflush(stdout);
  std::_Exit(0);  // taking the trace apart again is no part of loading it
}
