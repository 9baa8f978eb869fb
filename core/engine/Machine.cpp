// SPDX-License-Identifier: Apache-2.0
#include "core/engine/Machine.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>
#include <thread>

namespace attnscope::engine {
namespace {

std::string firstLineOf(const char* file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

// The value of the first line "key : value".
std::string valueIn(const char* file, std::string_view key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.compare(0, key.size(), key) != 0) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::size_t start = line.find_first_not_of(" \t", colon + 1);
    return start == std::string::npos ? std::string() : line.substr(start);
  }
  return {};
}

std::optional<std::int64_t> kibibytesIn(const char* file, std::string_view key) {
  std::istringstream text(valueIn(file, key));
  std::int64_t value = 0;
  if (!(text >> value)) return std::nullopt;
  return value;
}

std::string utcNow() {
  const std::time_t time = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&time, &parts);
  std::string text(32, '\0');
  text.resize(std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts));
  return text;
}

Error tooSmall(std::uint64_t bytes, std::uint64_t has) {
  constexpr std::uint64_t kMiB = 1u << 20;
  Error error;
  error.kind = ErrorKind::kUsage;
  error.what = fmt::format("a memory budget of {} MiB is less than the {} MiB that the runner itself needs",
                           bytes / kMiB, has / kMiB + 1);
  error.remedy = "give it more, or 0 for no limit";
  return error;
}

}  // namespace

RunEnvironment machineFacts() {
  RunEnvironment facts;
  facts.cpu = valueIn("/proc/cpuinfo", "model name");
  facts.logicalCpus = static_cast<int>(std::thread::hardware_concurrency());
  facts.governor = firstLineOf("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  utsname system{};
  if (uname(&system) == 0) facts.system = fmt::format("{} {}", &system.sysname[0], &system.release[0]);
  facts.startedAt = utcNow();
  double load = 0;
  if (getloadavg(&load, 1) == 1) facts.loadAverage = load;
  if (const auto total = kibibytesIn("/proc/meminfo", "MemTotal")) facts.memoryBytes = *total * 1024;
  return facts;
}

std::optional<double> clockMhz() {
  constexpr double kKilo = 1000;
  double sum = 0;
  int count = 0;
  for (int cpu = 0;; ++cpu) {
    std::ifstream in(fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq/scaling_cur_freq", cpu));
    double khz = 0;
    if (!(in >> khz)) break;
    sum += khz / kKilo;
    ++count;
  }
  if (count > 0) return sum / count;
  std::ifstream facts("/proc/cpuinfo");
  for (std::string line; std::getline(facts, line);) {
    if (line.compare(0, 7, "cpu MHz") != 0) continue;
    sum += std::strtod(line.c_str() + line.find(':') + 1, nullptr);
    ++count;
  }
  return count > 0 && sum > 0 ? std::optional(sum / count) : std::nullopt;
}

ResidentPeak::ResidentPeak() {
  std::ofstream mark("/proc/self/clear_refs");
  mark << 5 << std::flush;  // sets the high-water mark back to what is resident
  if (mark) m_start = kibibytesIn("/proc/self/status", "VmRSS");
}

std::optional<std::int64_t> ResidentPeak::bytes() const {
  const std::optional<std::int64_t> most = kibibytesIn("/proc/self/status", "VmHWM");
  if (!m_start || !most) return std::nullopt;
  return std::max<std::int64_t>(0, *most - *m_start) * 1024;
}

std::optional<CpuTimes> cpuTimes() {
  std::istringstream text(firstLineOf("/proc/stat"));
  std::string name;
  if (!(text >> name) || name != "cpu") return std::nullopt;
  CpuTimes times;
  constexpr int kStolen = 7;  // user nice system idle iowait irq softirq steal
  for (int column = 0; column <= kStolen; ++column) {
    std::int64_t ticks = 0;
    if (!(text >> ticks)) return std::nullopt;
    times.all += ticks;
    if (column == kStolen) times.stolen = ticks;
  }
  return times;
}

Result<void> limitMemory(std::uint64_t bytes) {
  if (bytes == 0) return {};
  const auto data = static_cast<std::uint64_t>(kibibytesIn("/proc/self/status", "VmData").value_or(0)) * 1024;
  const auto all = static_cast<std::uint64_t>(kibibytesIn("/proc/self/status", "VmSize").value_or(0)) * 1024;
  if (data >= bytes) return fail(tooSmall(bytes, data));
  // Data is what counts; the limit of all addresses (libraries too) stands beside it for kernels that do not count
  // mapped memory as data.
  const rlimit ofData{.rlim_cur = bytes, .rlim_max = bytes};
  const rlimit ofAll{.rlim_cur = all - data + bytes, .rlim_max = all - data + bytes};
  if (setrlimit(RLIMIT_DATA, &ofData) != 0 || setrlimit(RLIMIT_AS, &ofAll) != 0) {
    Error error;
    error.what = "the memory budget could not be set";
    error.remedy = "run without one";
    return fail(error);
  }
  return {};
}

void offerToTheOutOfMemoryKiller() {
  std::ofstream score("/proc/self/oom_score_adj");
  score << 800 << std::flush;
}

}  // namespace attnscope::engine
