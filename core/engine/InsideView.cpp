// SPDX-License-Identifier: Apache-2.0
#include "core/engine/InsideView.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "core/engine/Benchmark.h"

namespace attnscope::engine {
namespace {

using kernels::RowState;
using kernels::TileRecord;
using kernels::TileStep;

// A worker may be the thread that called: the tracks of workers have numbers that no thread has.
constexpr std::int64_t kFirstTrack = 2'000'000'000;

std::string_view nameOf(TileStep step) {
  constexpr std::string_view kNames[kernels::kTileSteps] = {"pack",         "scores", "softmax",
                                                            "weighted_sum", "write",  "merge"};
  return kNames[static_cast<std::size_t>(step)];
}

// Microseconds with all their nanoseconds.
std::string microseconds(std::int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

struct WorkerSpan {
  std::int64_t startNs = std::numeric_limits<std::int64_t>::max();
  std::int64_t endNs = 0;
  std::int64_t inStepsNs = 0;
  std::int64_t steps = 0;
};

std::vector<WorkerSpan> spansOf(const WatchedAttention& attention) {
  std::vector<WorkerSpan> spans(static_cast<std::size_t>(attention.workers));
  for (const TileRecord& record : attention.call.records) {
    WorkerSpan& span = spans[static_cast<std::size_t>(record.worker)];
    span.startNs = std::min(span.startNs, record.startNs);
    span.endNs = std::max(span.endNs, record.endNs);
    span.inStepsNs += record.endNs - record.startNs;
    ++span.steps;
  }
  return spans;
}

double coveredShare(const WorkerSpan& span) {
  const std::int64_t length = span.endNs - span.startNs;
  return span.steps == 0 || length <= 0 ? 0 : static_cast<double>(span.inStepsNs) / static_cast<double>(length);
}

class EventWriter {
 public:
  EventWriter(std::int64_t baseNs, int pid) : m_baseNs(baseNs), m_pid(pid) {}

  void nameTrack(int worker) {
    const std::int64_t track = kFirstTrack + worker;
    fmt::format_to(std::back_inserter(m_text),
                   R"({{"name":"thread_name","ph":"M","ts":0,"pid":{0},"tid":{1},"args":{{"name":"own kernel, worker )"
                   R"({2}"}}}},)"
                   "\n"
                   R"({{"name":"thread_sort_index","ph":"M","ts":0,"pid":{0},"tid":{1},"args":{{"sort_index":{3}}}}},)"
                   "\n",
                   m_pid, track, worker, m_pid + 1 + worker);
  }
  void slice(std::string_view name, int worker, std::int64_t startNs, std::int64_t endNs, std::string_view args) {
    fmt::format_to(std::back_inserter(m_text),
                   R"({{"ph":"X","cat":"tile","name":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}},)"
                   "\n",
                   name, m_pid, kFirstTrack + worker, microseconds(startNs - m_baseNs), microseconds(endNs - startNs),
                   args);
  }
  [[nodiscard]] std::string take() { return std::move(m_text); }

 private:
  std::int64_t m_baseNs;
  int m_pid;
  std::string m_text;
};

std::string listOf(const RowState* states, std::int32_t rows, float RowState::*value) {
  std::string text = "[";
  for (std::int32_t row = 0; row < rows; ++row) {
    if (row > 0) text += ',';
    const float one = states[row].*value;
    text += std::isfinite(one) ? fmt::format("{:.7g}", one) : "null";
  }
  return text + "]";
}

std::string argsOf(const TileRecord& record, const std::vector<RowState>& states) {
  std::string args = fmt::format(R"("q0":{},"q1":{},"k0":{},"k1":{},"head":{},"sequence":{},"row0":{},"rows":{})",
                                 record.firstQuery, record.endQuery, record.firstKey, record.endKey,
                                 record.keyValueHead, record.batch, record.firstRow, record.rows);
  if (record.states < 0) return args;
  const RowState* first = states.data() + record.states;
  args += R"(,"max":)" + listOf(first, record.rows, &RowState::largest);
  args += R"(,"sum":)" + listOf(first, record.rows, &RowState::sum);
  return args;
}

std::string argsOf(const InsideView& view, const WorkerSpan& span) {
  const WatchedAttention& attention = view.attention;
  return fmt::format(
      R"("slices":{},"slices_of_all":{},"slices_by_formula":{},"covered":{:.4f},"cost_of_watching":{:.4f},"workers":{},)"
      R"("group":{},"queries":{},"keys":{})",
      span.steps, attention.call.records.size(), attention.expectedSteps, coveredShare(span), view.cost,
      attention.workers, attention.group, attention.queries, attention.keys);
}

}  // namespace

InsideView lookInside(const std::function<void()>& call, Inside& inside, int pairs) {
  InsideView view;
  std::int64_t ordinary = std::numeric_limits<std::int64_t>::max();
  std::int64_t watched = ordinary;
  for (int pair = 0; pair < pairs; ++pair) {
    inside.watchNextCall();
    const Instant start = now();
    call();
    const Instant between = now();
    call();
    const Instant end = now();
    // The first one lies beside what was recorded.
    if (pair == 0) view.attention = inside.watched();
    const bool isAlone = inside.watched().workers == 1;
    const auto since = [isAlone](const Instant& from, const Instant& to) {
      return isAlone ? to.threadCpuNs - from.threadCpuNs : to.wallNs - from.wallNs;
    };
    watched = std::min(watched, since(start, between));
    ordinary = std::min(ordinary, since(between, end));
  }
  view.cost = ordinary > 0 ? static_cast<double>(watched) / static_cast<double>(ordinary) - 1 : 0;
  return view;
}

std::vector<double> coveredShares(const WatchedAttention& attention) {
  std::vector<double> shares;
  for (const WorkerSpan& span : spansOf(attention)) shares.push_back(coveredShare(span));
  return shares;
}

std::string traceEventsOf(const InsideView& view, std::int64_t baseNs, int pid) {
  EventWriter writer(baseNs, pid);
  const std::vector<WorkerSpan> spans = spansOf(view.attention);
  for (int worker = 0; worker < view.attention.workers; ++worker) {
    const WorkerSpan& span = spans[static_cast<std::size_t>(worker)];
    if (span.steps == 0) continue;
    writer.nameTrack(worker);
    writer.slice("inside view", worker, span.startNs, span.endNs, argsOf(view, span));
  }
  std::vector<TileRecord> records = view.attention.call.records;
  std::sort(records.begin(), records.end(),
            [](const TileRecord& a, const TileRecord& b) { return a.startNs < b.startNs; });
  for (const TileRecord& record : records) {
    writer.slice(nameOf(record.step), record.worker, record.startNs, record.endNs,
                 argsOf(record, view.attention.call.states));
  }
  return writer.take();
}

std::string traceEventsOf(const std::string& refusal, std::int64_t timeNs, std::int64_t baseNs, int pid) {
  const nlohmann::json args{{"reason", refusal}};
  return fmt::format(R"({{"ph":"i","cat":"tile","name":"no inside view","s":"p","pid":{},"tid":{},"ts":{},"args":{}}},)"
                     "\n",
                     pid, pid, microseconds(timeNs - baseNs), args.dump());
}

}  // namespace attnscope::engine
