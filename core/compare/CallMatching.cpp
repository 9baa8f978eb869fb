// SPDX-License-Identifier: Apache-2.0
#include "core/compare/CallMatching.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

#include "core/compare/RoleEvidence.h"
#include "core/compare/SequenceAlignment.h"

namespace attnscope {

namespace {

constexpr std::uint32_t kNone = CallMatching::kNone;
constexpr std::size_t kAlignmentBudget = 200'000'000;  // comparisons that one list of children may cost

std::int32_t differencesAllowed(std::size_t calls) {
  return static_cast<std::int32_t>(
      std::clamp<std::size_t>(kAlignmentBudget / std::max<std::size_t>(calls, 1), 32, 2000));
}

using Calls = std::vector<std::uint32_t>;
using CallsView = std::span<const std::uint32_t>;
using KeyCounts = std::unordered_map<std::uint32_t, std::uint64_t>;

// Calls left between matched neighbours under matched parents.
struct Gap {
  Calls base;
  Calls other;
  RolePlace place = RolePlace::kNowhere;
};

// Lists of children to be aligned.
struct Pending {
  CallsView base;
  CallsView other;
  MatchKind kind;    // of equal calls in it
  RolePlace inside;  // of calls without matched neighbours
};

class Matcher {
 public:
  Matcher(const CallTree& base, const CallTree& other, const CallKeys& keys, const std::stop_token& stop)
      : m_base(base), m_other(other), m_keys(keys), m_stop(stop) {
    m_result.linkOfBase.assign(base.tree->nodes.size(), kNone);
    m_result.linkOfOther.assign(other.tree->nodes.size(), kNone);
  }

  CallMatching run() {
    alignThreads();
    matchBySignature();
    matchByRole();
    return std::move(m_result);
  }

 private:
  void alignThreads();
  void alignPending();
  void align(const Pending& pending);
  void matchBySignature();
  void matchByRole();
  void pairInGap(const Gap& gap);
  void pairByStructure(CallsView base, CallsView other, RolePlace place);
  void pairRest(CallsView base, CallsView other, RolePlace place);
  [[nodiscard]] std::vector<bool> landmarksAfter(const Pending& pending, const SequenceMatches& matches) const;
  [[nodiscard]] bool isLandmark(std::uint32_t base) const { return attnscope::isLandmark(m_base, base, m_keys); }
  void linkTogether(CallsView base, CallsView other);
  void takeWithBelow(const CallTree& tree, std::uint32_t call, std::vector<std::uint32_t>& linkOf, std::uint32_t link);
  // Pairs the calls whose keys align and hands what is between them to `rest`.
  template <class Keys, class Rest>
  void pairByKeys(CallsView base, CallsView other, RolePlace place, const Keys& keysOf, const Rest& rest);

  // One to one; their children are aligned later.
  void link(std::uint32_t base, std::uint32_t other, MatchKind kind) {
    const auto id = static_cast<std::uint32_t>(m_result.links.size());
    m_result.links.push_back({kind, base});
    m_result.linkOfBase[base] = id;
    m_result.linkOfOther[other] = id;
    const MatchKind below = kind == MatchKind::kSignature ? MatchKind::kSignature : MatchKind::kExact;
    const CallsView baseChildren = m_base.children(base);
    const CallsView otherChildren = m_other.children(other);
    if (baseChildren.empty() && otherChildren.empty()) return;
    m_pending.push_back(
        {baseChildren, otherChildren, below, placeUnder(m_keys.at(m_base.key[base]), m_keys.at(m_other.key[other]))});
  }
  [[nodiscard]] bool isFreeBase(std::uint32_t call) const { return m_result.linkOfBase[call] == kNone; }
  [[nodiscard]] bool isFreeOther(std::uint32_t call) const { return m_result.linkOfOther[call] == kNone; }

  const CallTree& m_base;
  const CallTree& m_other;
  const CallKeys& m_keys;
  const std::stop_token& m_stop;
  CallMatching m_result;
  std::vector<Pending> m_pending;
  std::vector<Gap> m_gaps;
  std::vector<std::uint32_t> m_baseKeys;
  std::vector<std::uint32_t> m_otherKeys;
};

// Calls of either thread that the other makes as well, by key.
std::uint64_t shared(const KeyCounts& base, const KeyCounts& other) {
  std::uint64_t sum = 0;
  for (const auto& [key, count] : base) {
    const auto found = other.find(key);
    if (found != other.end()) sum += std::min(count, found->second);
  }
  return sum;
}

KeyCounts keyCounts(const CallTree& tree, const CallTree::Thread& thread) {
  KeyCounts counts;
  Calls open = thread.roots;
  while (!open.empty()) {
    const std::uint32_t call = open.back();
    open.pop_back();
    ++counts[tree.key[call]];
    const CallsView below = tree.children(call);
    open.insert(open.end(), below.begin(), below.end());
  }
  return counts;
}

// Threads that share most calls first; those that share none by how much they call.
std::vector<std::pair<std::size_t, std::size_t>> pairThreads(const CallTree& base, const CallTree& other) {
  std::vector<KeyCounts> ofBase;
  std::vector<KeyCounts> ofOther;
  for (const CallTree::Thread& thread : base.threads) ofBase.push_back(keyCounts(base, thread));
  for (const CallTree::Thread& thread : other.threads) ofOther.push_back(keyCounts(other, thread));
  struct Candidate {
    std::uint64_t shared;
    std::size_t base, other;
  };
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < ofBase.size(); ++i) {
    for (std::size_t j = 0; j < ofOther.size(); ++j) candidates.push_back({shared(ofBase[i], ofOther[j]), i, j});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.shared > b.shared; });
  std::vector<bool> baseTaken(ofBase.size());
  std::vector<bool> otherTaken(ofOther.size());
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const Candidate& candidate : candidates) {
    if (baseTaken[candidate.base] || otherTaken[candidate.other]) continue;
    baseTaken[candidate.base] = otherTaken[candidate.other] = true;
    pairs.emplace_back(candidate.base, candidate.other);
  }
  for (std::size_t i = 0; i < ofBase.size(); ++i) {
    if (!baseTaken[i]) pairs.emplace_back(i, ofOther.size());
  }
  for (std::size_t j = 0; j < ofOther.size(); ++j) {
    if (!otherTaken[j]) pairs.emplace_back(ofBase.size(), j);
  }
  return pairs;
}

void Matcher::alignThreads() {
  for (const auto& [i, j] : pairThreads(m_base, m_other)) {
    const CallsView base = i < m_base.threads.size() ? CallsView(m_base.threads[i].roots) : CallsView();
    const CallsView other = j < m_other.threads.size() ? CallsView(m_other.threads[j].roots) : CallsView();
    m_pending.push_back({base, other, MatchKind::kExact, RolePlace::kNowhere});
    alignPending();
  }
}

void Matcher::alignPending() {
  while (!m_pending.empty() && !m_stop.stop_requested()) {
    const Pending next = m_pending.back();
    m_pending.pop_back();
    align(next);
  }
}

void Matcher::align(const Pending& pending) {
  const auto keysOf = [](const CallTree& tree, CallsView calls, std::vector<std::uint32_t>& keys) {
    keys.clear();
    for (const std::uint32_t call : calls) keys.push_back(tree.key[call]);
  };
  keysOf(m_base, pending.base, m_baseKeys);
  keysOf(m_other, pending.other, m_otherKeys);
  const SequenceMatches matches =
      alignSequences(m_baseKeys, m_otherKeys, differencesAllowed(m_baseKeys.size() + m_otherKeys.size()), m_stop);
  // Under matched calls the place is known without neighbours: most lists are such, and short.
  const bool needsLandmarks = pending.inside <= RolePlace::kStep;
  const std::vector<bool> after = needsLandmarks ? landmarksAfter(pending, matches) : std::vector<bool>();
  std::size_t i = 0;
  std::size_t j = 0;
  bool before = false;  // a matched landmark, with nothing but matched calls since
  const auto closeGap = [&](std::size_t baseEnd, std::size_t otherEnd, bool isBeforeLandmark) {
    if (i == baseEnd && j == otherEnd) return;
    const auto cut = [](CallsView calls, std::size_t from, std::size_t to) {
      const CallsView part = calls.subspan(from, to - from);
      return Calls(part.begin(), part.end());
    };
    m_gaps.push_back({cut(pending.base, i, baseEnd), cut(pending.other, j, otherEnd),
                      placeBetween(pending.inside, before, isBeforeLandmark)});
    before = false;
  };
  for (std::size_t match = 0; match < matches.size(); ++match) {
    const auto [a, b] = matches[match];
    closeGap(a, b, needsLandmarks && after[match]);
    link(pending.base[a], pending.other[b], pending.kind);
    before = needsLandmarks && (before || isLandmark(pending.base[a]));
    i = a + 1;
    j = b + 1;
  }
  closeGap(pending.base.size(), pending.other.size(), false);
}

// By match: whether it is a landmark, or one follows with nothing but matched calls between.
std::vector<bool> Matcher::landmarksAfter(const Pending& pending, const SequenceMatches& matches) const {
  std::vector<bool> after(matches.size(), false);
  for (std::size_t match = matches.size(); match-- > 0;) {
    const auto [a, b] = matches[match];
    const bool isFollowed = match + 1 < matches.size() && matches[match + 1].first == a + 1 &&
                            matches[match + 1].second == b + 1 && after[match + 1];
    after[match] = isFollowed || isLandmark(pending.base[a]);
  }
  return after;
}

// Free calls of one key, in order; those that were matched meanwhile are passed over.
class FreeCalls {
 public:
  FreeCalls(const CallTree& tree, const std::vector<std::uint32_t>& linkOf, std::size_t keyCount)
      : m_linkOf(linkOf), m_byKey(keyCount), m_next(keyCount, 0) {
    for (std::size_t call = 0; call < tree.key.size(); ++call) {
      if (tree.takesPart[call] && linkOf[call] == kNone) {
        m_byKey[tree.key[call]].push_back(static_cast<std::uint32_t>(call));
      }
    }
  }
  [[nodiscard]] std::uint32_t first(std::uint32_t key) {
    const Calls& calls = m_byKey[key];
    std::size_t& next = m_next[key];
    while (next < calls.size() && m_linkOf[calls[next]] != kNone) ++next;
    return next < calls.size() ? calls[next] : kNone;
  }

 private:
  const std::vector<std::uint32_t>& m_linkOf;
  std::vector<Calls> m_byKey;
  std::vector<std::size_t> m_next;
};

void Matcher::matchBySignature() {
  if (m_stop.stop_requested()) return;
  FreeCalls freeBase(m_base, m_result.linkOfBase, m_keys.size());
  FreeCalls freeOther(m_other, m_result.linkOfOther, m_keys.size());
  // Aligning what is below a match adds gaps; they are looked at as well.
  for (std::size_t i = 0; i < m_gaps.size() && !m_stop.stop_requested(); ++i) {
    for (std::size_t j = 0; j < m_gaps[i].base.size(); ++j) {
      const std::uint32_t call = m_gaps[i].base[j];
      if (!isFreeBase(call)) continue;
      const std::uint32_t partner = freeOther.first(m_base.key[call]);
      if (partner != kNone) link(call, partner, MatchKind::kSignature);
    }
    for (std::size_t j = 0; j < m_gaps[i].other.size(); ++j) {
      const std::uint32_t call = m_gaps[i].other[j];
      if (!isFreeOther(call)) continue;
      const std::uint32_t partner = freeBase.first(m_other.key[call]);
      if (partner != kNone) link(partner, call, MatchKind::kSignature);
    }
    alignPending();
  }
}

void Matcher::matchByRole() {
  for (std::size_t i = 0; i < m_gaps.size() && !m_stop.stop_requested(); ++i) {
    Gap gap;
    gap.place = m_gaps[i].place;
    for (const std::uint32_t call : m_gaps[i].base) {
      if (isFreeBase(call)) gap.base.push_back(call);
    }
    for (const std::uint32_t call : m_gaps[i].other) {
      if (isFreeOther(call)) gap.other.push_back(call);
    }
    if (gap.base.empty() || gap.other.empty()) continue;
    pairInGap(gap);
    alignPending();
  }
}

template <class Keys, class Rest>
void Matcher::pairByKeys(CallsView base, CallsView other, RolePlace place, const Keys& keysOf, const Rest& rest) {
  std::vector<std::uint32_t> baseKeys;
  std::vector<std::uint32_t> otherKeys;
  keysOf(m_base, base, baseKeys);
  keysOf(m_other, other, otherKeys);
  const SequenceMatches pairs =
      alignSequences(baseKeys, otherKeys, differencesAllowed(base.size() + other.size()), m_stop);
  // Where no neighbour says that it is the same program, half of the calls have to find their like.
  if (place <= RolePlace::kStep && 4 * pairs.size() < base.size() + other.size()) {
    rest(base, other, place);
    return;
  }
  std::size_t i = 0;
  std::size_t j = 0;
  const auto handRest = [&](std::size_t baseEnd, std::size_t otherEnd) {
    if (i == baseEnd || j == otherEnd) return;
    rest(base.subspan(i, baseEnd - i), other.subspan(j, otherEnd - j),
         placeBetween(place, i > 0, baseEnd < base.size()));
  };
  for (const auto& [a, b] : pairs) {
    handRest(a, b);
    link(base[a], other[b], MatchKind::kRole);
    i = a + 1;
    j = b + 1;
  }
  handRest(base.size(), other.size());
}

void Matcher::pairInGap(const Gap& gap) {
  const auto names = [this](const CallTree& tree, CallsView calls, std::vector<std::uint32_t>& keys) {
    for (const std::uint32_t call : calls) keys.push_back(m_keys.at(tree.key[call]).nameId);
  };
  pairByKeys(gap.base, gap.other, gap.place, names,
             [this](CallsView base, CallsView other, RolePlace place) { pairByStructure(base, other, place); });
}

void Matcher::pairByStructure(CallsView base, CallsView other, RolePlace place) {
  std::unordered_map<std::uint64_t, std::uint32_t> structures;
  std::uint32_t nextId = 0;
  // Bare leaves stand for one another only where all of both sides does.
  const bool leavesMatch =
      place > RolePlace::kStep && base.size() == other.size() &&
      std::equal(base.begin(), base.end(), other.begin(),
                 [this](std::uint32_t a, std::uint32_t b) { return m_base.structure[a] == m_other.structure[b]; });
  const auto byStructure = [&](const CallTree& tree, CallsView calls, std::vector<std::uint32_t>& keys) {
    for (const std::uint32_t call : calls) {
      // Where no neighbour says that it is the same program, neither does the form of a tree without shapes.
      const bool saysSomething =
          place > RolePlace::kStep ? !tree.isBareLeaf[call] : m_keys.at(tree.key[call]).hasDims();
      const bool isKnown = leavesMatch || saysSomething;
      keys.push_back(isKnown ? structures.emplace(tree.structure[call], nextId).first->second : nextId);
      ++nextId;
    }
  };
  pairByKeys(base, other, place, byStructure, [this](CallsView baseRest, CallsView otherRest, RolePlace restPlace) {
    pairRest(baseRest, otherRest, restPlace);
  });
}

void Matcher::pairRest(CallsView base, CallsView other, RolePlace place) {
  if (isOneRole({m_base, base}, {m_other, other}, m_keys, place)) linkTogether(base, other);
}

void Matcher::linkTogether(CallsView base, CallsView other) {
  const auto id = static_cast<std::uint32_t>(m_result.links.size());
  m_result.links.push_back({MatchKind::kRole, base.front()});
  for (const std::uint32_t call : base) takeWithBelow(m_base, call, m_result.linkOfBase, id);
  for (const std::uint32_t call : other) takeWithBelow(m_other, call, m_result.linkOfOther, id);
}

// The call and what is free below it.
void Matcher::takeWithBelow(const CallTree& tree, std::uint32_t call, std::vector<std::uint32_t>& linkOf,
                            std::uint32_t link) {
  Calls open{call};
  while (!open.empty()) {
    const std::uint32_t next = open.back();
    open.pop_back();
    if (linkOf[next] == kNone) linkOf[next] = link;
    const CallsView below = tree.children(next);
    open.insert(open.end(), below.begin(), below.end());
  }
}

}  // namespace

std::string_view toString(MatchKind kind) {
  switch (kind) {
    case MatchKind::kExact:
      return "exact";
    case MatchKind::kSignature:
      return "signature";
    case MatchKind::kRole:
      return "role";
    case MatchKind::kOnlyBase:
      return "only-base";
    case MatchKind::kOnlyOther:
      return "only-other";
  }
  return "exact";
}

CallMatching matchCalls(const CallTree& base, const CallTree& other, const CallKeys& keys,
                        const std::stop_token& stop) {
  return Matcher(base, other, keys, stop).run();
}

}  // namespace attnscope
