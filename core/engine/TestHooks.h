// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a runner that was started with --test-hooks does to itself when its plan says so, so that those who watch it can
// be tested: see TestHook in core/session/RunPlan.h.

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/engine/Implementation.h"
#include "core/session/RunPlan.h"

namespace attnscope::engine {

class TestHooks {
 public:
  TestHooks() = default;  // none
  TestHooks(std::span<const TestHook> hooks, std::uint64_t memoryBudgetBytes)
      : m_hooks(hooks.begin(), hooks.end()), m_memoryBudgetBytes(memoryBudgetBytes) {}

  // Crashes, hangs or throws what LibTorch throws when memory is short, or returns.
  void enter(std::string_view implementation, RunPhase phase, int round) const;
  [[nodiscard]] bool wantsWrongResult(std::string_view implementation) const;
  // "again" and "again-slower": `implementation` is run as another.
  [[nodiscard]] bool wantsFirst(std::string_view implementation) const;
  [[nodiscard]] bool wantsWaiting(std::string_view implementation) const;

 private:
  std::vector<TestHook> m_hooks;
  std::uint64_t m_memoryBudgetBytes = 0;
};

inline constexpr double kBusyWaitShare = 0.05;
// Calls `inner` and keeps the CPU busy for kBusyWaitShare of what the call took: slower by a known amount.
[[nodiscard]] std::unique_ptr<Implementation> busyWaiting(std::unique_ptr<Implementation> inner);

}  // namespace attnscope::engine
