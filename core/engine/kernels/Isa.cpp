// SPDX-License-Identifier: Apache-2.0
#include "core/engine/kernels/Isa.h"

#include <array>
#include <cstdlib>

#include "core/engine/kernels/KernelTable.h"

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace attnscope::kernels {
namespace {

constexpr std::array kAll = {Isa::kScalar, Isa::kAvx2, Isa::kAvx512, Isa::kAmx};

#if defined(__x86_64__)
// clang 14 has no name for this one in __builtin_cpu_supports().
bool hasF16c() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

bool hasAvx2() { return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 && hasF16c(); }

bool hasAvx512() {
  return hasAvx2() && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0;
}
#endif

#if defined(__x86_64__) && defined(__linux__)
// Bits as in the Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2 (CPUID) and 1 (XCR0).
bool cpuHasAmx() {
  unsigned int a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned int kOsXsave = 1U << 27, kAmxBf16 = 1U << 22, kAmxTile = 1U << 24, kAvx512Bf16 = 1U << 5;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kOsXsave) == 0) return false;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (d & kAmxBf16) == 0 || (d & kAmxTile) == 0) return false;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a & kAvx512Bf16) != 0;
}

// Whether the system keeps the registers of AMX (XCR0) and lets this process use them, which Linux must be asked for.
bool systemGivesAmx() {
  constexpr unsigned int kTiles = 3U << 17;
  unsigned int low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  if ((low & kTiles) != kTiles) return false;
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;               // XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

bool hasAmx() {
  static const bool has = hasAvx512() && cpuHasAmx() && systemGivesAmx();
  return has;
}
#elif defined(__x86_64__)
bool hasAmx() { return false; }
#endif

bool canRun(Isa isa) {
  if (isa == Isa::kScalar || isa == Isa::kEmulatedAmx) return true;
#if defined(__x86_64__)
  if (isa == Isa::kAvx2) return hasAvx2();
  if (isa == Isa::kAvx512) return hasAvx512();
  if (isa == Isa::kAmx) return hasAmx();
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
    case Isa::kEmulatedAmx:
      return "emulated-amx";
  }
  return "";
}

std::optional<Isa> isaOf(std::string_view name) {
  for (const Isa isa : kAll) {
    if (name == toString(isa)) return isa;
  }
  return std::nullopt;
}

// What makes a table may itself be compiled for its instructions: it is asked for last.
bool runsHere(Isa isa) { return canRun(isa) && kernelTable(isa) != nullptr; }

std::vector<Isa> usableIsas() {
  std::vector<Isa> usable;
  for (const Isa isa : kAll) {
    if (runsHere(isa)) usable.push_back(isa);
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
