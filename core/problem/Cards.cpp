// SPDX-License-Identifier: Apache-2.0
#include "core/problem/Cards.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <fstream>
#include <utility>
#include <vector>

#include "core/problem/CardTables.h"
#include "core/problem/MaskTable.h"

namespace attnscope {
namespace {

// The command line's contract.
constexpr std::array<std::string_view, 24> kOrder = {
    "naive.plain",   "naive.inplace",       "naive.fp32",   "sdpa.math",    "sdpa.flash",    "sdpa.efficient",
    "sdpa.cudnn",    "blockwise.aten",      "own.fused",    "own.decode",   "window.blocks", "sparse.blocks",
    "chunked.plain", "linear.elu",          "lsh.reformer", "mla.absorbed", "mla.plain",     "gqa.repeat",
    "decode.cat",    "decode.preallocated", "decode.paged", "ring.threads", "byo.script",    "byo.package"};

const std::vector<Card>& table() {
  static const std::vector<Card> cards = [] {
    std::vector<Card> ordered;
    for (const std::string_view id : kOrder) {
      for (const std::span<const Card> part :
           {naiveCards(), sdpaCards(), blockCards(), ownCards(), sparseCards(), linearCards(), hashedCards(),
            latentCards(), decodeCards(), ringCards(), yourCards(), plannedCards()}) {
        for (const Card& card : part) {
          if (card.id == id) ordered.push_back(card);
        }
      }
    }
    assert(ordered.size() == kOrder.size());
    return ordered;
  }();
  return cards;
}

// X of a block: its input, and its output.
std::int64_t valuesOfModel(const Problem& problem) {
  return saturatingProduct({bytesOf(problem.dtype), problem.batch, problem.queryLength, problem.modelSize()});
}

// One call of a block forward, operator by operator (TransformerBlock.cpp of the engine), with X = e B N d of the
// model's size d = Hq D, and `held` the queries, keys and values, which live to the end of it: Q + K + V, and in the
// layout bnhd what they are views of, e B N (Hq D + Hk (D + V)), beside the turned queries and keys. The largest of
//   projection       X (normed) + e B N (Hq D + Hk (D + V)), and in bhnd Q + K + V
//   positions        held so far + 3 Q, then + 3 K: two halves twice, and what they are put together to
//   attention        held + what it takes by itself
//   output           held + O + its heads side by side, O + 2 X
//   MLP              held + O + 11 X: mixed, normed, 4 X before and 4 X after GELU, down
std::int64_t peakInBlock(const Problem& problem, std::int64_t attentionBytes) {
  const bool views = problem.layout == Layout::kBnhd;
  const std::int64_t one = valuesOfModel(problem);
  const std::int64_t heads = inputBytes(problem);
  const std::int64_t projected = heads;  // as many values, side by side
  const std::int64_t query = queryBytes(problem);
  const std::int64_t key = keyBytes(problem);
  const std::int64_t held = views ? saturatingSum({projected, query, key}) : heads;
  const std::int64_t beforeKeys = views ? saturatingSum({projected, query}) : heads;
  const std::int64_t output = outputBytes(problem);
  return std::max({saturatingSum({one, projected, views ? 0 : heads}),
                   saturatingSum({views ? projected : heads, saturatingProduct({3, query})}),
                   saturatingSum({beforeKeys, saturatingProduct({3, key})}), saturatingSum({held, attentionBytes}),
                   saturatingSum({held, output, output, one, one}),
                   saturatingSum({held, output, saturatingProduct({11, one})})});
}

// With backward: what is there at once at least. When it begins that is what the layers keep, with X as above: both
// norms' results, Q, K, V, the heads side by side, mixed, 4 X before and 4 X after GELU, and the output. When attention
// takes the most there is beside it the norm's result X; forward also Q, K, V, and backward the residual's gradient X
// and those of the weights after it, e (8 d^2 + d Hq V). Of attention's output only what it keeps itself counts.
std::int64_t leastInBlock(const Problem& problem, std::int64_t attentionBytes) {
  const std::int64_t one = valuesOfModel(problem);
  const std::int64_t heads = inputBytes(problem);
  const std::int64_t output = outputBytes(problem);
  const std::int64_t weights = saturatingProduct(
      {bytesOf(problem.dtype), problem.modelSize(), 8 * problem.modelSize() + problem.heads * problem.valueHeadSize});
  const std::int64_t beside = std::min(heads, saturatingSum({one, weights}));
  return std::max(saturatingSum({saturatingProduct({12, one}), heads, output}),
                  saturatingSum({one, beside, std::max<std::int64_t>(0, attentionBytes - output)}));
}

// A block's input and its weights.
std::int64_t inputBytesOfBlock(const Problem& problem) {
  const std::int64_t model = problem.modelSize();
  const std::int64_t projected =
      problem.heads * problem.headSize + problem.keyValueHeads * (problem.headSize + problem.valueHeadSize);
  const std::int64_t rows = saturatingSum({saturatingProduct({problem.batch, problem.queryLength}), projected,
                                           problem.heads * problem.valueHeadSize, 8 * model});
  return saturatingSum({saturatingProduct({bytesOf(problem.dtype), model, rows}),
                        saturatingProduct({bytesOf(problem.dtype), projected + 6 * model})});
}

}  // namespace

std::string_view toString(DeviceKind kind) { return kind == DeviceKind::kCpu ? "cpu" : "cuda"; }

std::optional<DeviceKind> deviceKindOf(std::string_view device) {
  if (device == "cpu") return DeviceKind::kCpu;
  constexpr std::string_view kNumbered = "cuda:";
  if (device == "cuda") return DeviceKind::kCuda;
  if (!device.starts_with(kNumbered) || device == kNumbered) return std::nullopt;
  const bool digits = device.find_first_not_of("0123456789", kNumbered.size()) == std::string_view::npos;
  return digits ? std::optional(DeviceKind::kCuda) : std::nullopt;
}

GroupText textOf(CardGroup group) {
  switch (group) {
    case CardGroup::kWrittenOut:
      return {"Written out, exact", "memory grows with N²"};
    case CardGroup::kFused:
      return {"Fused, exact", "memory grows with N"};
    case CardGroup::kSparse:
      return {"Sparse, exact", "skips what the mask hides"};
    case CardGroup::kApproximate:
      return {"Approximate", "compared with their own definition"};
    case CardGroup::kShared:
      return {"Shared keys and values", "smaller cache"};
    case CardGroup::kDecode:
      return {"Decode", "one query a sequence"};
    case CardGroup::kDistributed:
      return {"Several hosts", "simulated by threads"};
    case CardGroup::kYours:
      return {"Your own", "code runs with your consent alone"};
  }
  return {};
}

std::string_view familyOf(std::string_view id) { return id.substr(0, id.find('.')); }

std::span<const Card> cards() { return table(); }

const Card* findCard(std::string_view id) {
  for (const Card& card : table()) {
    if (card.id == id) return &card;
  }
  return nullptr;
}

bool runsOn(const Card& card, DeviceKind device) { return device == DeviceKind::kCpu ? card.onCpu : card.onCuda; }

std::optional<std::string> refusalOf(const Card& card, const Problem& problem, DeviceKind device) {
  if (!card.notBuilt.empty()) return std::string(card.notBuilt);
  if (!runsOn(card, device)) {
    return device == DeviceKind::kCpu ? "Runs on CUDA only. Choose a CUDA device."
                                      : "Runs on the CPU only in this version. Choose the device cpu.";
  }
  return card.refusal == nullptr ? std::nullopt : card.refusal(problem);
}

CardFigures figuresOf(const Card& card, const Problem& problem, const CardConditions& conditions) {
  return card.figures == nullptr ? commonFigures(problem) : card.figures(problem, conditions);
}

std::optional<std::string> adviceOf(const Card& card, const Problem& problem) {
  return card.advice == nullptr ? std::nullopt : card.advice(problem);
}

CardConditions conditionsHere(std::int64_t threads) {
  CardConditions conditions;
  conditions.threads = threads;
  std::ifstream flags("/proc/cpuinfo");
  for (std::string line; std::getline(flags, line);) {
    if (line.compare(0, 5, "flags") != 0) continue;
    conditions.packsBFloat16 = line.find(" amx_bf16") != std::string::npos;
    if (line.find(" avx2 ") != std::string::npos) conditions.vectorRows = 8;
    if (line.find(" avx512f ") != std::string::npos) conditions.vectorRows = 16;
    break;
  }
  return conditions;
}

double errorLimit(DataType type) {
  switch (type) {
    case DataType::kFloat32:
      return 1e-5;
    case DataType::kBFloat16:
      return 1e-2;
    case DataType::kFloat16:
      return 2e-3;
    case DataType::kFloat64:
      return 1e-12;
  }
  return 0;
}

Card builtCard(std::string_view id, std::string_view title, CardGroup group, std::string_view complexity,
               CardRefusal refusal, CardFiguresOf figures, Exactness exactness) {
  return {.id = id,
          .title = title,
          .group = group,
          .exactness = exactness,
          .complexity = complexity,
          .onCpu = true,
          .onCuda = false,
          .notBuilt = {},
          .refusal = refusal,
          .figures = figures};
}

CardFigures commonFigures(const Problem& problem) {
  CardFigures figures;
  figures.usefulFlops = usefulFlops(problem);
  figures.minimumBytes = minimumBytes(problem);
  const bool inBlock = problem.workload == Workload::kBlock;
  const std::int64_t given = inBlock ? inputBytesOfBlock(problem) : inputBytes(problem);
  const std::int64_t output = inBlock ? valuesOfModel(problem) : outputBytes(problem);
  const bool backward = problem.pass == Pass::kForwardBackward;
  figures.inputBytes = saturatingSum({given, backward ? output : 0});
  figures.leastPeakBytes = saturatingSum({output, backward ? given : 0});
  figures.peakWords = "not predicted";
  return figures;
}

void putPeak(CardFigures& figures, const Problem& problem, std::int64_t bytes, std::string words, Extras counted) {
  if ((extrasOf(problem) & ~counted) != 0) {
    figures.peakWords = "not predicted with a softcap, a sink, a bias or dropout";
  } else if (problem.pass == Pass::kForwardBackward && (counted & kBackward) == 0) {
    figures.peakWords = "not predicted with backward";
  } else if (problem.pass == Pass::kForwardBackward && problem.workload == Workload::kBlock) {
    figures.leastPeakBytes = std::max(figures.leastPeakBytes, leastInBlock(problem, bytes));
    figures.peakWords =
        fmt::format("not predicted with backward in a block, and at least {}", sizeInWords(figures.leastPeakBytes));
  } else if (problem.workload == Workload::kBlock) {
    figures.predictedPeakBytes = peakInBlock(problem, bytes);
    figures.peakWords = fmt::format("in the block; attention alone {}: {}", sizeInWords(bytes), words);
  } else {
    figures.predictedPeakBytes = bytes;
    figures.peakWords = std::move(words);
  }
  if (figures.predictedPeakBytes) figures.leastPeakBytes = *figures.predictedPeakBytes;
}

std::string sizeInWords(std::int64_t bytes) {
  static constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

Extras extrasOf(const Problem& problem) {
  Extras extras = kNoExtras;
  if (problem.softcap > 0) extras |= kSoftcap;
  if (problem.sink) extras |= kSink;
  if (hasBias(problem)) extras |= kBias;
  if (problem.dropout > 0) extras |= kDropout;
  return extras;
}

std::optional<std::string> refusedExtras(const Problem& problem, Extras supported, std::string_view who) {
  const Extras missing = extrasOf(problem) & ~supported;
  if ((missing & kDropout) != 0) {
    return fmt::format("{} drops no probabilities. Use naive.plain or sdpa.math, or a dropout of 0.", who);
  }
  if ((missing & kSoftcap) != 0) return fmt::format("{} has no softcap. Use naive.plain, or a softcap of 0.", who);
  if ((missing & kSink) != 0) {
    return fmt::format("{} has no sink, and gives no row sums to add one. Use naive.plain, or leave the sink out.",
                       who);
  }
  if ((missing & kBias) != 0) return fmt::format("{} takes no bias on the scores. Use naive.plain, or no bias.", who);
  return std::nullopt;
}

std::int64_t biasBytes(const Problem& problem) {
  if (!hasBias(problem)) return 0;
  return saturatingProduct(
      {bytesOf(problem.dtype), problem.alibi ? problem.heads : 1, problem.queryLength, problem.keyValueLength});
}

BiasOfBlock biasOfBlock(const Problem& problem, std::int64_t pairs, std::int64_t ranges) {
  if (!hasBias(problem)) return {};
  const MaskTable* table = tableOf(problem.mask);
  const bool fromTable = table != nullptr && !table->bias.empty();
  const std::int64_t e = bytesOf(problem.dtype);
  const std::int64_t a = accumulatorBytesOf(problem.dtype);
  const std::int64_t all = saturatingProduct({problem.alibi ? problem.heads : 1, pairs});
  const std::int64_t made = saturatingProduct({e, all});
  const std::int64_t raised = saturatingProduct({a, all});
  std::int64_t one = fromTable ? saturatingProduct({a + 1, pairs}) : 0;
  if (problem.alibi) {
    const std::int64_t before = fromTable ? saturatingProduct({a, pairs}) : 0;
    one = saturatingSum({before, raised, fromTable ? raised : saturatingProduct({a, pairs})});
  }
  if (a != e) one = std::max(one, saturatingSum({raised, made}));
  if (ranges <= 1) return {.making = one, .made = made};
  const std::int64_t last = saturatingSum({made / ranges * (ranges - 1), one / ranges});
  return {.making = std::max(saturatingSum({made, made}), last), .made = made};
}

bool usesMatrixUnits(const Problem& problem, const CardConditions& conditions) {
  return conditions.packsBFloat16 && bytesOf(problem.dtype) == 2;
}

std::optional<std::string> refusedBackward(const Problem& problem, std::string_view because) {
  if (problem.pass == Pass::kForward) return std::nullopt;
  return fmt::format("{} Run it forward only.", because);
}

bool isTopLeftCausal(const Mask& mask) {
  const auto* causal = std::get_if<CausalMask>(&mask);
  return causal != nullptr && causal->alignment == CausalAlignment::kTopLeft;
}

bool hasMask(const Problem& problem) { return !std::holds_alternative<NoMask>(problem.mask); }

std::int64_t repeatedBytes(const Problem& problem, std::int64_t bytesPerValue) {
  if (problem.keyValueHeads == problem.heads) return 0;
  return saturatingProduct(
      {bytesPerValue, problem.batch, problem.heads, problem.keyValueLength, problem.headSize + problem.valueHeadSize});
}

bool matmulCopies(const Problem& problem) {
  return problem.layout == Layout::kBnhd && problem.batch > 1 && problem.heads > 1;
}

}  // namespace attnscope
