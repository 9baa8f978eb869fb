// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lab/RecordedShape.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace attnscope::ui {

namespace {

using Json = nlohmann::json;
using Sizes = std::vector<std::int64_t>;

// Where the inputs of an operator stand, as its schema in ATen's native_functions.yaml orders them; -1: it has none.
struct Signature {
  std::string_view name;
  bool headsSecond = true;  // [B, H, N, D]; else [B, N, H, D]
  int causal = -1;
  int scale = -1;
  int dropout = -1;
};

constexpr std::array<Signature, 9> kSignatures = {{
    {"aten::scaled_dot_product_attention", true, 5, 6, 4},
    {"aten::_scaled_dot_product_attention_math", true, 5, 7, 4},
    {"aten::_scaled_dot_product_flash_attention", true, 4, 6, 3},
    {"aten::_scaled_dot_product_flash_attention_for_cpu", true, 4, 6, 3},
    {"aten::_scaled_dot_product_efficient_attention", true, 6, 7, 5},
    {"aten::_scaled_dot_product_cudnn_attention", true, 6, 8, 5},
    {"aten::_scaled_dot_product_fused_attention_overrideable", true, 5, 7, 4},
    {"aten::_flash_attention_forward", false, 8, 10, 7},
    {"aten::_efficient_attention_forward", false, -1, 11, 8},
}};

const Signature* signatureOf(std::string_view name) {
  for (const Signature& signature : kSignatures) {
    if (signature.name == name) return &signature;
  }
  return nullptr;
}

std::optional<Sizes> sizesOf(const Json& dims, std::size_t position) {
  if (!dims.is_array() || position >= dims.size() || !dims[position].is_array()) return std::nullopt;
  Sizes sizes;
  for (const Json& size : dims[position]) {
    if (!size.is_number_integer()) return std::nullopt;
    sizes.push_back(size.get<std::int64_t>());
  }
  return sizes;
}

// "c10::BFloat16", "float", "Half": as kineto writes C++ and ATen names.
std::optional<DataType> typeOf(std::string_view text) {
  if (text == "float" || text == "Float") return DataType::kFloat32;
  if (text == "double" || text == "Double") return DataType::kFloat64;
  if (text == "c10::BFloat16" || text == "BFloat16") return DataType::kBFloat16;
  if (text == "c10::Half" || text == "Half") return DataType::kFloat16;
  return std::nullopt;
}

std::string wordAt(const Json& values, int position) {
  if (position < 0 || !values.is_array() || static_cast<std::size_t>(position) >= values.size()) return {};
  const Json& value = values[static_cast<std::size_t>(position)];
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (value.is_number()) return value.dump();
  return {};
}

std::optional<double> numberAt(const Json& values, int position) {
  const std::string word = wordAt(values, position);
  char* end = nullptr;
  const double number = std::strtod(word.c_str(), &end);
  if (word.empty() || *end != '\0' || !std::isfinite(number)) return std::nullopt;
  return number;
}

bool putSizes(Problem& problem, const Signature& signature, const Json& dims) {
  const auto query = sizesOf(dims, 0);
  const auto key = sizesOf(dims, 1);
  const auto value = sizesOf(dims, 2);
  if (!query || !key || !value || query->size() != 4 || key->size() != 4 || value->size() != 4) return false;
  const std::size_t head = signature.headsSecond ? 1 : 2;
  const std::size_t token = signature.headsSecond ? 2 : 1;
  problem.batch = (*query)[0];
  problem.heads = (*query)[head];
  problem.queryLength = (*query)[token];
  problem.headSize = (*query)[3];
  problem.keyValueHeads = (*key)[head];
  problem.keyValueLength = (*key)[token];
  problem.valueHeadSize = (*value)[3];
  const bool agree = (*key)[0] == problem.batch && (*value)[0] == problem.batch && (*key)[3] == problem.headSize &&
                     (*value)[head] == problem.keyValueHeads && (*value)[token] == problem.keyValueLength;
  return agree && problem.batch > 0 && problem.heads > 0 && problem.keyValueHeads > 0 && problem.queryLength > 0 &&
         problem.keyValueLength > 0 && problem.headSize > 0 && problem.valueHeadSize > 0 &&
         problem.heads % problem.keyValueHeads == 0;
}

// The args of a slice; null where they are none, or gone.
Json argsOf(const Trace& trace, SliceId slice) {
  if (trace.argsSource == nullptr || trace.slices.args(slice).length == 0) return {};
  const auto text = trace.argsSource->read(trace.slices.args(slice));
  if (!text) return {};
  Json args = Json::parse(*text, nullptr, false);
  return args.is_object() ? args : Json();
}

Json valueOf(const Json& args, const char* key) {
  if (!args.is_object()) return {};
  const auto found = args.find(key);
  return found == args.end() ? Json() : *found;
}

}  // namespace

bool isAttentionCall(const Trace& trace, SliceId slice) { return signatureOf(trace.name(slice)) != nullptr; }

std::optional<Problem> problemOf(const Trace& trace, SliceId slice) {
  const Signature* signature = signatureOf(trace.name(slice));
  if (signature == nullptr) return std::nullopt;
  const Json args = argsOf(trace, slice);
  Json dims = valueOf(args, "Input Dims");
  // Args that are gone still leave the sizes, which the trace keeps.
  if (!dims.is_array() && trace.slices.inputDims[index(slice)] != kNoString) {
    dims = Json::parse(trace.strings.view(trace.slices.inputDims[index(slice)]), nullptr, false);
  }
  Problem problem;
  problem.mask = NoMask{};
  if (!putSizes(problem, *signature, dims)) return std::nullopt;
  const Json types = valueOf(args, "Input type");
  if (const auto type = typeOf(wordAt(types, 0))) {
    problem.dtype = *type;
  } else if (!wordAt(types, 0).empty()) {
    return std::nullopt;  // a type that the lab does not run
  }
  const Json concrete = valueOf(args, "Concrete Inputs");
  const std::string causal = wordAt(concrete, signature->causal);
  if (causal == "True" || causal == "true" || causal == "1") problem.mask = CausalMask{};
  if (signature->name == "aten::_efficient_attention_forward") {
    // custom_mask_type: 0 none, 1 causal from the top left, 2 from the bottom right.
    const auto kind = numberAt(concrete, 9);
    if (kind == 1.0) problem.mask = CausalMask{CausalAlignment::kTopLeft};
    if (kind == 2.0) problem.mask = CausalMask{CausalAlignment::kBottomRight};
  }
  if (signature->name == "aten::_flash_attention_forward" && std::holds_alternative<CausalMask>(problem.mask)) {
    problem.mask = CausalMask{CausalAlignment::kBottomRight};  // flash-attn's own since 2.1
    if (problem.queryLength == problem.keyValueLength) problem.mask = CausalMask{};
  }
  if (const auto scale = numberAt(concrete, signature->scale)) {
    // What is the default to the digits that were recorded stays the default.
    const double usual = 1 / std::sqrt(static_cast<double>(problem.headSize));
    if (std::abs(*scale - usual) > 1e-6 * usual) problem.scale = *scale;
  }
  if (const auto dropout = numberAt(concrete, signature->dropout); dropout && *dropout > 0 && *dropout < 1) {
    problem.dropout = *dropout;
  }
  return problem;
}

}  // namespace attnscope::ui
