// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/RingThreads.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <c10/core/InferenceMode.h>

#include <array>
#include <vector>

#include "core/engine/Extras.h"
#include "core/engine/Masks.h"
#include "core/engine/Stage.h"
#include "core/engine/implementations/Fused.h"
#include "core/problem/Cards.h"

// at::parallel_for() is serial without OpenMP, silently.
#ifndef _OPENMP
#error "this file is compiled with OpenMP"
#endif

namespace attnscope::engine {
namespace {

constexpr std::int64_t kChunks = 2 * kRingHosts;

class RingThreads final : public Implementation {
 public:
  explicit RingThreads(const Problem& problem)
      : m_problem(problem), m_causal(isMasked(problem)), m_sinks(sinkLogits(problem)) {}

  at::Tensor call(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const override {
    at::Tensor output = at::empty({query.size(0), query.size(1), query.size(2), value.size(3)}, query.options());
    std::vector<Host> hosts(kRingHosts);
    onEach([&](std::int64_t host) { hosts[host].held = shardOf(host, key, value); });
    for (std::int64_t step = 0; step < kRingHosts; ++step) {
      const Stage stage("ring");
      onEach([&](std::int64_t host) { attend(hosts[host], host, query); });
      if (step + 1 < kRingHosts) rotate(hosts);
    }
    onEach([&](std::int64_t host) { putOutput(hosts[host], host, output); });
    return output;
  }

 private:
  // Keys and values of a host's two chunks; they travel.
  struct Shard {
    std::int64_t owner = 0;
    std::array<at::Tensor, 2> keys, values;
  };
  struct Host {
    Shard held;
    std::array<MergedParts, 2> parts;  // of the queries of its chunks; they stay
  };

  // As a zigzag: the first and the last are one host's, so that each sees as many keys.
  static std::array<std::int64_t, 2> chunksOf(std::int64_t host) { return {host, kChunks - 1 - host}; }
  [[nodiscard]] KeyRange rangeOf(std::int64_t chunk) const {
    return {m_problem.queryLength * chunk / kChunks, m_problem.queryLength * (chunk + 1) / kChunks};
  }

  // Each host by one of the process's threads, whose operators then run on it alone.
  template <class Do>
  static void onEach(Do&& work) {
    at::parallel_for(0, kRingHosts, 1, [&](std::int64_t begin, std::int64_t end) {
      const c10::InferenceMode noGradients;
      for (std::int64_t host = begin; host < end; ++host) work(host);
    });
  }

  [[nodiscard]] Shard shardOf(std::int64_t host, const at::Tensor& key, const at::Tensor& value) const {
    Shard shard;
    shard.owner = host;
    for (std::size_t half = 0; half < 2; ++half) {
      const KeyRange range = rangeOf(chunksOf(host)[half]);
      shard.keys[half] = key.narrow(2, range.from, range.size()).clone();
      shard.values[half] = value.narrow(2, range.from, range.size()).clone();
    }
    return shard;
  }

  void attend(Host& host, std::int64_t index, const at::Tensor& query) const {
    for (std::size_t own = 0; own < 2; ++own) {
      const KeyRange queries = rangeOf(chunksOf(index)[own]);
      for (std::size_t half = 0; half < 2; ++half) {
        const std::int64_t keyChunk = chunksOf(host.held.owner)[half];
        const KeyRange keys = rangeOf(keyChunk);
        const bool later = m_causal && keyChunk > chunksOf(index)[own];
        if (later || queries.size() == 0 || keys.size() == 0) continue;
        const bool diagonal = m_causal && keyChunk == chunksOf(index)[own];
        host.parts[own].add(fused(query.narrow(2, queries.from, queries.size()), host.held.keys[half],
                                  host.held.values[half], maskOf(queries, keys, diagonal), m_problem.scale));
      }
    }
  }

  [[nodiscard]] FusedMask maskOf(KeyRange queries, KeyRange keys, bool diagonal) const {
    FusedMask mask{.causal = diagonal, .added = std::nullopt};
    if (hasBias(m_problem)) mask.added = biasOf(m_problem, queries.from, queries.size(), {keys}).unsqueeze(0);
    return mask;
  }

  // Every host takes over what its neighbour holds.
  static void rotate(std::vector<Host>& hosts) {
    std::vector<Shard> received(kRingHosts);
    onEach([&](std::int64_t host) {
      const Shard& from = hosts[(host + kRingHosts - 1) % kRingHosts].held;
      received[host].owner = from.owner;
      for (std::size_t half = 0; half < 2; ++half) {
        received[host].keys[half] = from.keys[half].clone();
        received[host].values[half] = from.values[half].clone();
      }
    });
    for (std::int64_t host = 0; host < kRingHosts; ++host) hosts[host].held = std::move(received[host]);
  }

  void putOutput(const Host& host, std::int64_t index, at::Tensor& output) const {
    for (std::size_t own = 0; own < 2; ++own) {
      const MergedParts& parts = host.parts[own];
      if (parts.empty()) continue;
      const KeyRange queries = rangeOf(chunksOf(index)[own]);
      at::Tensor target = output.narrow(2, queries.from, queries.size());
      target.copy_(m_sinks.defined() ? parts.output().mul(shareBesideSink(parts.rowSums(), m_sinks)) : parts.output());
    }
  }

  Problem m_problem;
  bool m_causal;
  at::Tensor m_sinks;
};

}  // namespace

ImplementationEntry ringThreads() {
  return {.id = "ring.threads", .make = [](const Problem& problem) -> std::unique_ptr<Implementation> {
            return std::make_unique<RingThreads>(problem);
          }};
}

}  // namespace attnscope::engine
