// SPDX-License-Identifier: Apache-2.0
#include "core/session/SessionJson.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "core/problem/MaskTable.h"
#include "core/problem/ProblemJson.h"
#include "core/problem/Validation.h"
#include "core/session/AttnFile.h"

namespace attnscope {
namespace session_json {

Json realOrText(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

double realOf(const Json& json) {
  if (!json.is_string()) return json.get<double>();
  const std::string text = json.get<std::string>();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

RunPhase phaseOf(const std::string& text) {
  for (const RunPhase phase : {RunPhase::kAllocate, RunPhase::kCheck, RunPhase::kWarmUp, RunPhase::kTime,
                               RunPhase::kProfile, RunPhase::kWrite}) {
    if (toString(phase) == text) return phase;
  }
  throw BadValue{fmt::format("the phase \"{}\" is not known", text)};
}

Json toJson(const RunPlan& plan) {
  Json hooks = Json::array();
  for (const TestHook& hook : plan.testHooks) {
    hooks.push_back({{"implementation", hook.implementation},
                     {"phase", toString(hook.phase)},
                     {"round", hook.round},
                     {"action", hook.action}});
  }
  Json json = {{"problem", attnscope::toJson(plan.problem)},
               {"implementations", plan.implementations},
               {"device", plan.device},
               {"threads", plan.threads},
               {"rounds", plan.rounds},
               {"noise_blocks", plan.noiseBlocks},
               {"cache", toString(plan.cache)},
               {"profile", plan.profiling == Profiling::kRecord},
               {"order_seed", plan.orderSeed},
               {"memory_budget_bytes", plan.memoryBudgetBytes},
               {"sample_at_least_ns", plan.sampleAtLeastNs},
               {"warm_up_at_most_ns", plan.warmUpAtMostNs},
               {"trace_folder", plan.traceFolder}};
  if (plan.memoryCheck == MemoryCheck::kGoOn) json["over_budget"] = true;
  if (!plan.cpus.empty()) json["cpus"] = plan.cpus;
  if (plan.code != UserCode{}) {
    json["code"] = {{"script", plan.code.script},
                    {"script_file", plan.code.scriptFile},
                    {"package_file", plan.code.packageFile},
                    {"allowed", plan.code.allowed}};
  }
  if (!hooks.empty()) json["test_hooks"] = hooks;
  return json;
}

RunPlan planOf(const Json& json) {
  RunPlan plan;
  Result<Problem> problem = problemFromJson(json.at("problem"));
  if (!problem) throw BadValue{problem.error().what};
  plan.problem = std::move(*problem);
  plan.implementations = json.at("implementations").get<std::vector<std::string>>();
  plan.device = json.value("device", plan.device);
  plan.threads = json.value("threads", plan.threads);
  plan.rounds = json.value("rounds", plan.rounds);
  plan.noiseBlocks = json.value("noise_blocks", plan.noiseBlocks);
  plan.cache = json.value("cache", "hot") == "cold" ? CacheState::kCold : CacheState::kHot;
  plan.profiling = json.value("profile", true) ? Profiling::kRecord : Profiling::kSkip;
  plan.orderSeed = json.value("order_seed", plan.orderSeed);
  plan.memoryBudgetBytes = json.value("memory_budget_bytes", plan.memoryBudgetBytes);
  plan.sampleAtLeastNs = json.value("sample_at_least_ns", plan.sampleAtLeastNs);
  plan.warmUpAtMostNs = json.value("warm_up_at_most_ns", plan.warmUpAtMostNs);
  plan.traceFolder = json.value("trace_folder", plan.traceFolder);
  plan.memoryCheck = json.value("over_budget", false) ? MemoryCheck::kGoOn : MemoryCheck::kRefuse;
  plan.cpus = json.value("cpus", std::vector<int>{});
  if (json.contains("code")) {
    const Json& code = json.at("code");
    plan.code = {code.value("script", std::string{}), code.value("script_file", std::string{}),
                 code.value("package_file", std::string{}), code.value("allowed", false)};
  }
  for (const Json& hook : json.value("test_hooks", Json::array())) {
    plan.testHooks.push_back({hook.at("implementation").get<std::string>(),
                              phaseOf(hook.at("phase").get<std::string>()), hook.value("round", 0),
                              hook.at("action").get<std::string>()});
  }
  return plan;
}

Json toJson(const Sample& sample) {
  return {{"round", sample.round},
          {"wall_ns", sample.wallNs},
          {"thread_cpu_ns", sample.threadCpuNs},
          {"calls", sample.calls}};
}

Sample sampleOf(const Json& json) {
  Sample sample;
  sample.round = json.at("round").get<int>();
  sample.wallNs = json.at("wall_ns").get<std::int64_t>();
  sample.threadCpuNs = json.at("thread_cpu_ns").get<std::int64_t>();
  sample.calls = json.at("calls").get<std::int64_t>();
  return sample;
}

Json toJson(const NoisePair& pair) {
  return {{"pair", pair.pair}, {"first", toJson(pair.first)}, {"second", toJson(pair.second)}};
}

NoisePair noisePairOf(const Json& json) {
  return {json.at("pair").get<int>(), sampleOf(json.at("first")), sampleOf(json.at("second"))};
}

Json toJson(const ErrorCheck& error) {
  return {{"relative_l2", realOrText(error.relativeL2)},
          {"max_abs", realOrText(error.maxAbs)},
          {"limit", realOrText(error.limit)},
          {"against", error.against},
          {"distance_to_full", error.distanceToFull ? realOrText(*error.distanceToFull) : Json()}};
}

ErrorCheck errorCheckOf(const Json& json) {
  ErrorCheck error;
  error.relativeL2 = realOf(json.at("relative_l2"));
  error.maxAbs = realOf(json.at("max_abs"));
  error.limit = realOf(json.at("limit"));
  error.against = json.value("against", std::string{});
  const auto distance = json.find("distance_to_full");
  if (distance != json.end() && !distance->is_null()) error.distanceToFull = realOf(*distance);
  return error;
}

Json toJson(const RunEnvironment& environment) {
  return {{"runner_version", environment.runnerVersion},
          {"libtorch", environment.libtorch},
          {"cpu", environment.cpu},
          {"cpu_capability", environment.cpuCapability},
          {"logical_cpus", environment.logicalCpus},
          {"threads", environment.threads},
          {"device", environment.device},
          {"governor", environment.governor},
          {"libtorch_build", environment.build},
          {"cpu_list", environment.cpuList},
          {"energy", environment.energy},
          {"system", environment.system},
          {"started_at", environment.startedAt},
          {"load_average", orNull(environment.loadAverage)},
          {"memory_bytes", orNull(environment.memoryBytes)},
          {"roof_flops_per_second", orNull(environment.roofFlopsPerSecond)},
          {"roof_bytes_per_second", orNull(environment.roofBytesPerSecond)},
          {"copy_bytes_per_second", orNull(environment.copyBytesPerSecond)},
          {"peak_flops_per_second", orNull(environment.peakFlopsPerSecond)},
          {"last_level_cache_bytes", orNull(environment.lastLevelCacheBytes)},
          {"clock_mhz", orNull(environment.clockMhz)},
          {"clock_mhz_after", orNull(environment.clockMhzAfter)}};
}

RunEnvironment environmentOf(const Json& json) {
  RunEnvironment environment;
  environment.runnerVersion = json.value("runner_version", std::string{});
  environment.libtorch = json.value("libtorch", std::string{});
  environment.cpu = json.value("cpu", std::string{});
  environment.cpuCapability = json.value("cpu_capability", std::string{});
  environment.logicalCpus = json.value("logical_cpus", 0);
  environment.threads = json.value("threads", 0);
  environment.device = json.value("device", environment.device);
  environment.governor = json.value("governor", std::string{});
  environment.build = json.value("libtorch_build", std::string{});
  environment.cpuList = json.value("cpu_list", std::string{});
  environment.energy = json.value("energy", std::string{});
  environment.system = json.value("system", std::string{});
  environment.startedAt = json.value("started_at", std::string{});
  environment.loadAverage = optionalOf<double>(json, "load_average");
  environment.memoryBytes = optionalOf<std::int64_t>(json, "memory_bytes");
  environment.roofFlopsPerSecond = optionalOf<double>(json, "roof_flops_per_second");
  environment.roofBytesPerSecond = optionalOf<double>(json, "roof_bytes_per_second");
  environment.copyBytesPerSecond = optionalOf<double>(json, "copy_bytes_per_second");
  environment.peakFlopsPerSecond = optionalOf<double>(json, "peak_flops_per_second");
  environment.lastLevelCacheBytes = optionalOf<std::int64_t>(json, "last_level_cache_bytes");
  environment.clockMhz = optionalOf<double>(json, "clock_mhz");
  environment.clockMhzAfter = optionalOf<double>(json, "clock_mhz_after");
  return environment;
}

}  // namespace session_json

namespace {

using session_json::BadValue;
using session_json::Json;
using session_json::orNull;

constexpr std::string_view kSchemaName = "attnscope-session/";

Json toJson(const ImplementationResult& implementation) {
  Json samples = Json::array();
  for (const Sample& sample : implementation.samples) samples.push_back(session_json::toJson(sample));
  Json failure;
  if (implementation.failure) {
    failure = {{"phase", toString(implementation.failure->phase)}, {"reason", implementation.failure->reason}};
  }
  return {{"id", implementation.id},
          {"available", implementation.available},
          {"reason", implementation.reason.empty() ? Json() : Json(implementation.reason)},
          {"error", implementation.error ? session_json::toJson(*implementation.error) : Json()},
          {"samples", std::move(samples)},
          {"peak_bytes", orNull(implementation.peakBytes)},
          {"predicted_peak_bytes", orNull(implementation.predictedPeakBytes)},
          {"resident_peak_bytes", orNull(implementation.residentPeakBytes)},
          {"joules_per_call", orNull(implementation.joulesPerCall)},
          {"useful_flops", implementation.usefulFlops},
          {"executed_flops", orNull(implementation.executedFlops)},
          {"profiled_ns", orNull(implementation.profiledNs)},
          {"trace", implementation.traceFile.empty() ? Json() : Json(implementation.traceFile)},
          {"failure", std::move(failure)}};
}

std::string textOrEmpty(const Json& json, const char* key) {
  return session_json::optionalOf<std::string>(json, key).value_or(std::string{});
}

ImplementationResult implementationOf(const Json& json) {
  ImplementationResult implementation;
  implementation.id = json.at("id").get<std::string>();
  implementation.available = json.value("available", true);
  implementation.reason = textOrEmpty(json, "reason");
  if (json.contains("error") && !json.at("error").is_null()) {
    implementation.error = session_json::errorCheckOf(json.at("error"));
  }
  for (const Json& sample : json.value("samples", Json::array())) {
    implementation.samples.push_back(session_json::sampleOf(sample));
  }
  implementation.peakBytes = session_json::optionalOf<std::int64_t>(json, "peak_bytes");
  implementation.predictedPeakBytes = session_json::optionalOf<std::int64_t>(json, "predicted_peak_bytes");
  implementation.residentPeakBytes = session_json::optionalOf<std::int64_t>(json, "resident_peak_bytes");
  implementation.joulesPerCall = session_json::optionalOf<double>(json, "joules_per_call");
  implementation.usefulFlops = json.value("useful_flops", std::int64_t{0});
  implementation.executedFlops = session_json::optionalOf<std::int64_t>(json, "executed_flops");
  implementation.profiledNs = session_json::optionalOf<std::int64_t>(json, "profiled_ns");
  implementation.traceFile = textOrEmpty(json, "trace");
  if (json.contains("failure") && !json.at("failure").is_null()) {
    const Json& failure = json.at("failure");
    implementation.failure = RunFailure{session_json::phaseOf(failure.at("phase").get<std::string>()),
                                        failure.value("reason", std::string{})};
  }
  return implementation;
}

RunEnding endingOf(const std::string& text) {
  for (const RunEnding ending : {RunEnding::kComplete, RunEnding::kCancelled, RunEnding::kFailed}) {
    if (toString(ending) == text) return ending;
  }
  throw BadValue{fmt::format("the ending \"{}\" is not known", text)};
}

RunResult resultOf(const Json& json) {
  RunResult result;
  result.plan = session_json::planOf(json.at("plan"));
  result.environment = session_json::environmentOf(json.value("environment", Json::object()));
  for (const Json& implementation : json.at("implementations")) {
    result.implementations.push_back(implementationOf(implementation));
  }
  if (result.implementations.size() != result.plan.implementations.size()) {
    throw BadValue{fmt::format("it has results of {} implementations and a plan of {}", result.implementations.size(),
                               result.plan.implementations.size())};
  }
  for (const Json& pair : json.value("noise", Json::array())) {
    result.noise.push_back(session_json::noisePairOf(pair));
  }
  result.warnings = json.value("warnings", std::vector<std::string>{});
  result.ending = endingOf(json.value("ending", "complete"));
  result.endingReason = textOrEmpty(json, "ending_reason");
  result.completeRounds = json.value("complete_rounds", 0);
  return result;
}

tl::unexpected<Error> unreadable(std::string what, std::string remedy, std::optional<std::uint64_t> byte = {}) {
  Error error;
  error.what = std::move(what);
  error.remedy = std::move(remedy);
  error.byte = byte;
  return fail(std::move(error));
}

// Refuses another schema in words.
Result<void> checkSchema(const Json& json) {
  const std::string schema = json.is_object() && json.contains("schema") && json.at("schema").is_string()
                                 ? json.at("schema").get<std::string>()
                                 : std::string{};
  if (schema == kSessionSchema) return {};
  if (schema.substr(0, kSchemaName.size()) == kSchemaName) {
    std::string what =
        fmt::format("the session is of the newer schema {}; this version reads {}", schema, kSessionSchema);
    if (json.contains("implementations") && json.at("implementations").is_array()) {
      what += fmt::format(". It holds {} implementations", json.at("implementations").size());
    }
    return unreadable(std::move(what), "open it with a newer Attnscope; its traces open in any zip program");
  }
  return unreadable("session.json does not say what it is: it has no schema", "choose a session that Attnscope saved");
}

constexpr const char* kPairsKey = "pairs";

Json toJson(const PairRule& rule) {
  Json json = {{"kind", rule.kind == PairRuleKind::kPair ? "pair" : "cut"}, {"base", rule.base}};
  if (rule.kind == PairRuleKind::kPair) json["other"] = rule.other;
  return json;
}

// None: of a kind that a newer version knows, or damaged.
std::optional<PairRule> pairRuleOf(const Json& json) {
  const auto text = [&json](const char* key) -> std::optional<std::string> {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_string()) return std::nullopt;
    return found->get<std::string>();
  };
  if (!json.is_object()) return std::nullopt;
  const auto kind = text("kind");
  const auto base = text("base");
  const auto other = text("other");
  if (!kind || !base) return std::nullopt;
  if (*kind == "cut") return PairRule{PairRuleKind::kCut, *base, {}};
  if (*kind == "pair" && other) return PairRule{PairRuleKind::kPair, *base, *other};
  return std::nullopt;
}

// Pairs are a person's remarks: damaged ones do not keep the measurement from being read.
void readPairs(const Json& json, SessionText& text) {
  const auto pairs = json.find(kPairsKey);
  if (pairs == json.end() || pairs->is_null()) return;
  if (!pairs->is_array()) {
    text.unreadPairs = 1;
    return;
  }
  for (const Json& each : *pairs) {
    if (std::optional<PairRule> rule = pairRuleOf(each)) {
      text.pairs.push_back(std::move(*rule));
    } else {
      ++text.unreadPairs;
    }
  }
}

}  // namespace

std::string sessionJsonOf(const RunResult& result, const std::vector<PairRule>& pairs) {
  Json implementations = Json::array();
  for (const ImplementationResult& implementation : result.implementations) {
    implementations.push_back(toJson(implementation));
  }
  Json noise = Json::array();
  for (const NoisePair& pair : result.noise) noise.push_back(session_json::toJson(pair));
  Json json = {{"schema", kSessionSchema},
               {"plan", session_json::toJson(result.plan)},
               {"environment", session_json::toJson(result.environment)},
               {"implementations", std::move(implementations)},
               {"noise", std::move(noise)},
               {"warnings", result.warnings},
               {"ending", toString(result.ending)},
               {"ending_reason", result.endingReason.empty() ? Json() : Json(result.endingReason)},
               {"complete_rounds", result.completeRounds}};
  for (const PairRule& rule : pairs) json[kPairsKey].push_back(toJson(rule));
  return json.dump(1, ' ', false, Json::error_handler_t::replace);
}

Result<std::string> sessionJsonWithPairs(std::string_view text, const std::vector<PairRule>& pairs) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return unreadable("session.json is damaged", "the pairs cannot be kept in this session");
  Json kept = Json::array();
  for (const PairRule& rule : pairs) kept.push_back(toJson(rule));
  const auto old = json.find(kPairsKey);
  if (old != json.end() && old->is_array()) {
    for (const Json& each : *old) {
      if (!pairRuleOf(each)) kept.push_back(each);
    }
  }
  json.erase(kPairsKey);
  if (!kept.empty()) json[kPairsKey] = std::move(kept);
  return json.dump(1, ' ', false, Json::error_handler_t::replace);
}

Result<SessionText> sessionFromJson(std::string_view text) {
  static constexpr const char* kRemedy = "its traces may still be whole: open them with a zip program";
  try {
    const Json json = Json::parse(text);
    if (const Result<void> schema = checkSchema(json); !schema) return tl::unexpected<Error>(schema.error());
    SessionText said;
    said.result = resultOf(json);
    RunResult& result = said.result;
    // What is drawn from a problem divides by its numbers.
    Problem checked = result.plan.problem;
    // The file of a mask may lie elsewhere, or nowhere: it is needed to run again, and not to read what was measured.
    if (!readMaskOf(result.plan.problem)) checked.mask = NoMask{};
    if (const Result<Problem> problem = validated(checked); !problem) {
      return unreadable("session.json describes a problem that is none: " + problem.error().what, kRemedy);
    }
    readPairs(json, said);
    return said;
  } catch (const BadValue& bad) {
    return unreadable("session.json cannot be read: " + bad.what, kRemedy);
  } catch (const Json::parse_error& error) {
    return unreadable("session.json is damaged", kRemedy, error.byte);
  } catch (const Json::exception& exception) {
    // "[json.exception.type_error.302] type must be string, but is number"
    const std::string_view what = exception.what();
    const std::size_t words = what.find("] ") == std::string_view::npos ? 0 : what.find("] ") + 2;
    return unreadable(fmt::format("session.json cannot be read: {}", what.substr(words)), kRemedy);
  }
}

}  // namespace attnscope
