// SPDX-License-Identifier: Apache-2.0
#include "core/engine/TestHooks.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <utility>
#include <vector>

#include "core/engine/Benchmark.h"

namespace attnscope::engine {
namespace {

constexpr std::int64_t kBlockBytes = 64 << 20;

// Takes memory as a call does that needs too much. Without a budget it asks for more than there is on any machine, and
// nothing is pressed.
void takeAllMemory(std::uint64_t budgetBytes) {
  if (budgetBytes == 0) static_cast<void>(at::empty({std::int64_t{1} << 50}, at::kByte));
  std::vector<at::Tensor> taken;
  for (std::uint64_t bytes = 0; bytes <= budgetBytes; bytes += kBlockBytes) {
    taken.push_back(at::empty({kBlockBytes}, at::kByte));
  }
}

void act(std::string_view action, std::uint64_t budgetBytes) {
  if (action == "crash") raise(SIGSEGV);
  if (action == "abort") std::abort();
  if (action == "exit") _exit(1);
  if (action == "out-of-memory") takeAllMemory(budgetBytes);
  while (action == "hang") pause();
}

bool hasAction(std::span<const TestHook> hooks, std::string_view implementation, std::string_view action) {
  return std::any_of(hooks.begin(), hooks.end(), [&](const TestHook& hook) {
    return hook.implementation == implementation && hook.action == action;
  });
}

class BusyWaiting : public Implementation {
 public:
  explicit BusyWaiting(std::unique_ptr<Implementation> inner) : m_inner(std::move(inner)) {}

  [[nodiscard]] at::Tensor call(const at::Tensor& query, const at::Tensor& key,
                                const at::Tensor& value) const override {
    const std::int64_t start = now().threadCpuNs;
    at::Tensor result = m_inner->call(query, key, value);
    const std::int64_t called = now().threadCpuNs;
    const auto end = called + static_cast<std::int64_t>(kBusyWaitShare * static_cast<double>(called - start));
    while (now().threadCpuNs < end) {
    }
    return result;
  }
  void prepare(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) override {
    m_inner->prepare(query, key, value);
  }

 private:
  std::unique_ptr<Implementation> m_inner;
};

}  // namespace

void TestHooks::enter(std::string_view implementation, RunPhase phase, int round) const {
  for (const TestHook& hook : m_hooks) {
    if (hook.implementation != implementation || hook.phase != phase) continue;
    if (phase == RunPhase::kTime && hook.round != round) continue;
    act(hook.action, m_memoryBudgetBytes);
  }
}

bool TestHooks::wantsWrongResult(std::string_view implementation) const {
  return hasAction(m_hooks, implementation, "wrong-result");
}

bool TestHooks::wantsFirst(std::string_view implementation) const {
  return hasAction(m_hooks, implementation, "again") || wantsWaiting(implementation);
}

bool TestHooks::wantsWaiting(std::string_view implementation) const {
  return hasAction(m_hooks, implementation, "again-slower");
}

std::unique_ptr<Implementation> busyWaiting(std::unique_ptr<Implementation> inner) {
  return std::make_unique<BusyWaiting>(std::move(inner));
}

}  // namespace attnscope::engine
