// SPDX-License-Identifier: Apache-2.0
// Loads one trace to a complete Trace and says what it took.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "core/import/TraceLoader.h"

namespace {

double cpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

unsigned long long anonymousBytes() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line))
    if (line.rfind("RssAnon:", 0) == 0) return std::strtoull(line.c_str() + 8, nullptr, 10) * 1024;
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) return 2;
  attnscope::LoadOptions options;
  if (count > 2) options.threads = static_cast<unsigned>(std::atoi(words[2]));
  const auto start = std::chrono::steady_clock::now();
  attnscope::Progress progress;
  const auto trace = attnscope::loadTrace(words[1], options, progress, {});
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!trace) {
    std::fprintf(stderr, "%s\n", trace.error().message().c_str());
    return 1;
  }
  std::printf(
      "{\"wall\": %.6f, \"cpu\": %.6f, \"events\": %llu, \"slices\": %zu, \"anonymous_bytes\": %llu, "
      "\"peak_rss_bytes\": %llu, \"stages\": {",
      wall, cpuSeconds(), static_cast<unsigned long long>((*trace)->events), (*trace)->slices.size(), anonymousBytes(),
      static_cast<unsigned long long>((*trace)->load.peakRssBytes));
  const char* separator = "";
  for (const attnscope::LoadStage& stage : (*trace)->load.stages) {
    std::printf("%s\"%s\": %.6f", separator, stage.name.c_str(), stage.seconds);
    separator = ", ";
  }
  std::printf("}}\n");
  std::fflush(stdout);
  std::_Exit(0);  // taking the trace apart again is no part of loading it
}
