// SPDX-License-Identifier: Apache-2.0
#include "core/engine/kernels/Attention.h"

#include <algorithm>

namespace attnscope::kernels {

std::vector<KeyRange> causalRanges(std::int64_t queryLength, std::int64_t keyLength, Diagonal diagonal,
                                   std::int64_t window) {
  const std::int64_t shift = diagonal == Diagonal::kFromFirst ? 0 : keyLength - queryLength;
  std::vector<KeyRange> ranges(static_cast<std::size_t>(queryLength));
  for (std::int64_t query = 0; query < queryLength; ++query) {
    const std::int64_t end = query + shift + 1;  // on endless keys: a window is counted back from there
    const std::int64_t to = std::clamp<std::int64_t>(end, 0, keyLength);
    const std::int64_t from = window == 0 ? 0 : std::clamp<std::int64_t>(end - window, 0, to);
    ranges[static_cast<std::size_t>(query)] = {static_cast<std::int32_t>(from), static_cast<std::int32_t>(to)};
  }
  return ranges;
}

}  // namespace attnscope::kernels
