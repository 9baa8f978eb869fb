// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/analysis/InputSizes.h"
#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

namespace {

// Where the program asked for a copy itself.
bool isCalledForCopy(std::string_view name) {
  static constexpr std::array<std::string_view, 16> kNames = {"aten::_to_copy",
                                                              "aten::cat",
                                                              "aten::clone",
                                                              "aten::constant_pad_nd",
                                                              "aten::copy_",
                                                              "aten::cpu",
                                                              "aten::cuda",
                                                              "aten::index_put_",
                                                              "aten::pad",
                                                              "aten::repeat",
                                                              "aten::repeat_interleave",
                                                              "aten::select_backward",
                                                              "aten::slice_backward",
                                                              "aten::stack",
                                                              "aten::to",
                                                              "aten::type_as"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() || name.starts_with("aten::_foreach_copy");
}

struct Group {
  StringId by = kNoString;  // the operator that made them
  bool isCast = false;
  std::int64_t totalNs = 0;
  std::vector<SliceId> slices;
  SliceId longest = kNoSlice;
  std::int64_t longestNs = 0;
};

bool isAnyCopy(std::string_view name) {
  return name == "aten::copy_" || name == "aten::clone" || name == "aten::to" || name == "aten::_to_copy";
}

// The innermost operator that does not itself only copy; the outermost where all do.
std::uint32_t makerOf(const Metrics& metrics, std::uint32_t node) {
  std::uint32_t found = node;
  for (std::uint32_t up = node; up != OperatorNode::kNone && isAnyCopy(metrics.name(found));
       up = metrics.tree->nodes[up].parent) {
    if (metrics.tree->nodes[up].isOperator && metrics.name(up).starts_with("aten::")) found = up;
  }
  return found;
}

bool isCast(const Metrics& metrics, std::uint32_t node) {
  const std::uint32_t above = metrics.tree->nodes[node].parent;
  return above != OperatorNode::kNone && metrics.name(above) == "aten::_to_copy";
}

// The outermost operator of PyTorch's own around a node; backward functions and modules are around it.
std::uint32_t outermost(const Metrics& metrics, std::uint32_t node) {
  std::uint32_t found = node;
  for (std::uint32_t up = node; up != OperatorNode::kNone; up = metrics.tree->nodes[up].parent) {
    if (metrics.tree->nodes[up].isOperator && metrics.name(up).starts_with("aten::")) found = up;
  }
  return found;
}

// Time of copies within the device by node, or of the host; -1: no such copy.
std::vector<std::int64_t> copyTimes(const Metrics& metrics) {
  const Trace& trace = *metrics.trace;
  std::vector<std::int64_t> times(metrics.tree->nodes.size(), -1);
  const auto isCopy = [&](std::uint32_t node) { return metrics.name(node) == "aten::copy_"; };
  if (!metrics.hasDevice) {
    for (const std::uint32_t node : metrics.nodes) {
      // Without sizes a number that is made a tensor looks the same.
      const StringId dims = trace.slices.inputDims[index(metrics.tree->nodes[node].slice)];
      if (isCopy(node) && dims != kNoString) times[node] = metrics.totalNs(node);
    }
    return times;
  }
  for (std::size_t i = 0; i < trace.deviceWork.size(); ++i) {
    const SliceId work = trace.deviceWork.slice[i];
    const SliceId by = trace.deviceWork.launchOperator[i];
    if (by == kNoSlice) continue;
    const CategoryClass category = trace.slices.categoryClass[index(work)];
    const bool isWithin =
        category == CategoryClass::kGpuMemcpy && trace.name(work).find("DtoD") != std::string_view::npos;
    if (category != CategoryClass::kKernel && !isWithin) continue;
    const std::uint32_t node = metrics.tree->nodeOfSlice[index(by)];
    if (node == OperatorNode::kNone || !isCopy(node)) continue;
    times[node] = std::max<std::int64_t>(times[node], 0) + trace.slices.durationNs[index(work)];
  }
  return times;
}

// "[[8, 16], [8, 16], []]": what is copied has one element or none.
bool isScalar(const Trace& trace, SliceId slice) {
  const StringId dims = trace.slices.inputDims[index(slice)];
  if (dims == kNoString) return false;
  const auto inputs = inputSizes(trace.strings.view(dims));
  return inputs.empty() || elementsOf(inputs.front()) <= 1;
}

std::string_view adviceFor(std::string_view name, bool isOfCasts) {
  if (isOfCasts) return "Inputs are cast each time: keep weights and what goes in in the type that is computed in.";
  if (name == "aten::masked_fill") return "masked_fill copies its input first: masked_fill_ writes in place.";
  if (name == "aten::addmm" || name == "aten::baddbmm") {
    return "The addend is copied into the output first: where it is large, add it in the next fused operator.";
  }
  if (name == "aten::contiguous" || name == "aten::reshape") {
    return "The tensor is a view in another order: keep one layout between the operators on both sides.";
  }
  return "Give it inputs of the type and layout that it computes in.";
}

}  // namespace

RuleAnswer copyHidden(const Metrics& metrics, double threshold) {
  const Trace& trace = *metrics.trace;
  const std::vector<std::int64_t> times = copyTimes(metrics);
  std::vector<Group> groups;
  bool any = false;
  std::int64_t total = 0;
  std::size_t count = 0;
  for (const std::uint32_t node : metrics.nodes) {
    if (times[node] < 0) continue;
    const SliceId slice = metrics.tree->nodes[node].slice;
    if (isScalar(trace, slice)) continue;
    any = true;
    const StringId by = metrics.tree->nodes[makerOf(metrics, node)].name;
    if (isCalledForCopy(metrics.name(outermost(metrics, node))) || isCalledForCopy(trace.strings.view(by))) continue;
    const bool ofCast = isCast(metrics, node);
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const Group& each) { return each.by == by && each.isCast == ofCast; });
    if (group == groups.end()) group = groups.insert(groups.end(), Group{by, ofCast, 0, {}, kNoSlice, 0});
    group->totalNs += times[node];
    group->slices.push_back(slice);
    if (group->longest == kNoSlice || times[node] > group->longestNs) {
      group->longest = slice;
      group->longestNs = times[node];
    }
    total += times[node];
    ++count;
  }
  if (!any)
    return NotApplicable{metrics.hasDevice ? "no copy within a device" : "no copy of tensors whose sizes are recorded"};
  const double part = share(total, metrics.allWorkNs());
  if (count == 0 || part < threshold) return std::vector<Finding>{};
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.totalNs > b.totalNs; });
  const Group& first = groups.front();
  const auto title = [&](const Group& group) {
    return fmt::format("{}{}", group.isCast ? "casts of " : "", trace.strings.view(group.by));
  };
  Finding finding;
  finding.severity = part >= 0.05 ? FindingSeverity::kWarning : FindingSeverity::kInfo;
  finding.headline =
      fmt::format("{} inside other operators {} {}, {} of the {}; {} in {}", words::count(count, "copy", "copies"),
                  count == 1 ? "takes" : "take", words::time(total), words::percent(part), workWords(metrics),
                  words::time(first.totalNs), title(first));
  finding.why =
      "Nothing in the program says that these are copied: the operators do it where the type or the layout of an input "
      "or their own way of working needs it.";
  const StringId dims = trace.slices.inputDims[index(first.longest)];
  const auto inputs = inputSizes(trace.strings.view(dims));
  if (const auto bytes = elementBytes(trace, first.longest); bytes && !inputs.empty()) {
    finding.why +=
        fmt::format(" The longest in {} writes {}.", title(first), words::bytes(elementsOf(inputs.front()) * *bytes));
  }
  finding.change = adviceFor(trace.strings.view(first.by), first.isCast);
  finding.savingNs = total;
  finding.savingFormula =
      metrics.hasDevice ? "sum of the device's time of these copies" : "sum of the host's time of these copies";
  for (std::size_t i = 0; i < std::min<std::size_t>(groups.size(), 4); ++i) {
    finding.evidence.push_back(
        slicesEvidence(fmt::format("{} in {}, {}", words::count(groups[i].slices.size(), "copy", "copies"),
                                   title(groups[i]), words::time(groups[i].totalNs)),
                       groups[i].slices));
  }
  finding.caveats = {"A copy that gives the next kernel a better layout may save more than it costs."};
  return std::vector<Finding>{finding};
}

}  // namespace attnscope::rules
