// SPDX-License-Identifier: Apache-2.0
#include "core/compare/RoleEvidence.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace attnscope {

namespace {

// One thing done in two ways takes few names on one side: attention takes five or six.
constexpr std::size_t kFewNames = 8;
constexpr std::size_t kFewCalls = 8;
// [batch, heads, length, head dimension], or [batch * heads, length, head dimension]: vectors and matrices of one size
// are found in programs that have nothing else in common.
constexpr std::ptrdiff_t kTensorDims = 3;
constexpr const char* kStepName = "ProfilerStep*";

bool hasFewNames(const RoleSide& side, const CallKeys& keys) {
  std::unordered_set<std::uint32_t> names;
  for (const std::uint32_t node : side.nodes) {
    names.insert(keys.at(side.calls.key[node]).nameId);
    if (names.size() > kFewNames) return false;
  }
  return true;
}

using Tensors = std::unordered_set<std::string_view>;

// Inputs with enough dims, as "[1, 8, 512, 64]", of "[[1, 8, 512, 64], [], [512]]".
void addTensors(std::string_view shapes, Tensors& tensors) {
  for (std::size_t open = shapes.rfind('['); open != std::string_view::npos && open > 0;
       open = shapes.rfind('[', open - 1)) {
    const std::string_view tensor = shapes.substr(open, shapes.find(']', open) - open + 1);
    if (std::count(tensor.begin(), tensor.end(), ',') + 1 >= kTensorDims) tensors.insert(tensor);
  }
}

// Of the outermost calls that have shapes: annotations and autograd's own functions have none.
Tensors tensorsOf(const RoleSide& side, const CallKeys& keys) {
  std::unordered_set<std::uint32_t> known;
  Tensors tensors;
  std::vector<std::uint32_t> open(side.nodes.begin(), side.nodes.end());
  while (!open.empty()) {
    const std::uint32_t node = open.back();
    open.pop_back();
    const CallKeys::Key& key = keys.at(side.calls.key[node]);
    if (known.insert(key.shapesId).second) addTensors(key.shapes, tensors);
    if (key.hasDims()) continue;
    const auto below = side.calls.children(node);
    open.insert(open.end(), below.begin(), below.end());
  }
  return tensors;
}

bool takeTheSameTensors(const RoleSide& base, const RoleSide& other, const CallKeys& keys) {
  const Tensors ofBase = tensorsOf(base, keys);
  const Tensors ofOther = tensorsOf(other, keys);
  return std::any_of(ofBase.begin(), ofBase.end(), [&](std::string_view tensor) { return ofOther.count(tensor) != 0; });
}

}  // namespace

RolePlace placeUnder(const CallKeys::Key& base, const CallKeys::Key& other) {
  if (base.name == kStepName && other.name == kStepName) return RolePlace::kStep;
  const bool isStage = base.isUserAnnotation && base.nameId == other.nameId;
  return isStage ? RolePlace::kStage : RolePlace::kCall;
}

bool isLandmark(const CallTree& calls, std::uint32_t node, const CallKeys& keys) {
  const CallKeys::Key& key = keys.at(calls.key[node]);
  return key.isUserAnnotation ? key.name != kStepName : calls.tree->nodes[node].isOperator;
}

RolePlace placeBetween(RolePlace inside, bool before, bool after) {
  if (before && after) return std::max(inside, RolePlace::kBetween);
  return before || after ? std::max(inside, RolePlace::kBeside) : inside;
}

bool isOneRole(const RoleSide& base, const RoleSide& other, const CallKeys& keys, RolePlace place) {
  if (place == RolePlace::kStage) return true;
  if (!hasFewNames(base, keys) && !hasFewNames(other, keys)) return false;
  if (place >= RolePlace::kBetween) return true;
  // Open at one end: a step that does one small thing, or the last thing of a program.
  const bool areFew = std::max(base.nodes.size(), other.nodes.size()) <= kFewCalls;
  if (place != RolePlace::kNowhere && areFew) return true;
  return takeTheSameTensors(base, other, keys);
}

}  // namespace attnscope
