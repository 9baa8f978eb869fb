// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace attnscope {

// Sorts by an unsigned number of each item; stable. Digits of 11 bits are counted into place from the lowest up, as
// many as the numbers differ in: O(n) for each. What is sorted already is left as it is.
template <class Item, class Number>
void sortByNumber(std::vector<Item>& items, Number number) {
  constexpr std::size_t kFew = 2048;
  constexpr unsigned kBits = 11;
  constexpr std::uint64_t kDigits = std::uint64_t{1} << kBits;
  const auto less = [&](const Item& a, const Item& b) { return number(a) < number(b); };
  if (items.size() < kFew) {
    std::stable_sort(items.begin(), items.end(), less);
    return;
  }
  if (std::is_sorted(items.begin(), items.end(), less)) return;
  std::uint64_t low = UINT64_MAX;
  std::uint64_t high = 0;
  for (const Item& item : items) {
    low = std::min<std::uint64_t>(low, number(item));
    high = std::max<std::uint64_t>(high, number(item));
  }
  std::vector<Item> other(items.size());
  const unsigned width = static_cast<unsigned>(std::bit_width(high - low));
  for (unsigned shift = 0; shift < width; shift += kBits) {
    const auto digit = [&](const Item& item) { return ((number(item) - low) >> shift) & (kDigits - 1); };
    std::array<std::size_t, kDigits> place{};
    for (const Item& item : items) ++place[digit(item)];
    std::size_t sum = 0;
    for (std::size_t& count : place) {
      const std::size_t first = sum;
      sum += count;
      count = first;
    }
    for (const Item& item : items) other[place[digit(item)]++] = item;
    items.swap(other);
  }
}

}  // namespace attnscope
