// SPDX-License-Identifier: Apache-2.0
#include "core/engine/Energy.h"

#include <fstream>
#include <system_error>

namespace attnscope::engine {
namespace {

std::optional<double> numberIn(const std::filesystem::path& file) {
  std::ifstream in(file);
  double number = 0;
  if (!(in >> number)) return std::nullopt;
  return number;
}

std::string wordIn(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string word;
  in >> word;
  return word;
}

}  // namespace

EnergyMeter::EnergyMeter(const std::filesystem::path& folder) {
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    if (wordIn(entry.path() / "name").compare(0, 8, "package-") != 0) continue;
    const std::optional<double> now = numberIn(entry.path() / "energy_uj");
    if (!now) {
      m_reason = "this account may not read the processor's energy counters";
      continue;
    }
    m_packages.push_back({.counter = entry.path() / "energy_uj",
                          .range = numberIn(entry.path() / "max_energy_range_uj").value_or(0),
                          .last = *now});
  }
  if (!m_packages.empty()) {
    m_reason.clear();
  } else if (m_reason.empty()) {
    m_reason = "this machine has no energy counters";
  }
}

std::optional<double> EnergyMeter::joules() {
  constexpr double kMicro = 1e-6;
  if (m_packages.empty()) return std::nullopt;
  for (Package& package : m_packages) {
    const std::optional<double> now = numberIn(package.counter);
    if (!now) return std::nullopt;
    const double used = *now >= package.last ? *now - package.last : *now + package.range - package.last;
    m_joules += used * kMicro;
    package.last = *now;
  }
  return m_joules;
}

}  // namespace attnscope::engine
