// SPDX-License-Identifier: Apache-2.0
#pragma once

// "Input Dims" in numbers. Pure; any thread; O(length).

#include <cstdint>
#include <string_view>
#include <vector>

namespace attnscope {

// A list of sizes, "[8, 16, 128, 64]"; those of each input of "Input Dims". Nothing of what is no list of numbers.
[[nodiscard]] std::vector<std::vector<std::int64_t>> inputSizes(std::string_view inputDims);

// The elements of a tensor of these sizes: 1 of none, 0 where a size is negative or the product exceeds 2^62.
[[nodiscard]] std::int64_t elementsOf(const std::vector<std::int64_t>& sizes);

}  // namespace attnscope
