// SPDX-License-Identifier: Apache-2.0
#include "core/trace/TraceHealth.h"

#include <algorithm>

namespace attnscope {

std::string_view toString(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return "info";
    case Severity::kRepaired:
      return "repaired";
    case Severity::kLost:
      return "lost";
  }
  return "info";
}

void TraceHealth::note(std::string_view code, Severity severity, std::string_view message, std::uint64_t count,
                       std::uint64_t byte, std::uint64_t event) {
  if (count == 0) return;
  for (HealthEntry& entry : m_entries) {
    if (entry.code != code) continue;
    entry.count += count;
    entry.severity = std::max(entry.severity, severity);
    entry.firstByte = std::min(entry.firstByte, byte);
    entry.firstEvent = std::min(entry.firstEvent, event);
    return;
  }
  m_entries.push_back({std::string(code), severity, count, byte, event, std::string(message)});
}

void TraceHealth::merge(const TraceHealth& other) {
  for (const HealthEntry& entry : other.m_entries)
    note(entry.code, entry.severity, entry.message, entry.count, entry.firstByte, entry.firstEvent);
}

std::vector<HealthEntry> TraceHealth::sorted() const {
  std::vector<HealthEntry> entries = m_entries;
  std::stable_sort(entries.begin(), entries.end(), [](const HealthEntry& a, const HealthEntry& b) {
    if (a.severity != b.severity) return a.severity > b.severity;
    if (a.count != b.count) return a.count > b.count;
    return a.code < b.code;
  });
  return entries;
}

std::uint64_t TraceHealth::count(Severity severity) const {
  std::uint64_t sum = 0;
  for (const HealthEntry& entry : m_entries)
    if (entry.severity == severity) sum += entry.count;
  return sum;
}

}  // namespace attnscope
