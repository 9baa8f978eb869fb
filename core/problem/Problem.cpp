// SPDX-License-Identifier: Apache-2.0
#include "core/problem/Problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/Overloaded.h"
#include "core/problem/MaskTable.h"

namespace attnscope {
namespace {

constexpr std::array kDataTypes = {DataType::kFloat32, DataType::kBFloat16, DataType::kFloat16, DataType::kFloat64};

std::string_view inWords(CausalAlignment alignment) {
  return alignment == CausalAlignment::kTopLeft ? "top left" : "bottom right";
}

// Keys that a causal query sees: up to and with its diagonal.
std::int64_t causalEnd(const Problem& problem, CausalAlignment alignment, std::int64_t query) {
  const std::int64_t shift = alignment == CausalAlignment::kTopLeft ? 0 : problem.keyValueLength - problem.queryLength;
  return std::clamp<std::int64_t>(query + shift + 1, 0, problem.keyValueLength);
}

KeyRange keysOfDocument(const DocumentsMask& mask, std::int64_t query) {
  std::int64_t from = 0;
  for (const std::int64_t length : mask.lengths) {
    if (query < from + length) {
      return {from, mask.inside == InsideDocument::kCausal ? query + 1 : from + length};
    }
    from += length;
  }
  return {};
}

// The smallest range that holds every key that the query sees.
KeyRange keysOfRow(const MaskTable& table, std::int64_t query) {
  KeyRange range{table.keys, 0};
  for (std::int64_t key = 0; key < table.keys; ++key) {
    if (!table.sees(query, key)) continue;
    range.from = std::min(range.from, key);
    range.to = key + 1;
  }
  return range.to == 0 ? KeyRange{} : range;
}

}  // namespace

std::string_view toString(DataType type) {
  switch (type) {
    case DataType::kFloat32:
      return "float32";
    case DataType::kBFloat16:
      return "bfloat16";
    case DataType::kFloat16:
      return "float16";
    case DataType::kFloat64:
      return "float64";
  }
  return "";
}

std::optional<DataType> dataTypeOf(std::string_view text) {
  for (const DataType type : kDataTypes) {
    if (text == toString(type)) return type;
  }
  return std::nullopt;
}

std::int64_t bytesOf(DataType type) {
  switch (type) {
    case DataType::kFloat32:
      return 4;
    case DataType::kBFloat16:
    case DataType::kFloat16:
      return 2;
    case DataType::kFloat64:
      return 8;
  }
  return 0;
}

std::int64_t accumulatorBytesOf(DataType type) { return type == DataType::kFloat64 ? 8 : 4; }

std::string_view toString(CausalAlignment alignment) {
  return alignment == CausalAlignment::kTopLeft ? "top-left" : "bottom-right";
}

std::string_view toString(Pass pass) { return pass == Pass::kForward ? "forward" : "forward-backward"; }
std::string_view toString(Workload workload) { return workload == Workload::kAttention ? "attention" : "block"; }
std::string_view toString(Layout layout) { return layout == Layout::kBhnd ? "bhnd" : "bnhd"; }

DocumentsMask chunksOf(std::int64_t size, std::int64_t queryLength) {
  DocumentsMask documents;
  documents.inside = InsideDocument::kCausal;
  for (std::int64_t left = queryLength; left > 0; left -= documents.lengths.back()) {
    documents.lengths.push_back(std::min(size, left));
  }
  return documents;
}

std::string describe(const Mask& mask) {
  return std::visit(Overloaded{
                        [](const NoMask&) -> std::string { return "no mask"; },
                        [](const CausalMask& causal) { return fmt::format("causal, {}", inWords(causal.alignment)); },
                        [](const WindowMask& window) {
                          return fmt::format("window {}, {}", window.width, inWords(window.alignment));
                        },
                        [](const PrefixMask& prefix) { return fmt::format("prefix {}", prefix.length); },
                        [](const DocumentsMask& documents) {
                          return fmt::format("{} documents{}", documents.lengths.size(),
                                             documents.inside == InsideDocument::kCausal ? ", causal" : "");
                        },
                        [](const FileMask& file) { return fmt::format("mask of {}", file.path); },
                    },
                    mask);
}

double Problem::effectiveScale() const { return scale ? *scale : 1.0 / std::sqrt(static_cast<double>(headSize)); }

KeyRange keysSeenBy(const Problem& problem, std::int64_t query) {
  return std::visit(
      Overloaded{
          [&](const NoMask&) -> KeyRange {
            return {0, problem.keyValueLength};
          },
          [&](const CausalMask& causal) -> KeyRange {
            return {0, causalEnd(problem, causal.alignment, query)};
          },
          [&](const WindowMask& window) -> KeyRange {
            // The end that the diagonal would have on endless keys: the window is counted back from
            // there.
            const std::int64_t shift =
                window.alignment == CausalAlignment::kTopLeft ? 0 : problem.keyValueLength - problem.queryLength;
            const std::int64_t to = causalEnd(problem, window.alignment, query);
            // Wider than this it hides nothing, and its difference may not fit.
            const std::int64_t width = std::min(window.width, problem.queryLength + problem.keyValueLength);
            return {std::clamp<std::int64_t>(query + shift + 1 - width, 0, to), to};
          },
          [&](const PrefixMask& prefix) -> KeyRange {
            const std::int64_t causal = causalEnd(problem, CausalAlignment::kTopLeft, query);
            return {0, std::min(problem.keyValueLength, std::max(prefix.length, causal))};
          },
          [&](const DocumentsMask& documents) { return keysOfDocument(documents, query); },
          [&](const FileMask& file) -> KeyRange {
            return file.table ? keysOfRow(*file.table, query) : KeyRange{0, problem.keyValueLength};
          },
      },
      problem.mask);
}

const MaskTable* tableOf(const Mask& mask) {
  const auto* file = std::get_if<FileMask>(&mask);
  return file == nullptr ? nullptr : file->table.get();
}

bool hasBias(const Problem& problem) {
  const MaskTable* table = tableOf(problem.mask);
  return problem.alibi || (table != nullptr && !table->bias.empty());
}

std::int64_t positionOf(const Problem& problem, std::int64_t query) {
  const auto* causal = std::get_if<CausalMask>(&problem.mask);
  const auto* window = std::get_if<WindowMask>(&problem.mask);
  const bool topLeft = (causal != nullptr && causal->alignment == CausalAlignment::kTopLeft) ||
                       (window != nullptr && window->alignment == CausalAlignment::kTopLeft) ||
                       std::holds_alternative<PrefixMask>(problem.mask);
  return topLeft ? query : query + problem.keyValueLength - problem.queryLength;
}

double alibiSlope(const Problem& problem, std::int64_t head) {
  return std::exp2(-8.0 * static_cast<double>(head + 1) / static_cast<double>(problem.heads));
}

std::string describe(const Problem& problem) {
  std::string text = fmt::format("B{} H{}", problem.batch, problem.heads);
  if (problem.keyValueHeads != problem.heads) text += fmt::format("/{}", problem.keyValueHeads);
  text += fmt::format(" N{}", problem.queryLength);
  if (problem.keyValueLength != problem.queryLength) text += fmt::format(" M{}", problem.keyValueLength);
  text += fmt::format(" D{}", problem.headSize);
  if (problem.valueHeadSize != problem.headSize) text += fmt::format(" V{}", problem.valueHeadSize);
  text += fmt::format(" {}, {}", toString(problem.dtype), describe(problem.mask));
  if (problem.softcap > 0) text += fmt::format(", softcap {}", problem.softcap);
  if (problem.sink) text += ", sink";
  if (problem.alibi) text += ", ALiBi";
  if (problem.dropout > 0) text += fmt::format(", dropout {}", problem.dropout);
  if (problem.latentSize > 0) text += fmt::format(", latent {} + {}", problem.latentSize, problem.ropeSize);
  if (problem.pass == Pass::kForwardBackward) text += ", with backward";
  if (problem.workload == Workload::kBlock) text += ", in a block";
  return text;
}

}  // namespace attnscope
