// SPDX-License-Identifier: Apache-2.0
// Builder step: stack frames of the file become a forest, and slices point into it.
#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/trace/ArgsText.h"
#include "core/trace/BuilderState.h"

namespace attnscope {

namespace {

class StackKeeper {
 public:
  explicit StackKeeper(BuilderState& state)
      : m_state(state), m_strings(state.trace->strings), m_table(state.trace->stacks) {}

  void run() {
    addFrames();
    for (const RawBlock& block : m_state.raw.blocks)
      for (const RawStack& stack : block.stacks) add(stack);
    publish();
    TraceHealth& health = m_state.raw.health;
    health.note("stack.cycle", Severity::kRepaired,
                "Stack frames that are among their own callers; the circle was cut there.", m_cycles);
    health.note("stack.unknown-frame", Severity::kLost,
                "Stack frames that are named and not defined; their stacks end before them.", m_unknown,
                TraceHealth::kNowhere, m_firstUnknown);
  }

 private:
  static constexpr std::string_view kNoId = "0";  // of recorders that number frames from 1

  void addFrames() {
    for (const RawFrame& frame : m_state.raw.frames) {
      const auto [place, added] = m_byId.try_emplace(frame.id, static_cast<std::uint32_t>(m_table.frameName.size()));
      if (!added) continue;
      append(m_strings.intern(frame.name), frame.category.empty() ? kNoString : m_strings.intern(frame.category));
    }
    for (const RawFrame& frame : m_state.raw.frames) {
      if (frame.parent.empty()) continue;
      const std::uint32_t child = m_byId.at(frame.id);
      const auto parent = m_byId.find(frame.parent);
      if (parent != m_byId.end()) {
        m_table.frameParent[child] = parent->second;
      } else if (frame.parent != kNoId) {
        ++m_unknown;
      }
    }
    cutCycles();
  }

  std::uint32_t append(StringId name, StringId category) {
    m_table.frameName.push_back(name);
    m_table.frameCategory.push_back(category);
    m_table.frameParent.push_back(kNoFrame);
    return static_cast<std::uint32_t>(m_table.frameName.size() - 1);
  }

  // Each frame is walked once: a walk ends at what an earlier one has seen, or at itself.
  void cutCycles() {
    std::vector<std::uint32_t> walk(m_table.frameName.size(), kNoFrame);
    for (std::uint32_t first = 0; first < walk.size(); ++first) {
      std::uint32_t last = kNoFrame;
      for (std::uint32_t at = first; at != kNoFrame; last = at, at = m_table.frameParent[at]) {
        if (walk[at] == first) {
          m_table.frameParent[last] = kNoFrame;
          ++m_cycles;
        }
        if (walk[at] != kNoFrame) break;
        walk[at] = first;
      }
    }
  }

  void add(const RawStack& stack) {
    const auto paired = m_state.beginOfEnd.find(stack.order);
    const bool isEnd = paired != m_state.beginOfEnd.end();
    const std::uint32_t slice = m_state.sliceOfOrder[isEnd ? paired->second : stack.order];
    if (slice == kNone) return;  // of an instant, an arrow or a stray end
    const std::uint32_t begin = frameOf(stack.begin, stack.beginIsList, stack.order);
    const std::uint32_t end = frameOf(stack.end, stack.endIsList, stack.order);
    // The stack of an end event is one of the slice's end, however it is spelt.
    if (isEnd) {
      m_rows.push_back({slice, kNoFrame, end != kNoFrame ? end : begin});
    } else {
      m_rows.push_back({slice, begin, end});
    }
  }

  std::uint32_t frameOf(std::uint32_t text, bool isList, std::uint32_t order) {
    if (text == kNone) return kNoFrame;
    const std::string written(m_strings.view(StringId{text}));
    if (isList) return frameOfList(written);
    const auto known = m_byId.find(written);
    if (known != m_byId.end()) return known->second;
    if (written == kNoId) return kNoFrame;
    ++m_unknown;
    m_firstUnknown = std::min<std::uint64_t>(m_firstUnknown, order);
    return kNoFrame;
  }

  // Lists have no ids: frames of one name and caller are one.
  std::uint32_t frameOfList(const std::string& list) {
    const auto known = m_byList.find(list);
    if (known != m_byList.end()) return known->second;
    const std::vector<std::string_view> frames = arrayElements(list);
    std::uint32_t outer = kNoFrame;
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
      const StringId name = m_strings.intern(decodeText(*frame));
      const auto [place, added] = m_byCaller.try_emplace({outer, name}, kNoFrame);
      if (added) {
        place->second = append(name, kNoString);
        m_table.frameParent[place->second] = outer;
      }
      outer = place->second;
    }
    return m_byList.emplace(list, outer).first->second;
  }

  void publish() {
    std::stable_sort(m_rows.begin(), m_rows.end(), [](const Row& a, const Row& b) { return a.slice < b.slice; });
    for (const Row& row : m_rows) {
      if (row.begin == kNoFrame && row.end == kNoFrame) continue;
      if (m_table.slice.empty() || m_table.slice.back() != SliceId{row.slice}) {
        m_table.slice.push_back(SliceId{row.slice});
        m_table.atBegin.push_back(kNoFrame);
        m_table.atEnd.push_back(kNoFrame);
      }
      if (row.begin != kNoFrame) m_table.atBegin.back() = row.begin;
      if (row.end != kNoFrame) m_table.atEnd.back() = row.end;
    }
  }

  struct Row {
    std::uint32_t slice;
    std::uint32_t begin;
    std::uint32_t end;
  };

  BuilderState& m_state;
  StringPool& m_strings;
  StackTable& m_table;
  std::unordered_map<std::string, std::uint32_t> m_byId;
  std::unordered_map<std::string, std::uint32_t> m_byList;
  std::map<std::pair<std::uint32_t, StringId>, std::uint32_t> m_byCaller;
  std::vector<Row> m_rows;
  std::uint64_t m_cycles = 0;
  std::uint64_t m_unknown = 0;
  std::uint64_t m_firstUnknown = TraceHealth::kNowhere;
};

}  // namespace

void keepStacks(BuilderState& state) { StackKeeper(state).run(); }

}  // namespace attnscope
