// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/OwnKernel.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/record_function.h>
#include <fmt/format.h>

#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/engine/Extras.h"
#include "core/engine/Inputs.h"
#include "core/engine/InsideView.h"
#include "core/engine/Masks.h"
#include "core/engine/Stage.h"
#include "core/engine/kernels/TileSearch.h"
#include "core/problem/Cards.h"
#include "core/problem/MaskTable.h"

namespace attnscope::engine {
namespace {

// What the cards say of the kernels.
static_assert(kOwnHeadSize == kernels::kMostHeadSize);
static_assert(kOwnDotRows == kernels::kMostDotRows);
static_assert(kOwnKeyBlock >= kernels::kLargestTiles.keyBlock && kOwnRowChunk == kernels::kLargestTiles.rowChunk);

kernels::ElementType elementTypeOf(DataType type) {
  if (type == DataType::kBFloat16) return kernels::ElementType::kBFloat16;
  return type == DataType::kFloat16 ? kernels::ElementType::kFloat16 : kernels::ElementType::kFloat32;
}

kernels::TensorView viewOf(const at::Tensor& tensor) {
  return {tensor.const_data_ptr(), tensor.stride(0), tensor.stride(1), tensor.stride(2)};
}

// Rows without gaps, as the kernels read them; a copy only where they are not.
at::Tensor withWholeRows(const at::Tensor& tensor) { return tensor.stride(3) == 1 ? tensor : tensor.contiguous(); }

// What a mask of a file adds to the scores, in rows of all keys that every sequence and head shares: its booleans where
// they lie, or its bias rounded to the problem's type. ALiBi is computed from distances and is not in it.
struct TableOfScores {
  std::shared_ptr<const MaskTable> table;  // keeps the booleans
  at::Tensor bias;                         // [N, M], -inf where a query does not see a key
  kernels::TensorView view;
};

std::optional<kernels::BiasType> biasTypeOf(const Problem& problem) {
  const MaskTable* table = tableOf(problem.mask);
  if (table == nullptr) return std::nullopt;
  if (table->bias.empty()) return kernels::BiasType::kBoolean;
  if (problem.dtype == DataType::kBFloat16) return kernels::BiasType::kBFloat16;
  return problem.dtype == DataType::kFloat16 ? kernels::BiasType::kFloat16 : kernels::BiasType::kFloat32;
}

TableOfScores tableOfScores(const Problem& problem) {
  const auto* file = std::get_if<FileMask>(&problem.mask);
  if (file == nullptr || file->table == nullptr) return {};
  TableOfScores scores;
  scores.table = file->table;
  scores.view = {scores.table->visible.data(), 0, 0, problem.keyValueLength};
  if (scores.table->bias.empty()) return scores;
  Problem alone = problem;
  alone.alibi = false;
  scores.bias = additiveMask(alone, scalarTypeOf(problem.dtype)).contiguous();
  scores.view.data = scores.bias.const_data_ptr();
  return scores;
}

// Calls the kernel as it is, but for the one call after watchNextCall().
class KernelCaller final : public Inside {
 public:
  KernelCaller(const Problem& problem, std::unique_ptr<kernels::AttentionKernel> kernel, int workers)
      : m_kernel(std::move(kernel)) {
    m_watched.workers = workers;
    m_watched.group = problem.groupSize();
    m_watched.queries = problem.queryLength;
    m_watched.keys = problem.keyValueLength;
  }

  void run(const kernels::AttentionTensors& tensors) {
    if (!m_watchesNext) {
      m_kernel->run(tensors);
      return;
    }
    m_watchesNext = false;
    m_kernel->watch(tensors, m_watched.call);
  }

  std::optional<std::string> refusal() const override {
    const std::int64_t steps = m_kernel->count().steps;
    if (steps <= kMostTileSlices) return std::nullopt;
    return fmt::format(
        "It would have {} slices, and no more than {} are recorded. Use shorter sequences or fewer heads.", steps,
        kMostTileSlices);
  }
  void watchNextCall() override {
    m_watched.expectedSteps = m_kernel->count().steps;
    m_watched.call = m_kernel->roomToWatch(kMostRowStates);
    m_watchesNext = true;
  }
  const WatchedAttention& watched() const override { return m_watched; }

 private:
  std::unique_ptr<kernels::AttentionKernel> m_kernel;
  WatchedAttention m_watched;
  bool m_watchesNext = false;
};

// An operator in what is recorded, as LibTorch's fused one is: else nothing there would have done the work. While
// nothing records it costs one look at a list that is empty.
class RecordedAttention {
 public:
  RecordedAttention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) {
    auto callbacks = at::getStepCallbacksUnlessEmpty(at::RecordScope::FUNCTION);
    if (!callbacks) return;
    m_inputs = {query, key, value};
    m_record.emplace(std::move(*callbacks));
    m_record->before("attnscope::attention", &m_inputs);
  }

 private:
  std::vector<c10::IValue> m_inputs;  // as long as the record
  std::optional<at::RecordFunction> m_record;
};

class OwnKernel final : public Implementation {
 public:
  OwnKernel(std::unique_ptr<KernelCaller> caller, TableOfScores scores)
      : m_caller(std::move(caller)), m_scores(std::move(scores)) {}

  Inside* inside() override { return m_caller.get(); }

  at::Tensor call(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const override {
    const Stage stage("fused");
    const RecordedAttention record(query, key, value);
    at::Tensor output = at::empty({query.size(0), query.size(1), query.size(2), value.size(3)}, query.options());
    const at::Tensor queries = withWholeRows(query);
    const at::Tensor keys = withWholeRows(key);
    const at::Tensor values = withWholeRows(value);
    kernels::AttentionTensors tensors;
    tensors.query = viewOf(queries);
    tensors.key = viewOf(keys);
    tensors.value = viewOf(values);
    tensors.output = {output.mutable_data_ptr(), output.stride(0), output.stride(1), output.stride(2)};
    tensors.bias = m_scores.view;
    m_caller->run(tensors);
    return output;
  }

 private:
  std::unique_ptr<KernelCaller> m_caller;
  TableOfScores m_scores;
};

// All that may change a score beside the mask.
void putExtras(kernels::AttentionShape& shape, const Problem& problem) {
  shape.softcap = static_cast<float>(problem.softcap);
  shape.bias = biasTypeOf(problem);
  shape.firstPosition = positionOf(problem, 0);
  for (std::int64_t head = 0; problem.alibi && head < problem.heads; ++head) {
    shape.slopes.push_back(static_cast<float>(alibiSlope(problem, head)));
  }
  if (!problem.sink) return;
  const at::Tensor sinks = sinkLogits(problem).to(at::kFloat).contiguous();
  shape.sinks.assign(sinks.const_data_ptr<float>(), sinks.const_data_ptr<float>() + problem.heads);
}

}  // namespace

kernels::AttentionShape kernelShapeOf(const Problem& problem) {
  kernels::AttentionShape shape;
  shape.batch = problem.batch;
  shape.heads = problem.heads;
  shape.keyValueHeads = problem.keyValueHeads;
  shape.queryLength = problem.queryLength;
  shape.keyLength = problem.keyValueLength;
  shape.headSize = problem.headSize;
  shape.valueHeadSize = problem.valueHeadSize;
  shape.type = elementTypeOf(problem.dtype);
  shape.scale = static_cast<float>(problem.effectiveScale());
  putExtras(shape, problem);
  if (std::holds_alternative<NoMask>(problem.mask)) return shape;
  for (std::int64_t query = 0; query < problem.queryLength; ++query) {
    const KeyRange seen = keysSeenBy(problem, query);
    shape.ranges.push_back({static_cast<std::int32_t>(seen.from), static_cast<std::int32_t>(seen.to)});
  }
  return shape;
}

std::unique_ptr<Implementation> makeOwnKernel(const Problem& problem, kernels::Method method) {
  kernels::KernelOptions options;
  options.isa = kernels::bestIsa();
  options.workers = at::get_num_threads();
  options.method = method;
  options.sizes = kernels::tileSizesHere(options.isa);
  auto kernel = kernels::AttentionKernel::make(kernelShapeOf(problem), options);
  if (!kernel) throw std::runtime_error(kernel.error().message());
  auto caller = std::make_unique<KernelCaller>(problem, std::move(*kernel), options.workers);
  return std::make_unique<OwnKernel>(std::move(caller), tableOfScores(problem));
}

}  // namespace attnscope::engine
