// SPDX-License-Identifier: Apache-2.0
#pragma once

// A run's host calls as matching looks at them: the part of the operator tree that takes part in a scope, with keys
// that are the same number in every run where name and input shapes read the same. Values; O(n) in the tree.

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/analysis/Operators.h"
#include "core/base/TimeRange.h"

namespace attnscope {

// Name, input shapes and whether it is an annotation, as numbers that all runs of a comparison share.
class CallKeys {
 public:
  struct Key {
    std::string name;    // operatorName()
    std::string shapes;  // operatorShapes(); empty where runs are matched by name alone
    bool isUserAnnotation = false;
    std::uint32_t nameId = 0;  // equal for equal names
    std::uint32_t shapesId = 0;
    // A tensor with dims is among the inputs: annotations, and where nothing was recorded, are "[]".
    [[nodiscard]] bool hasDims() const { return shapes.find_first_of("0123456789") != std::string::npos; }
  };
  std::uint32_t idOf(std::string name, std::string shapes, bool isUserAnnotation);
  [[nodiscard]] const Key& at(std::uint32_t id) const { return m_keys[id]; }
  [[nodiscard]] std::size_t size() const { return m_keys.size(); }

 private:
  std::uint32_t textId(const std::string& text);

  std::vector<Key> m_keys;
  std::unordered_map<std::uint64_t, std::uint32_t> m_ids;
  std::unordered_map<std::string, std::uint32_t> m_texts;
};

enum class ShapeUse : std::uint8_t { kMatch, kIgnore };

struct CallTree {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  struct Thread {
    std::vector<std::uint32_t> roots;
    std::uint64_t calls = 0;
  };
  const OperatorTree* tree = nullptr;
  std::vector<bool> takesPart;            // by node: starts in the scope, or has device work or such a call under it
  std::vector<std::uint32_t> key;         // by node, of CallKeys
  std::vector<std::uint64_t> structure;   // by node: equal where shapes and what is below are, whatever the names
  std::vector<bool> isBareLeaf;           // by node: nothing below it and no shapes, so its structure says nothing
  std::vector<std::uint32_t> firstChild;  // by node, into `childList`; one more than there are nodes
  std::vector<std::uint32_t> childList;   // of nodes that take part, in order
  std::vector<Thread> threads;            // the one with most calls first

  [[nodiscard]] std::span<const std::uint32_t> children(std::uint32_t node) const {
    return std::span(childList).subspan(firstChild[node], firstChild[node + 1] - firstChild[node]);
  }
};

// `deviceOfNode`: device time in the scope by node, so that calls from before it keep their kernels.
[[nodiscard]] CallTree callTree(const Trace& trace, const OperatorTree& tree, TimeRange scope,
                                std::span<const std::int64_t> deviceOfNode, ShapeUse shapes, CallKeys& keys);

}  // namespace attnscope
