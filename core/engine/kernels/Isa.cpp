// SPDX-License-Identifier: Apache-2.0
#include "core/engine/kernels/Isa.h"

#include <array>
#include <cstdlib>

#include "core/engine/kernels/KernelTable.h"

#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace attnscope::kernels {
namespace {

constexpr std::array kAll = {Isa::kScalar, Isa::kAvx2, Isa::kAvx512, Isa::kAmx};

#if defined(__x86_64__)
bool hasAvx2() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
         __builtin_cpu_supports("f16c") != 0;
}

bool hasAvx512() {
  return hasAvx2() && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0;
}
#endif

bool canRun(Isa isa) {
  if (isa == Isa::kScalar) return true;
#if defined(__x86_64__)
  if (isa == Isa::kAvx2) return hasAvx2();
  if (isa == Isa::kAvx512) return hasAvx512();
#endif
  return false;
}

}  // namespace

std::string_view toString(Isa isa) {
  switch (isa) {
    case Isa::kScalar:
      return "scalar";
    case Isa::kAvx2:
      return "avx2";
    case Isa::kAvx512:
      return "avx512";
    case Isa::kAmx:
      return "amx";
  }
  return "";
}

std::optional<Isa> isaOf(std::string_view name) {
  for (const Isa isa : kAll) {
    if (name == toString(isa)) return isa;
  }
  return std::nullopt;
}

std::vector<Isa> usableIsas() {
  std::vector<Isa> usable;
  for (const Isa isa : kAll) {
    if (kernelTable(isa) != nullptr && canRun(isa)) usable.push_back(isa);
  }
  return usable;
}

Isa bestIsa() {
  const char* named = std::getenv("ATTNSCOPE_KERNELS_ISA");
  const std::optional<Isa> most = named == nullptr ? std::nullopt : isaOf(named);
  Isa best = Isa::kScalar;
  for (const Isa isa : usableIsas()) {
    if (!most || isa <= *most) best = isa;
  }
  return best;
}

}  // namespace attnscope::kernels
