// SPDX-License-Identifier: Apache-2.0
#include "core/problem/Formulas.h"

#include <algorithm>
#include <limits>

#include "core/problem/MaskTable.h"

namespace attnscope {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

// Of the causal mask: queries that see 1, 2, 3... keys, then all M.
std::int64_t topLeftPairs(std::int64_t queries, std::int64_t keys) {
  const std::int64_t rising = std::min(queries, keys);
  return rising * (rising + 1) / 2 + (queries - rising) * keys;
}

std::int64_t bottomRightPairs(std::int64_t queries, std::int64_t keys) {
  const std::int64_t rising = std::min(queries, keys);  // the last `rising` queries see something
  return rising * keys - rising * (rising - 1) / 2;
}

std::int64_t pairsByQuery(const Problem& problem) {
  std::int64_t pairs = 0;
  for (std::int64_t query = 0; query < problem.queryLength; ++query) pairs += keysSeenBy(problem, query).size();
  return pairs;
}

}  // namespace

std::int64_t saturatingProduct(std::initializer_list<std::int64_t> factors) {
  std::int64_t product = 1;
  for (const std::int64_t factor : factors) {
    if (factor == 0) return 0;
    if (__builtin_mul_overflow(product, factor, &product)) product = kLargest;
  }
  return product;
}

std::int64_t saturatingSum(std::initializer_list<std::int64_t> terms) {
  std::int64_t sum = 0;
  for (const std::int64_t term : terms) {
    if (__builtin_add_overflow(sum, term, &sum)) return kLargest;
  }
  return sum;
}

std::int64_t attendedPairs(const Problem& problem) {
  const std::int64_t queries = problem.queryLength;
  const std::int64_t keys = problem.keyValueLength;
  if (const MaskTable* table = tableOf(problem.mask)) {
    return static_cast<std::int64_t>(std::count(table->visible.begin(), table->visible.end(), 1));
  }
  if (std::holds_alternative<NoMask>(problem.mask) || std::holds_alternative<FileMask>(problem.mask)) {
    return saturatingProduct({queries, keys});
  }
  if (const auto* causal = std::get_if<CausalMask>(&problem.mask)) {
    return causal->alignment == CausalAlignment::kTopLeft ? topLeftPairs(queries, keys)
                                                          : bottomRightPairs(queries, keys);
  }
  if (const auto* window = std::get_if<WindowMask>(&problem.mask); window != nullptr && queries == keys) {
    const std::int64_t width = std::min(window->width, keys);
    return queries * width - width * (width - 1) / 2;
  }
  return pairsByQuery(problem);
}

std::int64_t flopsOfPairs(const Problem& problem, std::int64_t pairs) {
  const std::int64_t forward = problem.headSize + problem.valueHeadSize;
  const std::int64_t backward = problem.pass == Pass::kForward ? 0 : 3 * problem.headSize + 2 * problem.valueHeadSize;
  return saturatingProduct({2, problem.batch, problem.heads, pairs, forward + backward});
}

std::int64_t storedFlopsOfPairs(const Problem& problem, std::int64_t pairs) {
  const std::int64_t passes = problem.pass == Pass::kForward ? 1 : 3;
  return saturatingProduct({2, problem.batch, problem.heads, pairs, passes, problem.headSize + problem.valueHeadSize});
}

std::int64_t linearLayerFlops(const Problem& problem) {
  if (problem.workload == Workload::kAttention) return 0;
  const std::int64_t model = problem.modelSize();
  const std::int64_t projections =
      model * (problem.heads * problem.headSize + problem.keyValueHeads * (problem.headSize + problem.valueHeadSize) +
               problem.heads * problem.valueHeadSize);
  const std::int64_t passes = problem.pass == Pass::kForward ? 1 : 3;
  return saturatingProduct({2, passes, problem.batch, problem.queryLength, projections + 8 * model * model});
}

std::int64_t usefulFlops(const Problem& problem) {
  return saturatingSum({flopsOfPairs(problem, attendedPairs(problem)), linearLayerFlops(problem)});
}

std::int64_t minimumBytes(const Problem& problem) {
  const std::int64_t rows = saturatingProduct({4, problem.batch, problem.heads, problem.queryLength});
  const std::int64_t forward = saturatingSum({inputBytes(problem), outputBytes(problem), rows});
  if (problem.pass == Pass::kForward) return forward;
  // Backward reads Q, K, V, O and the gradient of O, and writes those of Q, K and V.
  const std::int64_t once = saturatingSum({inputBytes(problem), outputBytes(problem)});
  return saturatingSum({forward, once, once, rows, rows, rows});
}

std::int64_t queryBytes(const Problem& problem) {
  return saturatingProduct(
      {bytesOf(problem.dtype), problem.batch, problem.heads, problem.queryLength, problem.headSize});
}

std::int64_t keyBytes(const Problem& problem) {
  return saturatingProduct(
      {bytesOf(problem.dtype), problem.batch, problem.keyValueHeads, problem.keyValueLength, problem.headSize});
}

std::int64_t valueBytes(const Problem& problem) {
  return saturatingProduct(
      {bytesOf(problem.dtype), problem.batch, problem.keyValueHeads, problem.keyValueLength, problem.valueHeadSize});
}

std::int64_t outputBytes(const Problem& problem) {
  return saturatingProduct(
      {bytesOf(problem.dtype), problem.batch, problem.heads, problem.queryLength, problem.valueHeadSize});
}

std::int64_t inputBytes(const Problem& problem) {
  return saturatingSum({queryBytes(problem), keyBytes(problem), valueBytes(problem)});
}

std::int64_t scoreBytes(const Problem& problem, std::int64_t bytesPerValue) {
  return saturatingProduct({bytesPerValue, problem.batch, problem.heads, problem.queryLength, problem.keyValueLength});
}

std::int64_t maskBytes(const Problem& problem) {
  if (std::holds_alternative<NoMask>(problem.mask)) return 0;
  return saturatingProduct({problem.queryLength, problem.keyValueLength});
}

}  // namespace attnscope
