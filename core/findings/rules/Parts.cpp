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
