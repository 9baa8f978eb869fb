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
  kScalar,       // any CPU; what the others are tested against
  kAvx2,         // with FMA and F16C
  kAvx512,       // F, BW, DQ, VL
  kAmx,          // TILE and BF16, with AVX-512 BF16: tiles for bfloat16, the rest as kAvx512
  kEmulatedAmx,  // the arithmetic of kAmx in plain C++, for tests: runs anywhere, is never chosen and has no name to
                 // ask
};
[[nodiscard]] std::string_view toString(Isa isa);  // "scalar", "avx2", "avx512", "amx", "emulated-amx"
[[nodiscard]] std::optional<Isa> isaOf(std::string_view name);

// Whether this build holds it and this CPU and system can run it. Asks Linux once for the registers of AMX.
[[nodiscard]] bool runsHere(Isa isa);
// Those that do but the emulated, in rising order; kScalar always.
[[nodiscard]] std::vector<Isa> usableIsas();
// The best of them; ATTNSCOPE_KERNELS_ISA names one to stay at or under.
[[nodiscard]] Isa bestIsa();

}  // namespace attnscope::kernels
