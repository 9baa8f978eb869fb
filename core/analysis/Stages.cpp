// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/Stages.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace attnscope {

namespace {

constexpr std::size_t kLongestName = 32;

struct Acronym {
  std::string_view plain;
  std::string_view written;  // as long
};
constexpr Acronym kAcronyms[] = {{"q", "Q"},     {"k", "K"},     {"v", "V"},     {"kv", "KV"},     {"qk", "QK"},
                                 {"qkv", "QKV"}, {"lm", "LM"},   {"mlp", "MLP"}, {"ffn", "FFN"},   {"moe", "MoE"},
                                 {"mla", "MLA"}, {"gqa", "GQA"}, {"rms", "RMS"}, {"rope", "RoPE"}, {"sdpa", "SDPA"}};

// Programs name stages by words; names with other characters are of tools ("ProfilerStep#3", "## Call Graph ##").
bool isStageName(std::string_view name) {
  const auto isOfWords = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == ' ';
  };
  return !name.empty() && name.size() <= kLongestName && std::all_of(name.begin(), name.end(), isOfWords);
}

// The innermost annotation around a slice, or for work of a device around what launched it.
SliceId annotationAround(const Trace& trace, SliceId slice) {
  const SliceTable& table = trace.slices;
  SliceId at = table.parent[index(slice)];
  if (const auto row = trace.deviceWork.find(slice)) {
    const SliceId launch = trace.deviceWork.launch[*row];
    at = launch != kNoSlice ? launch : trace.deviceWork.launchOperator[*row];
  }
  while (at != kNoSlice && table.categoryClass[index(at)] != CategoryClass::kUserAnnotation) {
    at = table.parent[index(at)];
  }
  return at;
}

}  // namespace

std::vector<StagedSlice> stagedWork(const Trace& trace, std::span<const SliceId> work) {
  std::vector<StagedSlice> staged;
  std::unordered_map<SliceId, double> workNs;  // by annotation; no integer: the times of a hostile file exceed one
  for (const SliceId slice : work) {
    const SliceId stage = annotationAround(trace, slice);
    if (stage == kNoSlice || !isStageName(trace.name(stage))) continue;
    staged.push_back({slice, stage});
    workNs[stage] += static_cast<double>(trace.slices.durationNs[index(slice)]);
  }
  std::erase_if(staged, [&](const StagedSlice& each) {
    return 2.0 * static_cast<double>(trace.slices.durationNs[index(each.slice)]) < workNs[each.stage];
  });
  return staged;
}

std::string stageWords(std::string_view name) {
  std::string words(name);
  std::replace(words.begin(), words.end(), '_', ' ');
  for (std::size_t begin = 0; begin < words.size();) {
    const std::size_t end = std::min(words.find(' ', begin), words.size());
    for (const auto& [plain, written] : kAcronyms)
      if (std::string_view(words).substr(begin, end - begin) == plain) words.replace(begin, plain.size(), written);
    begin = end + 1;
  }
  if (!words.empty() && words.front() >= 'a' && words.front() <= 'z')
    words.front() = static_cast<char>(words.front() - 'a' + 'A');
  return words;
}

}  // namespace attnscope
