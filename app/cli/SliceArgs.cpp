// SPDX-License-Identifier: Apache-2.0
#include "app/cli/SliceArgs.h"

#include <algorithm>
#include <numeric>

namespace attnscope::cli {

namespace {

constexpr std::uint64_t kWidestGap = 16 * 1024;  // between ranges that are read in one piece
constexpr std::uint64_t kLargestPiece = 4 * 1024 * 1024;

}  // namespace

std::vector<std::optional<std::string>> readArgs(const Trace& trace, const std::vector<TextRange>& ranges) {
  std::vector<std::optional<std::string>> texts(ranges.size());
  if (!trace.argsSource) return texts;
  std::vector<std::size_t> order(ranges.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  order.erase(std::remove_if(order.begin(), order.end(), [&](std::size_t i) { return ranges[i].length == 0; }),
              order.end());
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return ranges[a].begin < ranges[b].begin; });
  for (std::size_t first = 0; first < order.size();) {
    const std::uint64_t begin = ranges[order[first]].begin;
    std::uint64_t end = begin + ranges[order[first]].length;
    std::size_t last = first + 1;
    for (; last < order.size(); ++last) {
      const TextRange& next = ranges[order[last]];
      const std::uint64_t nextEnd = next.begin + next.length;
      if (next.begin > end + kWidestGap || nextEnd - begin > kLargestPiece) break;
      end = std::max(end, nextEnd);
    }
    const Result<std::string> piece = trace.argsSource->read({begin, static_cast<std::uint32_t>(end - begin)});
    for (std::size_t i = first; i < last; ++i) {
      const TextRange& range = ranges[order[i]];
      if (piece && piece->size() == end - begin) {
        texts[order[i]] = piece->substr(static_cast<std::size_t>(range.begin - begin), range.length);
      } else if (Result<std::string> alone = trace.argsSource->read(range)) {  // args the loader wrote lie apart
        texts[order[i]] = std::move(*alone);
      }
    }
    first = last;
  }
  return texts;
}

}  // namespace attnscope::cli
