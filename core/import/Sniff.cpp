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

namespace {

using namespace std::string_view_literals;

bool endsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

std::optional<Error> packedOtherwise(std::string_view head) {
  if (beginsWith(head, "PK\x03\x04"sv))
    return notOne("this is a zip archive inside another archive", "unpack the outer one");
  if (beginsWith(head, "\x28\xb5\x2f\xfd"sv))
    return notOne("this was compressed with zstd and then with gzip", "unpack it once with gunzip");
  if (beginsWith(head,
                 "\xfd"
                 "7zXZ"sv))
    return notOne("this is compressed with xz, which is not read here", "unpack it with xz -d");
  if (beginsWith(head, "BZh"sv))
    return notOne("this is compressed with bzip2, which is not read here", "unpack it with bunzip2");
  if (beginsWith(head, "\x04\x22\x4d\x18"sv))
    return notOne("this is compressed with lz4, which is not read here", "unpack it with lz4 -d");
  if (beginsWith(head, "7z\xbc\xaf\x27\x1c"sv)) return notOne("this is a 7-Zip archive", "unpack it with 7z x");
  if (beginsWith(head, "\x1f\x8b"sv))
    return notOne("this was compressed with gzip twice", "unpack it once with gunzip");
  if (head.size() > 262 && head.substr(257, 5) == "ustar")
    return notOne("this is a tar archive, not a trace", "unpack it with tar -xf and open the file inside");
  return std::nullopt;
}

std::optional<Error> database(std::string_view head) {
  if (!beginsWith(head, "SQLite format 3"sv)) return std::nullopt;
  const auto has = [&](std::string_view word) { return head.find(word) != std::string_view::npos; };
  if (has("rocpd"))
    return notOne("this is an SQLite database of rocprofv3 (rocpd), not a Chrome trace",
                  "record with rocprofv3 --output-format pftrace and convert that with traceconv json");
  return notOne("this is an SQLite database, as Nsight Systems (nsys export) and rocpd write, not a Chrome trace",
                "convert an export of Nsight Systems with nsys2json.py -f FILE.sqlite -o trace.json");
}

// Protocols 2 to 5 say their number; older ones begin with an empty dict or list.
bool isPickle(std::string_view head) {
  if (head.size() > 1 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5) return true;
  return beginsWith(head, "(dp"sv) || beginsWith(head, "(lp"sv) || beginsWith(head, "}q"sv) || beginsWith(head, "]q"sv);
}

// Both are protobuf messages that begin with their first part; planes of XProf have names early on.
std::optional<Error> protobuf(std::string_view head) {
  if (head.size() < 3 || head[0] != '\x0a' || std::isspace(static_cast<unsigned char>(head[1])) != 0 ||
      head[1] == '{' || head[1] == '[')
    return std::nullopt;
  for (const std::string_view plane : {"/host:"sv, "/device:"sv, "Task Environment"sv, "#Chip"sv})
    if (head.find(plane) != std::string_view::npos)
      return notOne("this is a profile of XProf (xplane.pb), as JAX and TensorFlow write, not JSON",
                    "open the .trace.json.gz that lies beside it");
  return notOne("this is a binary trace of Perfetto, not JSON", "convert it with traceconv json FILE trace.json");
}

bool isUtf16(std::string_view head) {
  if (beginsWith(head, "\xff\xfe"sv) || beginsWith(head, "\xfe\xff"sv)) return true;
  if (head.size() < 4) return false;
  const auto opens = [](char c) { return c == '{' || c == '['; };
  return (opens(head[0]) && head[1] == '\0') || (head[0] == '\0' && opens(head[1]));
}

std::optional<Error> binary(std::string_view head) {
  if (auto other = packedOtherwise(head)) return other;
  if (auto other = database(head)) return other;
  if (beginsWith(head, "NVR\0"sv))
    return notOne("this is a report of Nsight Compute, which has counters of single kernels and no timeline",
                  "record a timeline with torch.profiler and export_chrome_trace()");
  if (beginsWith(head, "PERFILE2"sv))
    return notOne("this is a recording of perf, not a Chrome trace", "record with torch.profiler instead");
  if (isUtf16(head)) return notOne("this is UTF-16 text; traces are UTF-8", "convert it with iconv -f UTF-16 -t UTF-8");
  if (isPickle(head))
    return notOne(
        "this is a Python pickle, as torch.cuda.memory._dump_snapshot() writes memory snapshots; it is refused, "
        "because "
        "a pickle can hold code to run",
        "look at it with python -m torch.cuda._memory_viz trace_plot FILE -o snapshot.html");
  return protobuf(head);
}

// Reports of Nsight Systems have no first bytes that are documented.
std::optional<Error> byName(std::string_view name) {
  for (const std::string_view ending : {".nsys-rep"sv, ".qdrep"sv, ".qdstrm"sv})
    if (endsWith(name, ending))
      return notOne(
          "this is a report of Nsight Systems, not a Chrome trace",
          "run nsys export --type sqlite -o FILE.sqlite on it, then nsys2json.py -f FILE.sqlite -o trace.json");
  return std::nullopt;
}

// "[I1204 ...] loaded", "[2026-01-01 10:00:00,123] INFO", "[rank0]: ...": words in brackets and words behind them.
bool isLog(std::string_view head) {
  if (head.front() != '[') return false;
  const std::size_t close = head.find(']');
  if (close == std::string_view::npos || close + 2 >= head.size()) return false;
  const std::string_view inside = head.substr(1, close - 1);
  if (inside.empty() || inside.find_first_of("\"{[\n") != std::string_view::npos) return false;
  const char next = head[close + 1];
  const char behind = head[close + 2];
  return next == ':' || (next == ' ' && std::isspace(static_cast<unsigned char>(behind)) == 0 && behind != ',' &&
                         behind != ']' && behind != '}');
}

}  // namespace

std::optional<Error> notATrace(std::string_view head, std::string_view name) {
  if (auto other = binary(head)) return other;
  if (beginsWith(head, "\xef\xbb\xbf"sv)) head.remove_prefix(3);
  while (!head.empty() && (std::isspace(static_cast<unsigned char>(head.front())) != 0 || head.front() == '\0'))
    head.remove_prefix(1);
  if (head.empty()) return notOne("the file holds nothing but space", "record the trace again");
  if (isLog(head))
    return notOne("this is a log (it begins with \"" + shown(head) + "\"), not a trace",
                  "open the file that export_chrome_trace() wrote");
  if (head.front() == '{' || head.front() == '[') return std::nullopt;
  if (head.front() == '<')
    return notOne("this is HTML or XML (it begins with " + shown(head) + "), not a trace",
                  "save the trace itself, not the page that shows it");
  if (beginsWith(head, "version https://git-lfs"sv))
    return notOne("this is a pointer of Git LFS, not the file that it stands for", "fetch the file with git lfs pull");
  if (beginsWith(head, "# tracer"sv) || beginsWith(head, "TRACE:"sv))
    return notOne("this is ftrace text, not a Chrome trace", "convert it with traceconv json FILE trace.json");
  if (auto other = byName(name)) return other;
  return notOne("this is no trace: it begins with \"" + shown(head) + "\", not with { or [",
                "record with torch.profiler and export_chrome_trace()");
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
                  "record with rocprofv3 --output-format pftrace and convert that with traceconv json");
  if (has("segments") && has("device_traces"))
    return notOne("this is a memory snapshot of PyTorch, not a trace", "open it at pytorch.org/memory_viz");
  return notOne("this JSON object has no \"traceEvents\", so it is no trace", "open the file that the profiler wrote");
}

Error arrayWithoutEvents(std::string_view first) {
  const char c = first.empty() ? ']' : first.front();
  if (c == '[' && first.find('{') != std::string_view::npos)
    return notOne("this JSON array holds arrays, not trace events", "open the file that the profiler wrote");
  if (c == '[' || c == '-' || (c >= '0' && c <= '9'))
    return notOne("this is an array of numbers, as export_memory_timeline() writes, not a trace",
                  "open the trace that export_chrome_trace() wrote");
  return notOne("this JSON array holds no trace events", "open the file that the profiler wrote");
}

}  // namespace attnscope
