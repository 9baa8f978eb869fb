// SPDX-License-Identifier: Apache-2.0
#pragma once

// How parts of a trace are written in every answer.

#include <optional>
#include <string>

#include "app/cli/JsonText.h"
#include "app/cli/JsonWriter.h"
#include "core/trace/Trace.h"

namespace attnscope::cli {

inline void writeIdentity(JsonWriter& json, std::string_view key, const Trace& trace, const Identity& identity) {
  if (identity.word == kNoString) {
    json.integer(key, identity.number);
  } else {
    json.text(key, trace.strings.view(identity.word));
  }
}

inline void writeName(JsonWriter& json, std::string_view key, const Trace& trace, StringId name) {
  json.key(key);
  name == kNoString ? json.null() : json.text(trace.strings.view(name));
}

inline std::optional<std::int64_t> known(std::int64_t value, std::int64_t unknown) {
  return value == unknown ? std::nullopt : std::optional<std::int64_t>(value);
}

template <class Id>
void writeId(JsonWriter& json, std::string_view key, Id id, Id none) {
  json.key(key);
  id == none ? json.null() : json.count(index(id));
}

inline void writeArgs(JsonWriter& json, const std::optional<std::string>& args) {
  if (!args) return json.null("args");
  std::string value;
  appendJsonValue(value, *args);
  json.raw("args", value);
}

// `file` and `base_ns`, the same in every answer about one file.
inline void writeOrigin(JsonWriter& json, const Trace& trace) {
  json.text("file", trace.path);
  json.raw("base_ns", trace.base.empty() ? "null" : trace.base);
}

}  // namespace attnscope::cli
