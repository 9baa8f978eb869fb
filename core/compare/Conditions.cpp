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

// The first type in args "Input type": ["float", "float", ...].
std::string inputType(const Trace& trace, SliceId slice) {
  const TextRange range = trace.slices.args(slice);
  if (range.length == 0 || !trace.argsSource) return {};
  const Result<std::string> args = trace.argsSource->read(range);
  if (!args) return {};
  const std::size_t key = args->find("\"Input type\"");
  if (key == std::string::npos) return {};
  const std::size_t open = args->find('"', key + 12);
  const std::size_t close = open == std::string::npos ? open : args->find('"', open + 1);
  if (close == std::string::npos) return {};
  const std::string type = args->substr(open + 1, close - open - 1);
  return type.starts_with("c10::") ? type.substr(5) : type;
}

AttentionProblem attentionProblem(const ComparedRun& run) {
  const Trace& trace = *run.trace;
  std::vector<const OperatorNode*> fused;
  std::vector<const OperatorNode*> softmax;
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
    (kind == 1 ? fused : softmax).push_back(&node);
  }
  AttentionProblem problem;
  problem.fused = !fused.empty();
  const auto& calls = problem.fused ? fused : softmax;
  problem.calls = calls.size();
  std::size_t typesRead = 0;
  for (const OperatorNode* node : calls) {
    const StringId dims = trace.slices.inputDims[index(node->slice)];
    if (dims == kNoString) continue;
    const bool added =
        problem.shapes.insert(firstInputs(operatorShapes(trace.strings.view(dims)), problem.fused ? 3 : 1)).second;
    if (!added || typesRead == kTypesRead) continue;
    ++typesRead;
    const std::string type = inputType(trace, node->slice);
    if (!type.empty()) problem.types.insert(type);
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

std::string torchVersion(const Trace& trace) {
  static constexpr std::array<std::string_view, 3> kKeys = {"pytorch_version", "torch_version", "torch"};
  for (const auto& [key, value] : trace.metadata) {
    if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end()) continue;
    return value.size() >= 2 && value.front() == '"' ? value.substr(1, value.size() - 2) : value;
  }
  return {};
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

std::vector<Condition> conditionsBetween(const ComparedRun& base, const ComparedRun& other, std::size_t run) {
  std::vector<Condition> conditions;
  const auto add = [&](std::string subject, std::string a, std::string b, std::string meaning) {
    if (a == b) return;
    conditions.push_back(
        {.subject = std::move(subject), .base = std::move(a), .other = std::move(b), .meaning = std::move(meaning)});
  };
  const Trace& a = *base.trace;
  const Trace& b = *other.trace;
  addAttention(conditions, base, other);
  if (hasDeviceTime(a) != hasDeviceTime(b)) {
    const auto text = [](const Trace& trace) { return hasDeviceTime(trace) ? "recorded" : "none"; };
    add("device work", text(a), text(b), "only the host's time can be compared");
  } else if (!a.devices.empty() && !b.devices.empty()) {
    add("device", deviceNames(a), deviceNames(b), "times are of different machines");
  }
  const std::string versionA = torchVersion(a);
  const std::string versionB = torchVersion(b);
  if (!versionA.empty() && !versionB.empty()) {
    add("PyTorch", versionA, versionB, "operators and kernels may be others by version");
  }
  add("steps", std::to_string(stepsIn(a, base.scope)), std::to_string(stepsIn(b, other.scope)),
      "totals are of different numbers of steps");
  const auto shapesText = [](const Trace& trace) { return hasShapes(trace) ? "recorded" : "not recorded"; };
  add("input shapes", shapesText(a), shapesText(b), "operators are matched by name alone");
  if (a.health.count(Severity::kLost) + b.health.count(Severity::kLost) != 0) {
    conditions.push_back({.subject = "damaged trace",
                          .base = lostText(a),
                          .other = lostText(b),
                          .meaning = "what is not shown is not in the figures"});
  }
  std::stable_partition(conditions.begin(), conditions.end(), [](const Condition& c) { return c.refuses; });
  for (Condition& condition : conditions) condition.run = run;
  return conditions;
}

}  // namespace attnscope
