// SPDX-License-Identifier: Apache-2.0
#pragma once

// The fastest that one thread of this CPU multiplies and adds in its widest registers: what no kernel exceeds, however
// good. Matrix units are not in it. Knows no LibTorch.

#include <cstdint>

namespace attnscope::engine {

// FLOPs that multiplyAdd(rounds) makes.
[[nodiscard]] std::int64_t multiplyAddFlops(std::int64_t rounds);
// float32, in AVX-512 or AVX2 as the CPU has it; 0 where it has neither, and nothing is done.
std::int64_t multiplyAdd(std::int64_t rounds);

}  // namespace attnscope::engine
