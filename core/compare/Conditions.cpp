// SPDX-License-Identifier: Apache-2.0
#include "core/compare/Conditions.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

namespace attnscope {

namespace {

constexpr std::size_t kTypesRead = 16;  // attention calls whose args are looked at for the type of their inputs
constexpr std::size_t kShown = 3;       // different values shown of one condition

// What a run's attention works on, as far as its operators say.
struct AttentionProblem {
  bool fused = false;  // from scaled_dot_product_attention, not from a softmax
  std::uint64_t calls = 0;
  std::set<std::string> shapes;
  std::set<std::string> types;
  std::set<std::string> masks;   // "causal", "given", "none"; of calls that say
  std::set<std::string> scales;  // as they are written
};

bool isFusedAttention(std::string_view name) { return name.find("scaled_dot_product") != std::string_view::npos; }
bool isSoftmax(std::string_view name) {
  return name == "aten::softmax" || name == "aten::_softmax" || name == "aten::_safe_softmax";
}

// The inputs of "[[1, 4, 256, 64], [1, 4, 256, 64], []]" up to number `count`.
std::string firstInputs(std::string_view shapes, int count) {
  int depth = 0;
  int inputs = 0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (shapes[i] == '[') ++depth;
    if (shapes[i] == ']' && --depth == 1 && ++inputs == count) return std::string(shapes.substr(1, i));
  }
  return std::string(shapes);
}

// The texts of the list under `key` in args, as "Input type": ["float", "float", ...]. Values hold no quotes.
std::vector<std::string> listUnder(const std::string& args, std::string_view key) {
  std::vector<std::string> values;
  const std::size_t at = args.find(key);
  const std::size_t open = at == std::string::npos ? at : args.find('[', at);
  if (open == std::string::npos) return values;
  for (std::size_t i = open + 1; i < args.size() && args[i] != ']'; ++i) {
    if (args[i] != '"') continue;
    const std::size_t close = args.find('"', i + 1);
    if (close == std::string::npos) break;
    values.push_back(args.substr(i + 1, close - i - 1));
    i = close;
  }
  return values;
}

// What the args of an attention call say. The arguments of aten::scaled_dot_product_attention are query, key, value,
// attn_mask, dropout_p, is_causal, scale, enable_gqa.
void readArgs(AttentionProblem& problem, const Trace& trace, SliceId slice) {
  constexpr std::size_t kMask = 3;
  constexpr std::size_t kCausal = 5;
  constexpr std::size_t kScale = 6;
  const TextRange range = trace.slices.args(slice);
  if (range.length == 0 || !trace.argsSource) return;
  const Result<std::string> args = trace.argsSource->read(range);
  if (!args) return;
  const std::vector<std::string> types = listUnder(*args, "\"Input type\"");
  if (!types.empty() && !types[0].empty()) {
    problem.types.insert(types[0].starts_with("c10::") ? types[0].substr(5) : types[0]);
  }
  if (trace.name(slice) != "aten::scaled_dot_product_attention") return;
  const std::vector<std::string> values = listUnder(*args, "\"Concrete Inputs\"");
  if (values.size() > kCausal) {
    const bool given = types.size() > kMask && !types[kMask].empty() && types[kMask] != "None";
    problem.masks.insert(values[kCausal] == "True" ? "causal" : given ? "given" : "none");
  }
  if (values.size() > kScale) problem.scales.insert(values[kScale].empty() ? "default" : values[kScale]);
}

AttentionProblem attentionProblem(const ComparedRun& run) {
  const Trace& trace = *run.trace;
  std::vector<SliceId> fused;
  std::vector<SliceId> softmax;
  const auto kindOf = [&](const OperatorNode& node) {
    if (!node.isOperator) return 0;
    const std::string_view name = trace.strings.view(node.name);
    if (isFusedAttention(name) && name.find("backward") == std::string_view::npos) return 1;
    return isSoftmax(name) ? 2 : 0;
  };
  // The outermost call of a kind stands for those under it.
  std::vector<std::uint8_t> inside(run.tree->nodes.size(), 0);
  for (std::size_t i = 0; i < run.tree->nodes.size(); ++i) {
    const OperatorNode& node = run.tree->nodes[i];
    if (node.parent != OperatorNode::kNone) inside[i] = inside[node.parent];
    const int kind = kindOf(node);
    if (kind == 0 || (inside[i] & kind) != 0) continue;
    inside[i] = static_cast<std::uint8_t>(inside[i] | kind);
    if (!run.scope.contains(trace.slices.startNs[index(node.slice)])) continue;
    (kind == 1 ? fused : softmax).push_back(node.slice);
  }
  AttentionProblem problem;
  problem.fused = !fused.empty();
  const auto& calls = problem.fused ? fused : softmax;
  problem.calls = calls.size();
  std::size_t typesRead = 0;
  for (const SliceId call : calls) {
    const StringId dims = trace.slices.inputDims[index(call)];
    if (dims == kNoString) continue;
    const bool added =
        problem.shapes.insert(firstInputs(operatorShapes(trace.strings.view(dims)), problem.fused ? 3 : 1)).second;
    if (!added || typesRead == kTypesRead) continue;
    ++typesRead;
    readArgs(problem, trace, call);
  }
  return problem;
}

std::string listed(const std::set<std::string>& values) {
  std::string text;
  std::size_t count = 0;
  for (const std::string& value : values) {
    if (count == kShown) return text + fmt::format(", and {} more", values.size() - kShown);
    text += (count++ == 0 ? "" : ", ") + value;
  }
  return text.empty() ? "not recorded" : text;
}

bool disjoint(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::none_of(a.begin(), a.end(), [&](const std::string& value) { return b.count(value) != 0; });
}

std::string deviceNames(const Trace& trace) {
  std::set<std::string> names;
  std::set<std::int32_t> used;
  for (const std::int32_t device : trace.deviceWork.device) used.insert(device);
  for (const DeviceProperties& device : trace.devices) {
    if (used.count(device.id) != 0 && !device.name.empty()) names.insert(device.name);
  }
  if (!names.empty()) return listed(names);
  // Numbers of devices in the work may be others than in the list, as where a container shows one of many.
  for (const DeviceProperties& device : trace.devices) {
    if (!device.name.empty()) names.insert(device.name);
  }
  return listed(names);
}

// The value under the first of `keys` that the trace's metadata has, without quotes; empty: none.
std::string metadataOf(const Trace& trace, std::initializer_list<std::string_view> keys) {
  for (const std::string_view wanted : keys) {
    for (const auto& [key, value] : trace.metadata) {
      if (key != wanted) continue;
      return value.size() >= 2 && value.front() == '"' ? value.substr(1, value.size() - 2) : value;
    }
  }
  return {};
}

// A switch of the profiler: absent is off.
std::string profilerSwitch(const Trace& trace, std::string_view key) {
  const std::string value = metadataOf(trace, {key});
  return value.empty() || value == "0" || value == "false" ? "off" : "on";
}

std::string lostText(const Trace& trace) {
  const std::uint64_t lost = trace.health.count(Severity::kLost);
  return lost == 0 ? "whole" : fmt::format("{} lost", lost);
}

// Same number of calls, none of the same shape: another problem. Another number of calls of other shapes may be the
// same problem in blocks, so that is only pointed out.
void addAttention(std::vector<Condition>& conditions, const ComparedRun& base, const ComparedRun& other) {
  const AttentionProblem a = attentionProblem(base);
  const AttentionProblem b = attentionProblem(other);
  const bool sameEvidence = a.fused == b.fused && !a.shapes.empty() && !b.shapes.empty();
  if (sameEvidence && a.shapes != b.shapes) {
    const bool refuses = disjoint(a.shapes, b.shapes) && (a.fused || a.calls == b.calls);
    conditions.push_back({.subject = "shapes of attention calls",
                          .base = listed(a.shapes),
                          .other = listed(b.shapes),
                          .meaning = refuses ? "the runs do different work" : "the runs may do different work",
                          .refuses = refuses});
  }
  if (!a.masks.empty() && !b.masks.empty() && a.masks != b.masks) {
    const bool refuses = disjoint(a.masks, b.masks);
    conditions.push_back({.subject = "mask",
                          .base = listed(a.masks),
                          .other = listed(b.masks),
                          .meaning = refuses ? "another mask is another amount of work" : "some calls mask otherwise",
                          .refuses = refuses});
  }
  if (!a.scales.empty() && !b.scales.empty() && a.scales != b.scales) {
    conditions.push_back({.subject = "scale of the scores",
                          .base = listed(a.scales),
                          .other = listed(b.scales),
                          .meaning = "the outputs may differ; the amount of work does not"});
  }
  if (!a.types.empty() && !b.types.empty() && a.types != b.types) {
    conditions.push_back({.subject = "type",
                          .base = listed(a.types),
                          .other = listed(b.types),
                          .meaning = "another type needs another amount of memory and arithmetic"});
  }
}

}  // namespace

std::uint64_t stepsIn(const Trace& trace, TimeRange scope) {
  return static_cast<std::uint64_t>(std::count_if(trace.steps.begin(), trace.steps.end(),
                                                  [&](const Step& step) { return scope.contains(step.startNs); }));
}

bool hasShapes(const Trace& trace) {
  return std::any_of(trace.slices.inputDims.begin(), trace.slices.inputDims.end(),
                     [](StringId dims) { return dims != kNoString; });
}

bool hasDeviceTime(const Trace& trace) {
  return std::any_of(trace.deviceWork.slice.begin(), trace.deviceWork.slice.end(), [&](SliceId id) {
    return trace.slices.categoryClass[index(id)] != CategoryClass::kSynchronisation;
  });
}

namespace {

// Conditions of one pair of runs: `add` notes what differs.
class Conditions {
 public:
  void add(std::string subject, std::string base, std::string other, std::string meaning, bool refuses = false) {
    if (base == other) return;
    list.push_back({.subject = std::move(subject),
                    .base = std::move(base),
                    .other = std::move(other),
                    .meaning = std::move(meaning),
                    .refuses = refuses});
  }
  // Where both say something.
  void addKnown(std::string subject, std::string base, std::string other, std::string meaning, bool refuses = false) {
    if (!base.empty() && !other.empty()) {
      add(std::move(subject), std::move(base), std::move(other), std::move(meaning), refuses);
    }
  }
  std::vector<Condition> list;
};

void addRecording(Conditions& conditions, const Trace& a, const Trace& b) {
  conditions.addKnown("PyTorch", metadataOf(a, {"pytorch_version", "torch_version", "torch"}),
                      metadataOf(b, {"pytorch_version", "torch_version", "torch"}),
                      "operators and kernels may be others by version");
  for (const std::string_view key : {"cuda_runtime_version", "cuda_driver_version", "hip_runtime_version"}) {
    std::string words(key);
    std::replace(words.begin(), words.end(), '_', ' ');
    conditions.addKnown(words, metadataOf(a, {key}), metadataOf(b, {key}), "libraries choose other kernels by version");
  }
  struct Switch {
    std::string_view key;
    const char* meaning;
  };
  static constexpr std::array<Switch, 4> kSwitches = {
      {{"with_stack", "stacks slow the host down where they are recorded"},
       {"profile_memory", "memory is recorded on one side alone, which costs host time"},
       {"record_shapes", "shapes cost host time where they are recorded"},
       {"with_modules", "modules cost host time where they are recorded"}}};
  // A recorder that writes none of them says nothing.
  const auto says = [](const Trace& trace) {
    return std::any_of(kSwitches.begin(), kSwitches.end(),
                       [&](const Switch& each) { return !metadataOf(trace, {each.key}).empty(); });
  };
  if (!says(a) || !says(b)) return;
  for (const Switch& each : kSwitches) {
    conditions.add("profiler's " + std::string(each.key), profilerSwitch(a, each.key), profilerSwitch(b, each.key),
                   each.meaning);
  }
}

// The first step carries what is done once; it should be in both or in neither.
void addSteps(Conditions& conditions, const ComparedRun& base, const ComparedRun& other) {
  conditions.add("steps", std::to_string(stepsIn(*base.trace, base.scope)),
                 std::to_string(stepsIn(*other.trace, other.scope)), "totals are of different numbers of steps");
  const auto first = [](const ComparedRun& run) {
    const auto& steps = run.trace->steps;
    return !steps.empty() && run.scope.contains(steps.front().startNs) ? "with the first step" : "without it";
  };
  if (!base.trace->steps.empty() && !other.trace->steps.empty()) {
    conditions.add("warm-up", first(base), first(other), "the first recorded step carries what is done once");
  }
}

std::string checkText(const ImplementationResult& result) {
  if (!result.error) return "not checked";
  return result.error->passed() ? "right" : fmt::format("wrong by {:.1e}", result.error->relativeL2);
}

// Of runs that were measured apart: what the two plans and machines differ in.
void addPlans(Conditions& conditions, const RunResult& a, const RunResult& b) {
  const Problem& p = a.plan.problem;
  const Problem& q = b.plan.problem;
  const auto shape = [](const Problem& problem) {
    return fmt::format("B{} H{}/{} N{} M{} D{}/{}", problem.batch, problem.heads, problem.keyValueHeads,
                       problem.queryLength, problem.keyValueLength, problem.headSize, problem.valueHeadSize);
  };
  const char* work = "the runs do different work";
  conditions.add("shape", shape(p), shape(q), work, true);
  conditions.add("mask", describe(p.mask), describe(q.mask), work, true);
  conditions.add("pass", std::string(toString(p.pass)), std::string(toString(q.pass)), work, true);
  conditions.add("workload", std::string(toString(p.workload)), std::string(toString(q.workload)), work, true);
  conditions.add("type", std::string(toString(p.dtype)), std::string(toString(q.dtype)),
                 "another type needs another amount of memory and arithmetic");
  conditions.add("layout", std::string(toString(p.layout)), std::string(toString(q.layout)),
                 "copies may be needed on one side alone");
  conditions.add("scale of the scores", fmt::format("{:.6g}", p.effectiveScale()),
                 fmt::format("{:.6g}", q.effectiveScale()), "the outputs differ; the amount of work does not");
  const auto extras = [](const Problem& problem) {
    return fmt::format("softcap {:g}, dropout {:g}{}{}", problem.softcap, problem.dropout, problem.sink ? ", sink" : "",
                       problem.alibi ? ", ALiBi" : "");
  };
  conditions.add("extras", extras(p), extras(q), "another function is computed");
  conditions.add("threads", std::to_string(a.plan.threads), std::to_string(b.plan.threads),
                 "times are of different numbers of threads");
  conditions.add("device", a.plan.device, b.plan.device, "times are of different devices");
  conditions.add("cache", std::string(toString(a.plan.cache)), std::string(toString(b.plan.cache)),
                 "cold caches cost time on one side alone");
  conditions.add("rounds", std::to_string(a.completeRounds), std::to_string(b.completeRounds),
                 "the samples are of different number");
  conditions.addKnown("processor", a.environment.cpu, b.environment.cpu, "times are of different machines");
  conditions.addKnown("instruction set", a.environment.cpuCapability, b.environment.cpuCapability,
                      "kernels are others by instruction set");
  conditions.addKnown("LibTorch", a.environment.libtorch, b.environment.libtorch,
                      "operators and kernels may be others by version");
  conditions.addKnown("clock governor", a.environment.governor, b.environment.governor, "clocks may have been others");
  conditions.addKnown("system", a.environment.system, b.environment.system, "the environment differs");
  conditions.add("measured", "on its own", "on its own, another time",
                 "they were not timed in turns: what the machine did meanwhile is in the difference");
}

void addMeasured(Conditions& conditions, const ComparedRun& base, const ComparedRun& other) {
  const RunResult* a = base.measurement;
  const RunResult* b = other.measurement;
  conditions.add("times", a ? "timed, and profiled once" : "profiled alone",
                 b ? "timed, and profiled once" : "profiled alone",
                 "only the profiled runs can be compared, and profiling costs time");
  if (!a || !b) return;
  const bool together = a == b || *a == *b;
  if (!together) addPlans(conditions, *a, *b);
  const std::string checkA = checkText(a->implementations[base.measuredAs]);
  const std::string checkB = checkText(b->implementations[other.measuredAs]);
  for (const std::string* check : {&checkA, &checkB}) {
    if (!check->starts_with("wrong")) continue;
    conditions.list.push_back({.subject = "outputs",
                               .base = checkA,
                               .other = checkB,
                               .meaning = "a wrong result is no result, however fast",
                               .refuses = true});
    return;
  }
  conditions.add("outputs", checkA, checkB, "one side was not checked against the reference");
}

}  // namespace

std::vector<Condition> conditionsBetween(const ComparedRun& base, const ComparedRun& other, std::size_t run) {
  Conditions conditions;
  const Trace& a = *base.trace;
  const Trace& b = *other.trace;
  // The plan of a measurement says more of its problem than the operators of its trace do.
  if (!base.measurement || !other.measurement) addAttention(conditions.list, base, other);
  if (hasDeviceTime(a) != hasDeviceTime(b)) {
    const auto text = [](const Trace& trace) { return hasDeviceTime(trace) ? "recorded" : "none"; };
    conditions.add("device work", text(a), text(b), "only the host's time can be compared");
  } else if (!a.devices.empty() && !b.devices.empty()) {
    conditions.add("device", deviceNames(a), deviceNames(b), "times are of different machines");
  }
  addRecording(conditions, a, b);
  addSteps(conditions, base, other);
  const auto shapesText = [](const Trace& trace) { return hasShapes(trace) ? "recorded" : "not recorded"; };
  conditions.add("input shapes", shapesText(a), shapesText(b), "operators are matched by name alone");
  addMeasured(conditions, base, other);
  if (a.health.count(Severity::kLost) + b.health.count(Severity::kLost) != 0) {
    conditions.list.push_back({.subject = "damaged trace",
                               .base = lostText(a),
                               .other = lostText(b),
                               .meaning = "what is not shown is not in the figures"});
  }
  auto& list = conditions.list;
  std::stable_partition(list.begin(), list.end(), [](const Condition& c) { return c.refuses; });
  for (Condition& condition : list) condition.run = run;
  return std::move(list);
}

}  // namespace attnscope
