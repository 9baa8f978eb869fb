// SPDX-License-Identifier: Apache-2.0
#include "core/import/Sniff.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace attnscope {

namespace {

Error notOne(std::string what, std::string remedy) {
  return {.kind = ErrorKind::kInput, .what = std::move(what), .remedy = std::move(remedy), .byte = 0, .event = {}};
}

bool beginsWith(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

std::string shown(std::string_view head) {
  std::string text;
  for (const char c : head.substr(0, 24)) text += c >= 0x20 && c < 0x7f ? c : '?';
  return text;
}

}  // namespace

std::optional<Error> notATrace(std::string_view head) {
  using namespace std::string_view_literals;
  constexpr std::string_view kChromeHint = "record with torch.profiler and export_chrome_trace()";
  if (beginsWith(head, "PK\x03\x04"sv))
    return notOne("this is a zip archive, not a trace", "unpack it and open the file inside");
  if (beginsWith(head, "\x28\xb5\x2f\xfd"sv))
    return notOne("this is compressed with zstd, which is not read here", "unpack it with zstd -d");
  if (beginsWith(head,
                 "\xfd"
                 "7zXZ"sv))
    return notOne("this is compressed with xz, which is not read here", "unpack it with xz -d");
  if (beginsWith(head, "BZh"sv))
    return notOne("this is compressed with bzip2, which is not read here", "unpack it with bunzip2");
  if (beginsWith(head, "\x1f\x8b"sv))
    return notOne("this was compressed with gzip twice", "unpack it once with gunzip");
  if (head.size() > 262 && head.substr(257, 5) == "ustar")
    return notOne("this is a tar archive, not a trace", "unpack it and open the file inside");
  if (beginsWith(head, "SQLite format 3"sv))
    return notOne("this is an SQLite database, as Nsight Systems and rocpd write, not a Chrome trace",
                  "convert it to JSON with the tool that wrote it");
  if (beginsWith(head, "\xff\xfe"sv) || beginsWith(head, "\xfe\xff"sv) ||
      (head.size() > 3 && head[0] == '{' && head[1] == '\0') ||
      (head.size() > 3 && head[0] == '\0' && (head[1] == '{' || head[1] == '[')) ||
      (head.size() > 3 && head[0] == '[' && head[1] == '\0'))
    return notOne("this is UTF-16 text; traces are UTF-8", "convert it with iconv -f UTF-16 -t UTF-8");
  if (head.size() > 1 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5)
    return notOne("this is a Python pickle, as torch.cuda.memory snapshots are, not a trace",
                  "open it as a memory snapshot");
  if (!head.empty() && head[0] == '\x0a' && head.size() > 2 && !std::isspace(static_cast<unsigned char>(head[1])) &&
      head[1] != '{' && head[1] != '[')
    return notOne("this is a binary trace of Perfetto, not JSON", "convert it with traceconv json");
  if (beginsWith(head, "\xef\xbb\xbf"sv)) head.remove_prefix(3);
  while (!head.empty() && (std::isspace(static_cast<unsigned char>(head.front())) != 0 || head.front() == '\0'))
    head.remove_prefix(1);
  if (head.empty()) return notOne("the file holds nothing but space", "record the trace again");
  if (head.front() == '{' || head.front() == '[') return std::nullopt;
  if (head.front() == '<')
    return notOne("this is HTML or XML (it begins with " + shown(head) + "), not a trace",
                  "save the trace itself, not the page that shows it");
  if (beginsWith(head, "# tracer"sv) || beginsWith(head, "TRACE:"sv))
    return notOne("this is ftrace text, not a Chrome trace", "convert it with traceconv json");
  return notOne("this is no trace: it begins with \"" + shown(head) + "\", not with { or [", std::string(kChromeHint));
}

Error objectWithoutEvents(std::string_view keys) {
  const auto has = [&](std::string_view key) {
    return keys.find("|" + std::string(key) + "|") != std::string_view::npos;
  };
  if (has("schema") && has("nodes"))
    return notOne("this is an execution trace of PyTorch, which has no times, not a profiler trace",
                  "open the trace that export_chrome_trace() wrote");
  if (has("workload_graph"))
    return notOne("this is a Chakra execution trace, not a profiler trace", "open the Kineto trace it was made from");
  if (has("$schema") && has("profiles"))
    return notOne("this is a speedscope profile, not a Chrome trace", "export the trace in Chrome's format");
  if (has("nodes") && (has("samples") || has("timeDeltas")))
    return notOne("this is a V8 CPU profile, not a trace", "record a trace instead");
  if (has("rocprofiler-sdk-tool"))
    return notOne("this is rocprofv3's own JSON, not a Chrome trace",
                  "record with --output-format pftrace and convert it");
  if (has("segments") && has("device_traces"))
    return notOne("this is a memory snapshot, not a trace", "open it as a memory snapshot");
  return notOne("this JSON object has no \"traceEvents\", so it is no trace", "open the file that the profiler wrote");
}

Error arrayWithoutEvents(std::string_view first) {
  const char c = first.empty() ? ']' : first.front();
  if (c == '[' || c == '-' || (c >= '0' && c <= '9'))
    return notOne("this is an array of numbers, as export_memory_timeline() writes, not a trace",
                  "open the trace that export_chrome_trace() wrote");
  return notOne("this JSON array holds no trace events", "open the file that the profiler wrote");
}

}  // namespace attnscope
