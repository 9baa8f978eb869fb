// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/DecodePaged.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "core/engine/Inputs.h"
#include "core/engine/Stage.h"
#include "core/engine/implementations/DecodeLoop.h"
#include "core/problem/Cards.h"

namespace attnscope::engine {
namespace {

constexpr std::uint64_t kPageStream = 11;

// The memory of all sequences, in pages that each belong to one of them.
struct PagePool {
  at::Tensor keys;    // [pages, Hk, p, D]
  at::Tensor values;  // [pages, Hk, p, V]
  at::Tensor table;   // [B, pages of a sequence], int64: which page holds tokens [i p, (i + 1) p)

  explicit PagePool(const Problem& problem) {
    const std::int64_t ofOne = (problem.keyValueLength + kPageTokens - 1) / kPageTokens;
    const std::int64_t pages = problem.batch * ofOne;
    const at::ScalarType type = scalarTypeOf(problem.dtype);
    keys = at::empty({pages, problem.keyValueHeads, kPageTokens, problem.headSize}, type);
    values = at::empty({pages, problem.keyValueHeads, kPageTokens, problem.valueHeadSize}, type);
    table = at::empty({problem.batch, ofOne}, at::kLong);
    auto* page = table.mutable_data_ptr<std::int64_t>();
    std::iota(page, page + pages, 0);
    std::mt19937_64 random(streamOf(problem.seed, kPageStream));
    for (std::int64_t i = pages; i > 1; --i) {
      std::swap(page[i - 1], page[random() % static_cast<std::uint64_t>(i)]);
    }
  }

  void write(std::int64_t sequence, std::int64_t position, const at::Tensor& key, const at::Tensor& value) {
    const std::int64_t page = table.const_data_ptr<std::int64_t>()[sequence * table.size(1) + position / kPageTokens];
    keys.select(0, page).select(1, position % kPageTokens).copy_(key);
    values.select(0, page).select(1, position % kPageTokens).copy_(value);
  }

  // Pages [from, to) of each sequence from memory [pages, Hk, p, .] as [B, Hk, tokens, .].
  [[nodiscard]] at::Tensor gathered(const at::Tensor& memory, std::int64_t from, std::int64_t to) const {
    const Stage stage("gather");
    const at::Tensor wanted = table.narrow(1, from, to - from).flatten();
    return at::index_select(memory, 0, wanted).unflatten(0, {table.size(0), to - from}).transpose(1, 2).flatten(2, 3);
  }
};

class DecodePaged final : public DecodeLoop {
 public:
  explicit DecodePaged(const Problem& problem) : DecodeLoop(problem), m_pool(problem) {}

  void prepare(const at::Tensor& /*query*/, const at::Tensor& key, const at::Tensor& value) override {
    for (std::int64_t sequence = 0; sequence < key.size(0); ++sequence) {
      for (std::int64_t token = 0; token < prompt(); ++token) {
        m_pool.write(sequence, token, key.select(0, sequence).select(1, token),
                     value.select(0, sequence).select(1, token));
      }
    }
  }

 private:
  class Paged final : public Cache {
   public:
    Paged(const Problem& problem, PagePool pool) : m_scale(problem.scale), m_pool(std::move(pool)) {}

    void append(std::int64_t position, const at::Tensor& key, const at::Tensor& value) override {
      for (std::int64_t sequence = 0; sequence < key.size(0); ++sequence) {
        m_pool.write(sequence, position, key.select(0, sequence).select(1, 0), value.select(0, sequence).select(1, 0));
      }
    }

    [[nodiscard]] FusedResult attend(const at::Tensor& query, KeyRange tokens, const at::Tensor& bias) const override {
      MergedParts merged;
      const std::int64_t last = (tokens.to + kPageTokens - 1) / kPageTokens;
      for (std::int64_t page = tokens.from / kPageTokens; page < last; page += kPagesOfSplit) {
        const std::int64_t end = std::min(page + kPagesOfSplit, last);
        const std::int64_t first = page * kPageTokens;
        const KeyRange seen{std::max(tokens.from, first), std::min(tokens.to, end * kPageTokens)};
        FusedMask mask;
        if (bias.defined()) mask.added = bias.narrow(-1, seen.from - tokens.from, seen.size());
        merged.add(fused(query, m_pool.gathered(m_pool.keys, page, end).narrow(2, seen.from - first, seen.size()),
                         m_pool.gathered(m_pool.values, page, end).narrow(2, seen.from - first, seen.size()), mask,
                         m_scale));
      }
      return {.output = merged.output(), .rowSums = merged.rowSums()};
    }

   private:
    std::optional<double> m_scale;
    PagePool m_pool;  // shares the memory of the implementation's
  };

  [[nodiscard]] std::unique_ptr<Cache> cacheOf(const at::Tensor& /*key*/, const at::Tensor& /*value*/) const override {
    return std::make_unique<Paged>(problem(), m_pool);
  }

  PagePool m_pool;
};

}  // namespace

ImplementationEntry decodePaged() {
  return {.id = "decode.paged", .make = [](const Problem& problem) -> std::unique_ptr<Implementation> {
            return std::make_unique<DecodePaged>(problem);
          }};
}

}  // namespace attnscope::engine
