// SPDX-License-Identifier: Apache-2.0
#include "core/index/NameIndex.h"

#include <algorithm>

namespace attnscope {

NameIndex NameIndex::build(std::span<const StringId> names, std::span<const std::int64_t> startNs,
                           std::size_t nameCount) {
  NameIndex result;
  result.m_begin.assign(nameCount + 1, 0);
  for (const StringId name : names) {
    if (name != kNoString) ++result.m_begin[index(name) + 1];
  }
  for (std::size_t name = 0; name < nameCount; ++name) result.m_begin[name + 1] += result.m_begin[name];
  result.m_slices.resize(result.m_begin.back());
  std::vector<std::uint32_t> next(result.m_begin.begin(), result.m_begin.end() - 1);
  for (std::size_t slice = 0; slice < names.size(); ++slice) {
    if (names[slice] == kNoString) continue;
    result.m_slices[next[index(names[slice])]++] = SliceId{static_cast<std::uint32_t>(slice)};
  }
  // Rows are sorted by start, so that a name of one row already is.
  const auto isEarlier = [&](SliceId left, SliceId right) { return startNs[index(left)] < startNs[index(right)]; };
  for (std::size_t name = 0; name < nameCount; ++name) {
    const auto begin = result.m_slices.begin() + result.m_begin[name];
    const auto end = result.m_slices.begin() + result.m_begin[name + 1];
    if (!std::is_sorted(begin, end, isEarlier)) std::stable_sort(begin, end, isEarlier);
  }
  return result;
}

std::span<const SliceId> NameIndex::of(StringId name) const {
  if (name == kNoString || index(name) + 1 >= m_begin.size()) return {};
  const std::uint32_t begin = m_begin[index(name)];
  return std::span(m_slices).subspan(begin, m_begin[index(name) + 1] - begin);
}

std::size_t NameIndex::bytes() const {
  return m_begin.size() * sizeof(m_begin[0]) + m_slices.size() * sizeof(m_slices[0]);
}

std::size_t countStarting(std::span<const SliceId> sorted, std::span<const std::int64_t> startNs, std::int64_t fromNs,
                          std::int64_t toNs) {
  if (toNs <= fromNs) return 0;
  const auto isBefore = [&](SliceId slice, std::int64_t ns) { return startNs[index(slice)] < ns; };
  const auto first = std::lower_bound(sorted.begin(), sorted.end(), fromNs, isBefore);
  const auto last = std::lower_bound(first, sorted.end(), toNs, isBefore);
  return static_cast<std::size_t>(last - first);
}

}  // namespace attnscope
