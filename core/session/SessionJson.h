// SPDX-License-Identifier: Apache-2.0
#pragma once

// JSON of this room's values, shared by Protocol.cpp and SessionJson.cpp alone. The `...Of` functions throw
// nlohmann::json::exception or BadValue where the text has another kind of value; their callers make an Error of it.

#include <nlohmann/json.hpp>
#include <string>

#include "core/session/RunResult.h"

namespace attnscope::session_json {

using Json = nlohmann::ordered_json;

struct BadValue {
  std::string what;
};

[[nodiscard]] Json toJson(const RunPlan& plan);
[[nodiscard]] RunPlan planOf(const Json& json);
[[nodiscard]] Json toJson(const Sample& sample);
[[nodiscard]] Sample sampleOf(const Json& json);
[[nodiscard]] Json toJson(const NoisePair& pair);
[[nodiscard]] NoisePair noisePairOf(const Json& json);
// NaN and infinity, which JSON has not, are the strings "nan", "inf", "-inf".
[[nodiscard]] Json toJson(const ErrorCheck& error);
[[nodiscard]] ErrorCheck errorCheckOf(const Json& json);
[[nodiscard]] Json toJson(const RunEnvironment& environment);
[[nodiscard]] RunEnvironment environmentOf(const Json& json);
[[nodiscard]] RunPhase phaseOf(const std::string& text);

[[nodiscard]] Json realOrText(double value);
[[nodiscard]] double realOf(const Json& json);

template <class T>
[[nodiscard]] Json orNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}
template <class T>
[[nodiscard]] std::optional<T> optionalOf(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return std::nullopt;
  return found->get<T>();
}

}  // namespace attnscope::session_json
