// SPDX-License-Identifier: Apache-2.0
#include "core/findings/Words.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace attnscope::words {

namespace {

std::string threeDigits(double value) {
  const double amount = std::abs(value);
  return fmt::format("{:.{}f}", value, amount >= 99.95 ? 0 : amount >= 9.995 ? 1 : 2);
}

}  // namespace

std::string time(std::int64_t ns) {
  const auto value = static_cast<double>(ns);
  if (std::abs(value) < 1e3) return fmt::format("{} ns", ns);
  if (std::abs(value) < 999.5e3) return threeDigits(value / 1e3) + " us";
  if (std::abs(value) < 999.5e6) return threeDigits(value / 1e6) + " ms";
  return threeDigits(value / 1e9) + " s";
}

std::string bytes(std::int64_t bytes) {
  static constexpr std::array<const char*, 4> kUnits = {"KiB", "MiB", "GiB", "TiB"};
  if (std::abs(static_cast<double>(bytes)) < 1024) return fmt::format("{} bytes", bytes);
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (std::abs(value) >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return threeDigits(value) + ' ' + kUnits[unit];
}

std::string percent(double share) { return fmt::format("{:.1f} %", share * 100 + 0.0); }

std::string count(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace attnscope::words
