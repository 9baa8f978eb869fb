// SPDX-License-Identifier: Apache-2.0
#include "core/findings/rules/Parts.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/trace/ArgsText.h"

namespace attnscope::rules {

namespace {

constexpr std::size_t kFewestLaunches = 50;  // from which a median says something

}  // namespace

NotApplicable withoutDevice() { return {"no device work in this trace"}; }

double share(std::int64_t part, std::int64_t whole) {
  return whole <= 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string inWindows(const Metrics& metrics) {
  if (!(metrics.scope == TimeRange::all())) return "in this scope";
  const std::size_t steps = metrics.trace->steps.size();
  if (steps == 0) return "in this trace";
  return steps == 1 ? "in one step" : fmt::format("in {} steps", steps);
}

std::string_view workWords(const Metrics& metrics) { return metrics.hasDevice ? "kernel time" : "host time"; }

Evidence slicesEvidence(std::string title, std::vector<SliceId> slices) {
  return {std::move(title), std::move(slices), std::nullopt, kNoString};
}

Evidence kernelEvidence(const KernelRow& row) {
  return {fmt::format("{}, {}", row.shortName, words::count(row.calls, "call", "calls")), row.slices, std::nullopt,
          row.name};
}

bool isIn(const std::vector<TimeRange>& windows, std::int64_t ns) {
  const auto after = std::upper_bound(windows.begin(), windows.end(), ns,
                                      [](std::int64_t at, const TimeRange& window) { return at < window.startNs; });
  return after != windows.begin() && std::prev(after)->contains(ns);
}

bool isCallOfSdpa(std::string_view name) { return name == "aten::scaled_dot_product_attention"; }

bool isAttentionCall(std::string_view name) {
  return isCallOfSdpa(name) || name.starts_with("aten::_scaled_dot_product_") || name.starts_with("flash_attn") ||
         name.find("flash_attention") != std::string_view::npos || name.starts_with("xformers");
}

std::optional<LaunchPace> launchPace(const Metrics& metrics) {
  const Trace& trace = *metrics.trace;
  // By the thread that launched: the starts of its calls and the durations of its kernels.
  struct Thread {
    std::vector<std::int64_t> calls;
    std::vector<std::int64_t> kernels;
    std::vector<SliceId> slices;
  };
  std::vector<Thread> threads(trace.tracks.size());
  for (std::size_t i = 0; i < trace.deviceWork.size(); ++i) {
    const SliceId call = trace.deviceWork.launch[i];
    const SliceId kernel = trace.deviceWork.slice[i];
    if (call == kNoSlice || trace.slices.categoryClass[index(kernel)] != CategoryClass::kKernel) continue;
    if (!isIn(metrics.windows, trace.slices.startNs[index(call)])) continue;
    Thread& thread = threads[index(trace.slices.track[index(call)])];
    thread.calls.push_back(trace.slices.startNs[index(call)]);
    thread.kernels.push_back(trace.slices.durationNs[index(kernel)]);
    thread.slices.push_back(call);
  }
  const auto busiest = std::max_element(
      threads.begin(), threads.end(), [](const Thread& a, const Thread& b) { return a.calls.size() < b.calls.size(); });
  if (busiest == threads.end() || busiest->calls.size() < kFewestLaunches) {
    return std::nullopt;
  }
  std::sort(busiest->calls.begin(), busiest->calls.end());
  std::vector<std::int64_t> distances;
  for (std::size_t i = 1; i < busiest->calls.size(); ++i) {
    // Kernels of one graph launch share its call.
    if (busiest->calls[i] > busiest->calls[i - 1]) distances.push_back(busiest->calls[i] - busiest->calls[i - 1]);
  }
  LaunchPace pace{0, 0, busiest->slices};
  if (distances.size() + 1 < kFewestLaunches) return pace;
  std::sort(distances.begin(), distances.end());
  std::sort(busiest->kernels.begin(), busiest->kernels.end());
  pace.kernelNs = busiest->kernels[busiest->kernels.size() / 2];
  pace.distanceNs = distances[distances.size() / 2];
  return pace;
}

std::optional<std::int64_t> elementBytes(const Trace& trace, SliceId slice) {
  if (slice == kNoSlice || trace.argsSource == nullptr || trace.slices.args(slice).length == 0) return std::nullopt;
  const auto text = trace.argsSource->read(trace.slices.args(slice));
  if (!text) return std::nullopt;
  const auto types = argsValue(*text, "Input type");
  if (!types) return std::nullopt;
  static constexpr std::array<std::pair<std::string_view, std::int64_t>, 8> kTypes = {{{"\"float\"", 4},
                                                                                       {"\"c10::BFloat16\"", 2},
                                                                                       {"\"c10::Half\"", 2},
                                                                                       {"\"double\"", 8},
                                                                                       {"\"long int\"", 8},
                                                                                       {"\"int\"", 4},
                                                                                       {"\"bool\"", 1},
                                                                                       {"\"unsigned char\"", 1}}};
  const std::size_t open = types->find('"');
  if (open == std::string_view::npos) return std::nullopt;
  for (const auto& [name, bytes] : kTypes) {
    if (types->substr(open).starts_with(name)) return bytes;
  }
  return std::nullopt;
}

}  // namespace attnscope::rules
