// SPDX-License-Identifier: Apache-2.0
#pragma once

// The instructions that a kernel is built for. Each set has a translation unit of its own, compiled for it; which one
// runs is decided here, at run time.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace attnscope::kernels {

enum class Isa : std::uint8_t {
  kScalar,  // any CPU; what the others are tested against
  kAvx2,    // with FMA and F16C
  kAvx512,  // F, BW, DQ, VL
  kAmx,     // tiles for bfloat16, the rest as kAvx512
};
[[nodiscard]] std::string_view toString(Isa isa);  // "scalar", "avx2", "avx512", "amx"
[[nodiscard]] std::optional<Isa> isaOf(std::string_view name);

// What this build holds and this CPU and system can run, in rising order; kScalar always.
[[nodiscard]] std::vector<Isa> usableIsas();
// The best of them; ATTNSCOPE_KERNELS_ISA names one to stay at or under.
[[nodiscard]] Isa bestIsa();

}  // namespace attnscope::kernels
