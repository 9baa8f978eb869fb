// SPDX-License-Identifier: Apache-2.0
#pragma once

// Everything that was repaired, clamped, guessed or left out while a trace was read, by code.
// Codes are `area.fault` (core/trace/README.md lists them). Written by one thread, then immutable.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

enum class Severity : std::uint8_t {
  kInfo,      // worth knowing, nothing changed
  kRepaired,  // what is shown differs from what is written, or was guessed
  kLost,      // something written is not shown
};
[[nodiscard]] std::string_view toString(Severity severity);

struct HealthEntry {
  std::string code;
  Severity severity = Severity::kInfo;
  std::uint64_t count = 0;
  std::uint64_t firstByte = 0;   // in the unpacked text
  std::uint64_t firstEvent = 0;  // element of traceEvents
  std::string message;           // what it means, in one sentence
};

class TraceHealth {
 public:
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};  // no byte or event can be named

  void note(std::string_view code, Severity severity, std::string_view message, std::uint64_t count = 1,
            std::uint64_t byte = kNowhere, std::uint64_t event = kNowhere);
  void merge(const TraceHealth& other);
  // Worst first, then by count.
  [[nodiscard]] std::vector<HealthEntry> sorted() const;
  [[nodiscard]] const std::vector<HealthEntry>& entries() const { return m_entries; }
  [[nodiscard]] std::uint64_t count(Severity severity) const;

 private:
  std::vector<HealthEntry> m_entries;
};

}  // namespace attnscope
