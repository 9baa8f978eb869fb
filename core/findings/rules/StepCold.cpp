// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

namespace {

constexpr std::size_t kFewestSteps = 4;
constexpr double kLeastSpread = 0.01;  // of the median: steps that agree to the nanosecond are no reason

std::int64_t median(std::vector<std::int64_t> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

RuleAnswer stepCold(const Metrics& metrics, double threshold) {
  const std::vector<Step>& steps = metrics.trace->steps;
  if (!(metrics.scope == TimeRange::all())) return NotApplicable{"the scope is a part of the trace"};
  if (steps.size() < kFewestSteps) return NotApplicable{fmt::format("fewer than {} steps", kFewestSteps)};
  std::vector<std::int64_t> rest;
  for (std::size_t i = 1; i < steps.size(); ++i) rest.push_back(steps[i].durationNs);
  const std::int64_t usual = median(rest);
  for (std::int64_t& ns : rest) ns = std::abs(ns - usual);
  const double spread = std::max(static_cast<double>(median(rest)), kLeastSpread * static_cast<double>(usual));
  const auto over = static_cast<double>(steps.front().durationNs - usual);
  if (over <= threshold * spread) return std::vector<Finding>{};
  Finding finding;
  finding.headline =
      fmt::format("The first step takes {}, the others {}", words::time(steps.front().durationNs), words::time(usual));
  finding.why =
      "The first step pays for what is done once: loading kernels, filling caches of memory, compiling. Averages over "
      "all steps are too high by it.";
  finding.change = "Warm up before the recording (schedule(wait=1, warmup=2, active=3)), or leave it out of averages.";
  finding.evidence.push_back(
      slicesEvidence(std::string(metrics.trace->strings.view(steps.front().name)), {steps.front().slice}));
  finding.caveats = {fmt::format("{} other steps are few to judge by.", steps.size() - 1)};
  return std::vector<Finding>{finding};
}

}  // namespace attnscope::rules
