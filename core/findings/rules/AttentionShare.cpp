// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/analysis/Stages.h"
#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

namespace {

bool isOneThread(const Metrics& metrics) {
  const auto track = [&](const AttentionCall& call) { return metrics.trace->slices.track[index(call.slice)]; };
  return std::all_of(metrics.attention.begin(), metrics.attention.end(),
                     [&](const AttentionCall& call) { return track(call) == track(metrics.attention.front()); });
}

// "", ", 12.0 % of the device's time": of threads beside one another the host's times make no share.
std::string shareOfAll(const Metrics& metrics, std::int64_t ns) {
  if (metrics.hasDevice) {
    return fmt::format(", {} of the device's work", words::percent(share(ns, metrics.operators.totals.deviceEventsNs)));
  }
  if (!isOneThread(metrics)) return {};
  return fmt::format(", {} of the time", words::percent(share(ns, metrics.windowNs)));
}

}  // namespace

RuleAnswer attentionShare(const Metrics& metrics, double threshold) {
  const std::vector<AttentionCall>& calls = metrics.attention;
  if (calls.empty()) return NotApplicable{"no call of attention on the host in this trace"};
  const auto totals = attentionTotals(calls);
  const auto nsOf = [&](std::size_t stage) {
    return metrics.hasDevice ? totals[stage].deviceNs : totals[stage].hostNs;
  };
  std::int64_t all = 0;
  for (std::size_t i = 0; i < kAttentionStageCount; ++i) all += nsOf(i);
  if (metrics.hasDevice && all == 0) return NotApplicable{"no device work is linked to the calls of attention"};
  if (static_cast<double>(calls.size()) < threshold) return std::vector<Finding>{};
  std::array<std::size_t, kAttentionStageCount> order{};
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return nsOf(a) > nsOf(b); });
  Finding finding;
  std::vector<std::string> parts;
  for (const std::size_t i : order) {
    if (nsOf(i) <= 0) continue;
    const std::string_view name = toString(static_cast<AttentionStage>(i));
    const std::string percent = words::percent(share(nsOf(i), all));
    std::string spaced(name);
    std::replace(spaced.begin(), spaced.end(), '_', ' ');
    parts.push_back(fmt::format("{} {}", spaced, percent));
    if (totals[i].slices.empty()) continue;
    finding.evidence.push_back(
        slicesEvidence(fmt::format("{}, {}, {}", stageWords(name), words::time(nsOf(i)), percent), totals[i].slices));
  }
  const bool isByName = std::all_of(
      calls.begin(), calls.end(), [](const AttentionCall& call) { return call.evidence == AttentionEvidence::kName; });
  finding.confidence = isByName ? Confidence::kNamed : Confidence::kInferred;
  finding.headline =
      fmt::format("Attention takes {} in {}{}: {}", words::time(all), words::count(calls.size(), "call", "calls"),
                  shareOfAll(metrics, all), fmt::join(parts, ", "));
  finding.why = metrics.hasDevice
                    ? "The device's time of what the operators of each call launched, by stage; the stages sum to it."
                    : "The host's time from the first operator of each call to the end of its last, by stage; the "
                      "stages sum to it.";
  finding.change = "Start with the stage that takes most.";
  const auto has = [&](AttentionStage stage) { return nsOf(static_cast<std::size_t>(stage)) > 0; };
  if (has(AttentionStage::kFused)) {
    finding.caveats.push_back("The parts of a fused kernel cannot be told apart in a trace.");
  }
  if (has(AttentionStage::kUnattributed)) {
    finding.caveats.push_back(
        "Unattributed is what lies between: views, rotary embeddings, and time in which no operator ran.");
  }
  const auto withoutInputs = std::count_if(calls.begin(), calls.end(), [](const AttentionCall& call) {
    return call.stage(AttentionStage::kQkvProjection).slices.empty();
  });
  if (withoutInputs > 0) {
    finding.caveats.push_back(fmt::format("No projection is proved by shapes for {}.",
                                          words::count(static_cast<std::uint64_t>(withoutInputs), "call", "calls")));
  }
  return std::vector<Finding>{finding};
}

}  // namespace attnscope::rules
