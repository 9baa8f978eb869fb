// SPDX-License-Identifier: Apache-2.0
#include "core/problem/ProblemJson.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace attnscope {
namespace {

using Json = nlohmann::ordered_json;

Json maskToJson(const Mask& mask) {
  if (const auto* causal = std::get_if<CausalMask>(&mask)) {
    return {{"kind", "causal"}, {"alignment", toString(causal->alignment)}};
  }
  if (const auto* window = std::get_if<WindowMask>(&mask)) {
    return {{"kind", "window"}, {"width", window->width}, {"alignment", toString(window->alignment)}};
  }
  if (const auto* prefix = std::get_if<PrefixMask>(&mask)) return {{"kind", "prefix"}, {"length", prefix->length}};
  if (const auto* documents = std::get_if<DocumentsMask>(&mask)) {
    return {{"kind", "documents"},
            {"lengths", documents->lengths},
            {"inside", documents->inside == InsideDocument::kCausal ? "causal" : "full"}};
  }
  if (const auto* file = std::get_if<FileMask>(&mask)) return {{"kind", "file"}, {"path", file->path}};
  return {{"kind", "none"}};
}

// Thrown and caught within this file: what the JSON says is not possible.
struct Impossible {
  std::string what;
};

CausalAlignment alignmentOf(const Json& json) {
  const std::string text = json.value("alignment", "top-left");
  if (text == "top-left") return CausalAlignment::kTopLeft;
  if (text == "bottom-right") return CausalAlignment::kBottomRight;
  throw Impossible{fmt::format("the alignment \"{}\" is not known", text)};
}

Mask maskOf(const Json& json) {
  const std::string kind = json.value("kind", "none");
  if (kind == "none") return NoMask{};
  if (kind == "causal") return CausalMask{alignmentOf(json)};
  if (kind == "window") return WindowMask{json.value("width", std::int64_t{0}), alignmentOf(json)};
  if (kind == "prefix") return PrefixMask{json.value("length", std::int64_t{0})};
  if (kind == "documents") {
    return DocumentsMask{json.value("lengths", std::vector<std::int64_t>{}),
                         json.value("inside", "full") == "causal" ? InsideDocument::kCausal : InsideDocument::kFull};
  }
  if (kind == "file") return FileMask{json.value("path", std::string{})};
  throw Impossible{fmt::format("the mask \"{}\" is not known", kind)};
}

template <class Enum>
Enum oneOf(const Json& json, const char* key, std::initializer_list<Enum> values) {
  const auto found = json.find(key);
  if (found == json.end()) return *values.begin();
  const std::string text = found->get<std::string>();
  for (const Enum value : values) {
    if (toString(value) == text) return value;
  }
  throw Impossible{fmt::format("the {} \"{}\" is not known", key, text)};
}

Problem problemOf(const Json& json) {
  if (!json.is_object()) throw Impossible{"it is not an object"};
  Problem problem;
  problem.batch = json.value("batch", problem.batch);
  problem.heads = json.value("heads", problem.heads);
  problem.keyValueHeads = json.value("kv_heads", problem.heads);
  problem.queryLength = json.value("seq", problem.queryLength);
  problem.keyValueLength = json.value("kv_seq", problem.queryLength);
  problem.headSize = json.value("head_dim", problem.headSize);
  problem.valueHeadSize = json.value("value_head_dim", problem.headSize);
  problem.dtype =
      oneOf(json, "dtype", {DataType::kFloat32, DataType::kBFloat16, DataType::kFloat16, DataType::kFloat64});
  problem.mask = json.contains("mask") ? maskOf(json.at("mask")) : Mask(NoMask{});
  if (json.contains("scale") && !json.at("scale").is_null()) problem.scale = json.at("scale").get<double>();
  problem.softcap = json.value("softcap", problem.softcap);
  problem.sink = json.value("sink", problem.sink);
  problem.alibi = json.value("alibi", problem.alibi);
  problem.dropout = json.value("dropout", problem.dropout);
  problem.latentSize = json.value("latent", problem.latentSize);
  problem.ropeSize = json.value("rope", problem.ropeSize);
  problem.pass = oneOf(json, "pass", {Pass::kForward, Pass::kForwardBackward});
  problem.workload = oneOf(json, "workload", {Workload::kAttention, Workload::kBlock});
  problem.layout = oneOf(json, "layout", {Layout::kBhnd, Layout::kBnhd});
  problem.seed = json.value("seed", problem.seed);
  return problem;
}

}  // namespace

Json toJson(const Problem& problem) {
  return {{"batch", problem.batch},
          {"heads", problem.heads},
          {"kv_heads", problem.keyValueHeads},
          {"seq", problem.queryLength},
          {"kv_seq", problem.keyValueLength},
          {"head_dim", problem.headSize},
          {"value_head_dim", problem.valueHeadSize},
          {"dtype", toString(problem.dtype)},
          {"mask", maskToJson(problem.mask)},
          {"scale", problem.scale ? Json(*problem.scale) : Json()},
          {"softcap", problem.softcap},
          {"sink", problem.sink},
          {"alibi", problem.alibi},
          {"dropout", problem.dropout},
          {"latent", problem.latentSize},
          {"rope", problem.ropeSize},
          {"pass", toString(problem.pass)},
          {"workload", toString(problem.workload)},
          {"layout", toString(problem.layout)},
          {"seed", problem.seed}};
}

Result<Problem> problemFromJson(const Json& json) {
  std::string what;
  try {
    return problemOf(json);
  } catch (const Impossible& impossible) {
    what = impossible.what;
  } catch (const Json::exception& exception) {
    what = exception.what();
  }
  Error error;
  error.what = "the problem cannot be read: " + what;
  return fail(std::move(error));
}

}  // namespace attnscope
