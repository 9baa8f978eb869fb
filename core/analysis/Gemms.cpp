// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/Gemms.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "core/analysis/InputSizes.h"

namespace attnscope {

namespace {

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

std::string_view layoutOfWord(std::string_view word) {
  static constexpr std::array<std::string_view, 4> kLayouts = {"nn", "nt", "tn", "tt"};
  // nvjet names the layout of the result as well: TNT.
  if (word.size() != 2 && !(word.size() == 3 && word[0] < 'a' && word[2] < 'a')) return {};
  for (const std::string_view layout : kLayouts) {
    const auto isSame = [](char a, char b) { return a == b || a - 'A' + 'a' == b; };
    const bool isThird = word.size() == 2 || word[2] == 'N' || word[2] == 'T';
    if (isThird && isSame(word[0], layout[0]) && isSame(word[1], layout[1])) return layout;
  }
  return {};
}

}  // namespace

GemmSizes gemmSizes(std::string_view operatorName, std::string_view inputDims) {
  const auto inputs = inputSizes(inputDims);
  const bool isLinear = operatorName == "aten::linear";
  const bool isBatched = operatorName == "aten::bmm" || operatorName == "aten::baddbmm";
  const bool hasAddend = operatorName == "aten::addmm" || operatorName == "aten::baddbmm";
  if (!isLinear && !isBatched && !hasAddend && operatorName != "aten::mm") return {};
  const std::size_t at = hasAddend ? 1 : 0;
  if (inputs.size() < at + 2) return {};
  const std::vector<std::int64_t>& left = inputs[at];
  const std::vector<std::int64_t>& right = inputs[at + 1];
  if (isLinear) {
    if (left.empty() || right.size() != 2 || left.back() <= 0) return {};
    return {1, elementsOf(left) / left.back(), left.back(), right[0]};
  }
  const std::size_t dims = isBatched ? 3 : 2;
  if (left.size() != dims || right.size() != dims || left[dims - 1] != right[dims - 2]) return {};
  return {isBatched ? left[0] : 1, left[dims - 2], left[dims - 1], right[dims - 1]};
}

std::vector<GemmGroup> gemmGroups(const Trace& trace, TimeRange scope) {
  std::map<std::pair<StringId, StringId>, GemmGroup> byCall;  // operator and its sizes
  for (std::size_t i = 0; i < trace.deviceWork.size(); ++i) {
    const SliceId kernel = trace.deviceWork.slice[i];
    const SliceId by = trace.deviceWork.launchOperator[i];
    if (by == kNoSlice || trace.slices.kind[index(kernel)] != WorkKind::kGemm) continue;
    if (trace.slices.categoryClass[index(kernel)] != CategoryClass::kKernel) continue;
    if (!scope.contains(trace.slices.startNs[index(kernel)])) continue;
    const StringId dims = trace.slices.inputDims[index(by)];
    if (dims == kNoString) continue;
    const auto [at, isNew] = byCall.try_emplace({trace.slices.name[index(by)], dims});
    GemmGroup& group = at->second;
    if (isNew) {
      group.name = trace.slices.name[index(by)];
      group.sizes = gemmSizes(trace.strings.view(group.name), trace.strings.view(dims));
    }
    group.deviceNs += trace.slices.durationNs[index(kernel)];
    group.kernels.push_back(kernel);
    group.operators.push_back(by);
  }
  std::vector<GemmGroup> groups;
  for (auto& [call, group] : byCall) {
    if (!group.sizes.isKnown()) continue;
    std::sort(group.operators.begin(), group.operators.end(), [&](SliceId a, SliceId b) {
      const std::int64_t startA = trace.slices.startNs[index(a)];
      const std::int64_t startB = trace.slices.startNs[index(b)];
      return startA != startB ? startA < startB : a < b;
    });
    group.operators.erase(std::unique(group.operators.begin(), group.operators.end()), group.operators.end());
    groups.push_back(std::move(group));
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const GemmGroup& a, const GemmGroup& b) { return a.deviceNs > b.deviceNs; });
  return groups;
}

std::string_view gemmLayout(std::string_view kernelName) {
  if (kernelName.find("cudnn") != std::string_view::npos) return {};  // a convolution, whose letters say other things
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kTensile = {
      {{"Ailk_Bljk", "nn"}, {"Ailk_Bjlk", "nt"}, {"Alik_Bljk", "tn"}, {"Alik_Bjlk", "tt"}}};
  for (const auto& [words, layout] : kTensile) {
    if (kernelName.find(words) != std::string_view::npos) return layout;
  }
  for (std::size_t i = 0; i < kernelName.size();) {
    std::size_t end = i;
    while (end < kernelName.size() && isLetter(kernelName[end])) ++end;
    if (const std::string_view layout = layoutOfWord(kernelName.substr(i, end - i)); !layout.empty()) return layout;
    i = end + 1;
  }
  return {};
}

}  // namespace attnscope
