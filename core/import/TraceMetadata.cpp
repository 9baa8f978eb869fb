// SPDX-License-Identifier: Apache-2.0
#include "core/import/TraceMetadata.h"

#include <algorithm>
#include <cctype>

#include "core/import/NumberText.h"
#include "core/trace/ArgsText.h"
#include "core/trace/Utf8.h"

namespace attnscope {

namespace {

constexpr std::size_t kLongestString = 4096;
constexpr std::size_t kLongestValue = 256 * 1024;

bool isLeftOut(std::string_view key) {
  for (const std::string_view name : {"traceEvents", "systemTraceEvents", "powerTraceAsString", "androidProcessDump",
                                      "cgroupDump", "stackFrames", "samples", "traceAnnotations"})
    if (key == name) return true;
  return false;
}

std::int64_t integerIn(std::string_view object, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys)
    if (const auto value = argsValue(object, key))
      if (const auto number = integerFrom(unquoted(*value))) return *number;
  return -1;
}

void takeDevices(RawTrace& raw, std::string_view value) {
  for (const std::string_view text : arrayElements(value)) {
    if (text.front() != '{') continue;
    DeviceProperties device;
    device.id = static_cast<std::int32_t>(integerIn(text, {"id"}));
    if (const auto name = argsValue(text, "name")) device.name = decodeText(*name);
    device.smCount = integerIn(text, {"numSms", "multiProcessorCount", "maxComputeUnits"});
    device.memoryBytes = integerIn(text, {"totalGlobalMem"});
    device.computeMajor = static_cast<std::int32_t>(integerIn(text, {"computeMajor", "major"}));
    device.computeMinor = static_cast<std::int32_t>(integerIn(text, {"computeMinor", "minor"}));
    device.registersPerSm = integerIn(text, {"regsPerMultiprocessor"});
    device.sharedMemoryPerSm = integerIn(text, {"sharedMemPerMultiprocessor", "maxSharedMemoryPerMultiProcessor"});
    device.sharedMemoryPerBlockOptin = integerIn(text, {"sharedMemPerBlockOptin"});
    device.maxThreadsPerSm = integerIn(text, {"maxThreadsPerMultiprocessor", "maxThreadsPerMultiProcessor"});
    device.maxThreadsPerBlock = integerIn(text, {"maxThreadsPerBlock"});
    device.warpSize = integerIn(text, {"warpSize"});
    raw.devices.push_back(std::move(device));
  }
}

void takeFrames(RawTrace& raw, std::string_view value) {
  for (const ArgsMember& member : argsMembers(value)) {
    RawFrame frame;
    frame.id = decodeText('"' + std::string(member.key) + '"');
    for (const ArgsMember& field : argsMembers(member.value)) {
      if (field.value == "null") continue;
      if (field.key == "name") frame.name = decodeText(field.value);
      if (field.key == "category") frame.category = decodeText(field.value);
      if (field.key == "parent") frame.parent = decodeText(field.value);
    }
    for (std::string* text : {&frame.name, &frame.category})
      if (auto repaired = repairedUtf8(*text)) *text = *repaired;
    raw.frames.push_back(std::move(frame));
  }
}

bool hasUnknownEscape(std::string_view value) {
  for (std::size_t i = 0; i + 1 < value.size(); ++i) {
    if (value[i] != '\\') continue;
    ++i;
    if (std::string_view("\"\\/bfnrtu").find(value[i]) == std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

void takeTopLevel(RawTrace& raw, std::string_view key, std::string_view value, std::uint64_t byte) {
  if (key == "stackFrames") takeFrames(raw, value);
  if (key == "samples")
    raw.health.note("samples.not-shown", Severity::kLost, "Samples of a sampling profiler; they are not shown.",
                    arrayElements(value).size(), byte);
  if (isLeftOut(key)) return;
  if (hasUnknownEscape(value))
    raw.health.note("json.backslash", Severity::kRepaired,
                    "Backslashes that begin no escape of JSON; they were kept as they are.", 1, byte);
  if (key == "baseTimeNanoseconds") {
    const std::string_view text = unquoted(value);
    if (const auto us = nsFromMicroseconds(text)) raw.baseTimeNs = us->ns / 1000;
  } else if (key == "deviceProperties" || key == "computeProperties") {
    takeDevices(raw, value);
  }
  std::string kept;
  if (value.size() > kLongestValue || (value.front() == '"' && value.size() > kLongestString)) {
    if (value.front() == '"') {
      std::string text = decodeText(value.substr(0, kLongestString));
      if (!text.empty() && text.front() == '"') text.erase(0, 1);
      while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.pop_back();
      if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xC0) text.pop_back();
      kept = "\"" + escapeText(text) + "\xE2\x80\xA6\"";
    } else {
      kept = "\"(" + std::to_string(value.size()) + " bytes)\"";
    }
  } else {
    kept = std::string(value);
  }
  if (auto repaired = repairedUtf8(kept)) {
    raw.health.note("text.not-utf8", Severity::kRepaired,
                    "Names that are not UTF-8; the bytes in question show as U+FFFD.", 1, byte);
    kept = *repaired;
  }
  std::string name = decodeText('"' + std::string(key) + '"');
  const auto [row, isNew] = raw.metadataRow.emplace(name, raw.metadata.size());
  if (isNew) {
    raw.metadata.emplace_back(std::move(name), std::move(kept));
  } else {
    raw.metadata[row->second].second = std::move(kept);
  }
}

Rank rankOf(const RawTrace& raw) {
  for (const auto& [key, value] : raw.metadata) {
    if (key != "distributedInfo") continue;
    const std::int64_t rank = integerIn(value, {"rank"});
    if (rank >= 0) return {rank, "distributedInfo"};
  }
  std::string name = raw.path.substr(raw.path.find_last_of('/') + 1);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const std::string_view word : {"rank", "worker"}) {
    for (std::size_t at = name.find(word); at != std::string::npos; at = name.find(word, at + 1)) {
      if (at > 0 && std::isalpha(static_cast<unsigned char>(name[at - 1])) != 0) continue;
      std::size_t digit = at + word.size();
      if (digit < name.size() && (name[digit] == '-' || name[digit] == '_')) ++digit;
      std::size_t end = digit;
      while (end < name.size() && end - digit < 9 && std::isdigit(static_cast<unsigned char>(name[end])) != 0) ++end;
      if (end > digit) return {std::stoll(name.substr(digit, end - digit)), "file-name"};
    }
  }
  return {};
}

namespace {

const std::string* valueOf(const Trace& trace, std::string_view key) {
  for (const auto& [name, value] : trace.metadata)
    if (name == key) return &value;
  return nullptr;
}

// What the names and categories of events say of the recorder.
struct Marks {
  bool kineto = false;
  bool rocm = false;
  bool xpu = false;
  bool chrome = false;
  bool rpd = false;
  bool ascend = false;
};

Marks marksOf(const StringPool& strings) {
  Marks marks;
  const auto isAny = [](std::string_view text, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), text) != words.end();
  };
  for (std::uint32_t i = 0; i < strings.size(); ++i) {
    const std::string_view text = strings.view(StringId{i});
    if (isAny(text, {"cpu_op", "user_annotation", "gpu_user_annotation", "ac2g", "Operator"})) marks.kineto = true;
    if (text.rfind("hip", 0) == 0 && text.size() > 4 && text.size() < 40 && text[3] >= 'A' && text[3] <= 'Z')
      marks.rocm = true;
    if (isAny(text, {"xpu_runtime", "xpu_driver", "xpu_sync"})) marks.xpu = true;
    if (isAny(text, {"async_npu", "torch_to_npu", "HostToDevice"})) marks.ascend = true;
    if (text == "api_op") marks.rpd = true;
    if (text == "toplevel" || text == "__metadata" || text.rfind("devtools.timeline", 0) == 0) marks.chrome = true;
  }
  return marks;
}

bool anyProcess(const Trace& trace, std::initializer_list<std::string_view> beginnings) {
  for (const Process& process : trace.processes) {
    const std::string_view pid = trace.strings.view(process.pid.word);
    for (const std::string_view beginning : beginnings)
      if (process.name.rfind(beginning, 0) == 0 || pid.rfind(beginning, 0) == 0) return true;
  }
  return false;
}

bool isAmd(const DeviceProperties& device) {
  for (const std::string_view word : {"AMD", "MI2", "MI3"})
    if (device.name.find(word) != std::string::npos) return true;
  return false;
}

// Recorders that are told by what stands beside the events, or by the names of their rows.
std::string otherProducer(const Trace& trace, const Marks& marks) {
  const auto has = [&](std::string_view key, std::string_view word) {
    const std::string* value = valueOf(trace, key);
    return value != nullptr && value->find(word) != std::string::npos;
  };
  if (has("viztracer_metadata", "")) return "viztracer";
  if (has("beginningOfTime", "")) return "clang";
  if (has("otherData", "bazel")) return "bazel";
  if (has("metadata", "highres-ticks") || anyProcess(trace, {"/device:", "/host:"})) return "xprof";
  if (has("metadata", "trace_processor_stats")) return "perfetto";
  if (anyProcess(trace, {"CPU functions", "CUDA functions"})) return "autograd";
  if (marks.ascend || anyProcess(trace, {"Ascend Hardware", "CANN"})) return "ascend";
  if (marks.rpd) return "rpd";
  if (anyProcess(trace, {"PROCS"}) && anyProcess(trace, {"STATS"})) return "go";
  return marks.chrome ? "chrome" : "unknown";
}

}  // namespace

std::string producerOf(const Trace& trace) {
  const Marks marks = marksOf(trace.strings);
  const auto has = [&](std::string_view key) { return valueOf(trace, key) != nullptr; };
  const bool kineto = marks.kineto || has("deviceProperties") || has("computeProperties") ||
                      has("baseTimeNanoseconds") || (trace.hasDeviceWork() && has("schemaVersion"));
  if (marks.ascend || !kineto) return otherProducer(trace, marks);
  const bool rocm = marks.rocm || has("hip_runtime_version") || has("roctracer_version") ||
                    has("rocprofiler-sdk_version") || std::any_of(trace.devices.begin(), trace.devices.end(), isAmd);
  return rocm ? "kineto-rocm" : marks.xpu ? "kineto-xpu" : "kineto";
}

}  // namespace attnscope
