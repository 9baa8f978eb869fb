// SPDX-License-Identifier: Apache-2.0
#include "core/engine/TestHooks.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <vector>

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

}  // namespace

void TestHooks::enter(std::string_view implementation, RunPhase phase, int round) const {
  for (const TestHook& hook : m_hooks) {
    if (hook.implementation != implementation || hook.phase != phase) continue;
    if (phase == RunPhase::kTime && hook.round != round) continue;
    act(hook.action, m_memoryBudgetBytes);
  }
}

bool TestHooks::wantsWrongResult(std::string_view implementation) const {
  for (const TestHook& hook : m_hooks) {
    if (hook.implementation == implementation && hook.action == "wrong-result") return true;
  }
  return false;
}

}  // namespace attnscope::engine
