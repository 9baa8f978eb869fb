// SPDX-License-Identifier: Apache-2.0
#include "core/compare/CallTree.h"

#include <algorithm>
#include <utility>

namespace attnscope {

namespace {

std::uint64_t mixed(std::uint64_t seed, std::uint64_t value) {
  // The finisher of SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
  std::uint64_t z = seed * 0x9E3779B97F4A7C15u + value;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

void chooseNodes(CallTree& calls, const Trace& trace, TimeRange scope, std::span<const std::int64_t> deviceOfNode) {
  const auto& nodes = calls.tree->nodes;
  calls.takesPart.assign(nodes.size(), false);
  for (std::size_t i = nodes.size(); i-- > 0;) {  // children stand after their parents
    if (trace.slices.categoryClass[index(nodes[i].slice)] == CategoryClass::kOverhead && !calls.takesPart[i]) continue;
    if (scope.contains(trace.slices.startNs[index(nodes[i].slice)]) || deviceOfNode[i] != 0) calls.takesPart[i] = true;
    if (calls.takesPart[i] && nodes[i].parent != OperatorNode::kNone) calls.takesPart[nodes[i].parent] = true;
  }
}

void nameNodes(CallTree& calls, const Trace& trace, ShapeUse use, CallKeys& keys) {
  const auto& nodes = calls.tree->nodes;
  calls.key.assign(nodes.size(), CallTree::kNone);
  calls.isBareLeaf.assign(nodes.size(), false);
  std::unordered_map<std::uint64_t, std::uint32_t> known;  // name and dims of this trace
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!calls.takesPart[i]) continue;
    const OperatorNode& node = nodes[i];
    const StringId dims = use == ShapeUse::kMatch ? trace.slices.inputDims[index(node.slice)] : kNoString;
    const std::uint64_t pair = (static_cast<std::uint64_t>(node.name) << 32 | static_cast<std::uint64_t>(dims)) ^
                               (node.isUserAnnotation ? 1ull << 63 : 0);
    auto entry = known.find(pair);
    if (entry == known.end()) {
      std::string shapes = use == ShapeUse::kMatch ? operatorShapes(trace.strings.view(dims)) : std::string();
      const std::uint32_t id =
          keys.idOf(operatorName(trace, *calls.tree, node.name), std::move(shapes), node.isUserAnnotation);
      entry = known.emplace(pair, id).first;
    }
    calls.key[i] = entry->second;
    calls.isBareLeaf[i] = dims == kNoString;
  }
}

void linkChildren(CallTree& calls) {
  const auto& nodes = calls.tree->nodes;
  calls.firstChild.assign(nodes.size() + 1, 0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (calls.takesPart[i] && nodes[i].parent != OperatorNode::kNone) ++calls.firstChild[nodes[i].parent + 1];
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) calls.firstChild[i + 1] += calls.firstChild[i];
  calls.childList.resize(calls.firstChild.back());
  std::vector<std::uint32_t> next(calls.firstChild.begin(), calls.firstChild.end() - 1);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!calls.takesPart[i] || nodes[i].parent == OperatorNode::kNone) continue;
    calls.childList[next[nodes[i].parent]++] = static_cast<std::uint32_t>(i);
  }
}

void hashStructure(CallTree& calls, const CallKeys& keys) {
  const std::size_t count = calls.tree->nodes.size();
  calls.structure.assign(count, 0);
  for (std::size_t i = count; i-- > 0;) {
    if (!calls.takesPart[i]) continue;
    std::uint64_t hash = mixed(1, keys.at(calls.key[i]).shapesId);
    const auto children = calls.children(static_cast<std::uint32_t>(i));
    for (const std::uint32_t child : children) hash = mixed(hash, calls.structure[child]);
    calls.structure[i] = hash;
    if (!children.empty()) calls.isBareLeaf[i] = false;
  }
}

void gatherThreads(CallTree& calls, const Trace& trace) {
  const auto& nodes = calls.tree->nodes;
  std::unordered_map<std::uint32_t, std::size_t> threadOf;
  std::vector<std::uint32_t> rootThread(nodes.size(), CallTree::kNone);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!calls.takesPart[i]) continue;
    if (nodes[i].parent != OperatorNode::kNone) {
      rootThread[i] = rootThread[nodes[i].parent];
    } else {
      const auto track = static_cast<std::uint32_t>(trace.slices.track[index(nodes[i].slice)]);
      const auto [entry, added] = threadOf.emplace(track, calls.threads.size());
      if (added) calls.threads.emplace_back();
      rootThread[i] = static_cast<std::uint32_t>(entry->second);
      calls.threads[entry->second].roots.push_back(static_cast<std::uint32_t>(i));
    }
    ++calls.threads[rootThread[i]].calls;
  }
  std::stable_sort(calls.threads.begin(), calls.threads.end(),
                   [](const CallTree::Thread& a, const CallTree::Thread& b) { return a.calls > b.calls; });
}

}  // namespace

std::uint32_t CallKeys::textId(const std::string& text) {
  return m_texts.emplace(text, static_cast<std::uint32_t>(m_texts.size())).first->second;
}

std::uint32_t CallKeys::idOf(std::string name, std::string shapes, bool isUserAnnotation) {
  const std::uint32_t nameId = textId(name) * 2 + (isUserAnnotation ? 1 : 0);
  const std::uint32_t shapesId = textId(shapes);
  const auto [entry, added] =
      m_ids.emplace(static_cast<std::uint64_t>(nameId) << 32 | shapesId, static_cast<std::uint32_t>(m_keys.size()));
  if (added) m_keys.push_back({std::move(name), std::move(shapes), isUserAnnotation, nameId, shapesId});
  return entry->second;
}

CallTree callTree(const Trace& trace, const OperatorTree& tree, TimeRange scope,
                  std::span<const std::int64_t> deviceOfNode, ShapeUse shapes, CallKeys& keys) {
  CallTree calls;
  calls.tree = &tree;
  chooseNodes(calls, trace, scope, deviceOfNode);
  nameNodes(calls, trace, shapes, keys);
  linkChildren(calls);
  hashStructure(calls, keys);
  gatherThreads(calls, trace);
  return calls;
}

}  // namespace attnscope
