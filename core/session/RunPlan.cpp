// SPDX-License-Identifier: Apache-2.0
#include "core/session/RunPlan.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/problem/ProblemOptions.h"

namespace attnscope {

std::string_view toString(CacheState state) { return state == CacheState::kHot ? "hot" : "cold"; }

std::string_view toString(TimeMetric metric) { return metric == TimeMetric::kThreadCpu ? "thread-cpu" : "wall"; }

std::string_view toString(RunPhase phase) {
  switch (phase) {
    case RunPhase::kAllocate:
      return "allocate";
    case RunPhase::kCheck:
      return "check";
    case RunPhase::kWarmUp:
      return "warm-up";
    case RunPhase::kTime:
      return "time";
    case RunPhase::kProfile:
      return "profile";
    case RunPhase::kWrite:
      return "write";
  }
  return "";
}

void makeQuick(RunPlan& plan) {
  plan.rounds = 12;
  plan.noiseBlocks = 0;
  plan.sampleAtLeastNs = 5'000'000;
  plan.warmUpAtMostNs = 200'000'000;
}

std::vector<std::string> optionsOf(const RunPlan& plan) {
  const RunPlan defaults;
  std::vector<std::string> words = {"--impl", fmt::format("{}", fmt::join(plan.implementations, ","))};
  const std::vector<std::string> problem = optionsOf(plan.problem);
  words.insert(words.end(), problem.begin(), problem.end());
  if (plan.device != defaults.device) words.insert(words.end(), {"--device", plan.device});
  if (plan.threads != defaults.threads) words.insert(words.end(), {"--threads", fmt::format("{}", plan.threads)});
  if (plan.rounds != defaults.rounds) words.insert(words.end(), {"--pairs", fmt::format("{}", plan.rounds)});
  if (plan.cache != defaults.cache) words.insert(words.end(), {"--cache", std::string(toString(plan.cache))});
  if (plan.profiling == Profiling::kSkip) words.push_back("--no-profile");
  if (!plan.cpus.empty()) words.insert(words.end(), {"--cpus", fmt::format("{}", fmt::join(plan.cpus, ","))});
  if (plan.memoryCheck == MemoryCheck::kGoOn) words.push_back("--over-budget");
  // Source that was typed has no file yet: it is to be saved under this name.
  if (!plan.code.script.empty()) words.insert(words.end(), {"--script", "attention.py"});
  if (!plan.code.scriptFile.empty()) words.insert(words.end(), {"--script", plan.code.scriptFile});
  if (!plan.code.packageFile.empty()) words.insert(words.end(), {"--package", plan.code.packageFile});
  return words;
}

std::string letterOf(std::size_t position) {
  std::string letters;
  for (std::size_t rest = position + 1; rest > 0; rest = (rest - 1) / 26) {
    letters.insert(letters.begin(), static_cast<char>('A' + (rest - 1) % 26));
  }
  return letters;
}

std::string traceNameOf(std::size_t position, const std::string& implementation) {
  std::string name = implementation;
  // An id is letters, digits, dots and dashes; whatever else came in must not name another folder.
  std::replace_if(
      name.begin(), name.end(),
      [](char character) {
        const bool plain = (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
                           (character >= '0' && character <= '9') || character == '.' || character == '-';
        return !plain;
      },
      '_');
  return fmt::format("{}-{}.json", letterOf(position), name);
}

}  // namespace attnscope
