// SPDX-License-Identifier: Apache-2.0
#include "core/engine/Hashing.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/argsort.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/matmul.h>

#include "core/engine/Inputs.h"
#include "core/problem/Cards.h"

namespace attnscope::engine {

at::Tensor hashedOrder(const Problem& problem, const at::Tensor& vectors, std::int64_t round) {
  constexpr std::uint64_t kFirstStream = 1000;
  const std::int64_t chunks = (problem.queryLength + kHashedChunk - 1) / kHashedChunk;
  const at::Tensor directions =
      randomNormal({problem.headSize, (chunks + 1) / 2}, 1.0,
                   streamOf(problem.seed, kFirstStream + static_cast<std::uint64_t>(round)), at::kDouble);
  // In float64, so that two ways to the same inputs hash alike.
  const at::Tensor along = at::matmul(vectors.to(at::kDouble), directions);
  const at::Tensor buckets = at::cat({along, along.neg()}, -1).argmax(-1);
  return at::argsort(buckets, /*stable=*/true, -1, /*descending=*/false);
}

at::Tensor chunkOfEach(const at::Tensor& order) {
  const at::Tensor chunks = at::arange(order.size(-1), at::kLong).floor_divide(kHashedChunk).expand_as(order);
  return at::empty_like(order, at::MemoryFormat::Contiguous).scatter_(-1, order, chunks);
}

}  // namespace attnscope::engine
