// SPDX-License-Identifier: Apache-2.0
#include "core/engine/Masks.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <limits>
#include <variant>
#include <vector>

#include "core/engine/Extras.h"
#include "core/problem/MaskTable.h"

namespace attnscope::engine {
namespace {

struct Bounds {
  at::Tensor from, to;  // [rows, 1]
};

Bounds boundsOf(const Problem& problem, RowRange rows) {
  Bounds bounds{at::empty({rows.count, 1}, at::kLong), at::empty({rows.count, 1}, at::kLong)};
  auto* from = bounds.from.mutable_data_ptr<std::int64_t>();
  auto* to = bounds.to.mutable_data_ptr<std::int64_t>();
  for (std::int64_t row = 0; row < rows.count; ++row) {
    const KeyRange range = keysSeenBy(problem, rows.first + row);
    from[row] = range.from;
    to[row] = range.to;
  }
  return bounds;
}

}  // namespace

bool isMasked(const Problem& problem) { return !std::holds_alternative<NoMask>(problem.mask); }

at::Tensor hiddenKeys(const Problem& problem, RowRange rows) {
  if (const MaskTable* table = tableOf(problem.mask)) {
    // from_blob() takes no const; logical_not() copies.
    auto* visible = const_cast<std::uint8_t*>(table->visible.data());
    return at::from_blob(visible, {table->queries, table->keys}, at::kBool)
        .narrow(0, rows.first, rows.count)
        .logical_not();
  }
  const Bounds bounds = boundsOf(problem, rows);
  const at::Tensor keys = at::arange(problem.keyValueLength, at::kLong);
  return at::logical_or(keys.lt(bounds.from), keys.ge(bounds.to));
}

at::Tensor emptyRows(const Problem& problem) {
  std::vector<std::int64_t> empty;
  for (std::int64_t row = 0; row < problem.queryLength; ++row) {
    if (keysSeenBy(problem, row).size() == 0) empty.push_back(row);
  }
  if (empty.empty()) return {};
  at::Tensor rows = at::empty({static_cast<std::int64_t>(empty.size())}, at::kLong);
  std::copy(empty.begin(), empty.end(), rows.mutable_data_ptr<std::int64_t>());
  return rows;
}

StoredMask storedMask(const Problem& problem) {
  if (!isMasked(problem)) return {};
  StoredMask mask{.hidden = hiddenKeys(problem, {.first = 0, .count = problem.queryLength}),
                  .emptyRows = emptyRows(problem)};
  if (mask.emptyRows.defined()) mask.hidden.index_fill_(0, mask.emptyRows, 0);
  return mask;
}

at::Tensor additiveMask(const Problem& problem, at::ScalarType type) {
  const at::Tensor bias = storedBias(problem);
  at::Tensor mask = bias.defined() ? bias.to(type) : at::zeros({1, problem.queryLength, problem.keyValueLength}, type);
  if (isMasked(problem)) {
    mask.masked_fill_(hiddenKeys(problem, {.first = 0, .count = problem.queryLength}),
                      -std::numeric_limits<double>::infinity());
  }
  return mask.size(0) == 1 ? mask.squeeze(0) : mask.unsqueeze(0);
}

bool isTopLeftCausal(const Problem& problem) {
  const auto* causal = std::get_if<CausalMask>(&problem.mask);
  return !hasBias(problem) && causal != nullptr && causal->alignment == CausalAlignment::kTopLeft;
}

void clearRows(at::Tensor& output, const at::Tensor& rows) {
  if (rows.defined()) output.index_fill_(-2, rows, 0);
}

}  // namespace attnscope::engine
