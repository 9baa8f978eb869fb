// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the processor's packages used, by the counters that the kernel offers (RAPL, in /sys/class/powercap). Most
// machines let nobody but root read them, and virtual machines have none: then it says why. Knows no LibTorch. One
// thread.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace attnscope::engine {

class EnergyMeter {
 public:
  explicit EnergyMeter(const std::filesystem::path& folder = "/sys/class/powercap");

  [[nodiscard]] bool available() const { return m_reason.empty(); }
  [[nodiscard]] const std::string& reason() const { return m_reason; }  // why not; empty: it can be read
  // Of all packages since this object was made, in joules; none where a counter can no longer be read. A counter that
  // starts over is followed as long as this is asked once a minute.
  [[nodiscard]] std::optional<double> joules();

 private:
  struct Package {
    std::filesystem::path counter;
    double range = 0;  // in microjoules, after which it starts over
    double last = 0;
  };
  std::vector<Package> m_packages;
  double m_joules = 0;
  std::string m_reason;
};

}  // namespace attnscope::engine
