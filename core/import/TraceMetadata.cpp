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

std::vector<std::string_view> elementsOf(std::string_view array) {
  std::vector<std::string_view> elements;
  if (array.empty() || array.front() != '[') return elements;
  std::size_t at = 1;
  const auto skip = [&] {
    while (at < array.size() && (std::isspace(static_cast<unsigned char>(array[at])) != 0 || array[at] == ',')) ++at;
  };
  for (skip(); at < array.size() && array[at] != ']'; skip()) {
    const std::size_t end = valueEnd(array, at);
    if (end <= at) break;
    elements.push_back(array.substr(at, end - at));
    at = end;
  }
  return elements;
}

void takeDevices(RawTrace& raw, std::string_view value) {
  for (const std::string_view text : elementsOf(value)) {
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
  const auto same =
      std::find_if(raw.metadata.begin(), raw.metadata.end(), [&](const auto& entry) { return entry.first == name; });
  if (same != raw.metadata.end()) {
    same->second = std::move(kept);
  } else {
    raw.metadata.emplace_back(std::move(name), std::move(kept));
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

std::string producerOf(const Trace& trace) {
  const auto valueOf = [&](std::string_view key) -> const std::string* {
    for (const auto& [name, value] : trace.metadata)
      if (name == key) return &value;
    return nullptr;
  };
  bool kineto = valueOf("deviceProperties") != nullptr || valueOf("computeProperties") != nullptr ||
                valueOf("baseTimeNanoseconds") != nullptr;
  bool rocm = valueOf("hip_runtime_version") != nullptr || valueOf("roctracer_version") != nullptr ||
              valueOf("rocprofiler-sdk_version") != nullptr;
  bool chrome = false;
  for (std::uint32_t i = 0; i < trace.strings.size(); ++i) {
    const std::string_view text = trace.strings.view(StringId{i});
    if (text == "cpu_op" || text == "user_annotation" || text == "gpu_user_annotation" || text == "ac2g" ||
        text == "Operator")
      kineto = true;
    if (text.rfind("hip", 0) == 0 && text.size() > 4 && text.size() < 40 && text[3] >= 'A' && text[3] <= 'Z')
      rocm = true;
    if (text == "toplevel" || text.rfind("devtools.timeline", 0) == 0 || text == "__metadata") chrome = true;
  }
  for (const DeviceProperties& device : trace.devices)
    if (device.name.find("AMD") != std::string::npos || device.name.find("MI2") != std::string::npos ||
        device.name.find("MI3") != std::string::npos)
      rocm = true;
  if (!kineto && trace.hasDeviceWork() && valueOf("schemaVersion") != nullptr) kineto = true;
  if (kineto) return rocm ? "kineto-rocm" : "kineto";
  if (valueOf("viztracer_metadata") != nullptr) return "viztracer";
  if (valueOf("beginningOfTime") != nullptr) return "clang";
  if (const std::string* other = valueOf("otherData"); other != nullptr && other->find("bazel") != std::string::npos)
    return "bazel";
  return chrome ? "chrome" : "unknown";
}

}  // namespace attnscope
