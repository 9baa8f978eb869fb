// SPDX-License-Identifier: Apache-2.0
#include "core/import/EventShapes.h"

#include <algorithm>
#include <cstring>

#include "core/import/JsonScan.h"

namespace attnscope {

void EventShapes::Seen::member(KeyMeaning key, bool inArgs, std::string_view value) {
  if (!inArgs) {
    // Of keys that stand twice the last one counts: nothing to make a layout of. Nor are stacks.
    const std::uint32_t bit = 1u << static_cast<unsigned>(key.event);
    if (key.event != EventKey::kOther && (m_keys & bit) != 0) m_usable = false;
    if (key.event >= EventKey::kFrame) m_usable = false;
    m_keys |= bit;
  }
  if (m_count == m_members.size()) {
    m_usable = false;
  } else {
    m_members[m_count++] = {key, inArgs, value};
  }
}

void EventShapes::Seen::args(const char* begin, const char* end) {
  if (m_argsBegin != nullptr || (m_keys >> static_cast<unsigned>(EventKey::kArgs) & 1) != 0) m_usable = false;
  m_keys |= 1u << static_cast<unsigned>(EventKey::kArgs);
  m_argsBegin = begin;
  m_argsEnd = end;
}

// Text of a step and what stands in it: members [firstFixed, value), and `value` behind it, if that is one.
struct EventShapes::Part {
  const char* begin = nullptr;
  const char* end = nullptr;
  std::size_t firstFixed = 0;
  std::size_t value = 0;
  [[nodiscard]] std::size_t length() const { return static_cast<std::size_t>(end - begin); }
};

void EventShapes::beginBlock() {
  for (Step& step : m_steps) {
    step.category = kNoCategory;
    step.thread = kNoThread;
  }
}

bool EventShapes::isFixed(const Seen::Member& member) const {
  constexpr std::size_t kLongestFixed = 24;
  if (member.inArgs || member.value.size() > kLongestFixed) return false;
  switch (member.key.event) {
    case EventKey::kPid:
    case EventKey::kTid:
      if (!m_threadsFixed) return false;
      break;
    case EventKey::kPhase:
    case EventKey::kCategory:
    case EventKey::kScope:
    case EventKey::kBindPoint:
      break;
    default:
      return false;
  }
  const bool number = member.value.find_first_not_of("0123456789") == std::string_view::npos;
  return number || (member.value.front() == '"' && member.value.find('\\') == std::string_view::npos);
}

// Args that nobody asks for go where unknown keys of the event do.
std::uint8_t EventShapes::slotOf(const Seen::Member& member) {
  if (!member.inArgs) return static_cast<std::uint8_t>(member.key.event);
  if (member.key.arg == ArgKey::kOther) return static_cast<std::uint8_t>(EventKey::kOther);
  return static_cast<std::uint8_t>(kFirstArg + static_cast<unsigned>(member.key.arg));
}

EventShapes::Step EventShapes::stepOf(const Part& part, const Seen& seen) {
  Step step;
  std::memcpy(step.text.data(), part.begin, part.length());
  step.length = static_cast<std::uint8_t>(part.length());
  step.care = part.length() == kLongest ? ~std::uint64_t{0} : (std::uint64_t{1} << part.length()) - 1;
  const auto offset = [&part](const char* at) { return static_cast<std::uint8_t>(at - part.begin); };
  if (seen.m_argsBegin != nullptr) {
    if (seen.m_argsBegin >= part.begin && seen.m_argsBegin < part.end) step.argsBegin = offset(seen.m_argsBegin);
    if (seen.m_argsEnd > part.begin && seen.m_argsEnd <= part.end) step.argsEnd = offset(seen.m_argsEnd);
  }
  for (std::size_t i = part.firstFixed; i < part.value; ++i) {
    const Seen::Member& member = seen.m_members[i];
    step.fixed[step.fixedCount++] = {member.key.event, offset(member.value.data()),
                                     static_cast<std::uint8_t>(member.value.size())};
  }
  const auto holds = [&step](EventKey key) {
    return std::any_of(step.fixed.begin(), step.fixed.end(), [key](const FixedValue& v) { return v.key == key; });
  };
  step.holdsCategory = holds(EventKey::kCategory);
  step.holdsThread = holds(EventKey::kPid) && holds(EventKey::kTid);
  step.ends = part.value == seen.m_count;
  if (!step.ends) step.slot = slotOf(seen.m_members[part.value]);
  step.holdsMore = step.fixedCount != 0 || step.argsBegin != kNowhere || step.argsEnd != kNowhere;
  return step;
}

EventShapes::StepId EventShapes::place(StepId at, const Part& part, const Seen& seen) {
  const std::string_view text(part.begin, part.length());
  std::size_t way = 0;
  for (; way < m_steps[at].next.size(); ++way) {
    const StepId id = m_steps[at].next[way];
    if (id == kRoot) break;
    if (std::string_view(m_steps[id].text.data(), m_steps[id].length) == text) return id;
  }
  const bool crowded = way == m_steps[at].next.size();
  if (m_steps.size() == kMostSteps || (crowded && m_threadsFixed)) {
    m_threadsFixed = m_threadsFixed && !crowded;
    forget();
    return kRoot;
  }
  if (crowded) --way;
  const auto id = static_cast<StepId>(m_steps.size());
  m_steps.push_back(stepOf(part, seen));
  m_steps[at].next[way] = id;
  return id;
}

void EventShapes::forget() {
  m_steps.assign(1, Step{});
  ++m_forgotten;
}

EventShapes::StepId EventShapes::learn(std::string_view event, const Seen& seen) {
  if (!seen.m_usable || m_forgotten == kMostFresh) return kRoot;
  StepId first = kRoot;
  StepId at = kRoot;
  const char* from = event.data();
  std::size_t open = 0;  // the first member that no step holds yet
  const auto near = [&](std::size_t value) { return seen.valueBegin(value) - from <= std::ptrdiff_t{kLongest}; };
  const auto stepTo = [&](std::size_t value, const char* end) {
    // The reader relies on it that a value ends where a step begins.
    if (first != kRoot && !scan::kScalarEnds.ends[static_cast<unsigned char>(*from)]) return false;
    at = place(at, {from, end, open, value}, seen);
    if (first == kRoot) first = at;
    if (at == kRoot || value == seen.m_count) return at != kRoot;
    from = seen.valueEnd(value);
    open = value + 1;
    return true;
  };
  for (std::size_t i = 0; i <= seen.m_count; ++i) {
    const bool ends = i == seen.m_count;
    if (!ends && isFixed(seen.m_members[i])) continue;
    const char* const to = ends ? event.data() + event.size() : seen.valueBegin(i);
    while (to - from > std::ptrdiff_t{kLongest}) {
      // The step ends at the last value before that is near enough, which is read as any other then.
      std::size_t value = i;
      while (value > open && !near(value - 1)) --value;
      if (value == open || !stepTo(value - 1, seen.valueBegin(value - 1))) return kRoot;
    }
    if (!stepTo(i, to)) return kRoot;
  }
  return first;
}

}  // namespace attnscope
