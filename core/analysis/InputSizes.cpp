// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/InputSizes.h"

#include <algorithm>
#include <charconv>

namespace attnscope {

std::vector<std::vector<std::int64_t>> inputSizes(std::string_view inputDims) {
  std::vector<std::vector<std::int64_t>> inputs;
  int depth = 0;
  for (std::size_t i = 0; i < inputDims.size();) {
    const char c = inputDims[i];
    if (c == '[') {
      if (++depth == 2) inputs.emplace_back();
    } else if (c == ']') {
      --depth;
    } else if (depth == 2 && (c == '-' || (c >= '0' && c <= '9'))) {
      std::int64_t value = 0;
      const auto read = std::from_chars(inputDims.data() + i, inputDims.data() + inputDims.size(), value);
      if (read.ec == std::errc() && !inputs.empty()) inputs.back().push_back(value);
      i = std::max(i + 1, static_cast<std::size_t>(read.ptr - inputDims.data()));
      continue;
    }
    ++i;
  }
  return inputs;
}

std::int64_t elementsOf(const std::vector<std::int64_t>& sizes) {
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  std::int64_t elements = 1;
  for (const std::int64_t size : sizes) {
    if (size < 0 || (size > 0 && elements > kMost / size)) return 0;
    elements *= size;
  }
  return elements;
}

}  // namespace attnscope
