// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a runner that was started with --test-hooks does to itself when its plan says so, so that those who watch it can
// be tested: see TestHook in core/session/RunPlan.h.

#include <span>
#include <string_view>
#include <vector>

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

 private:
  std::vector<TestHook> m_hooks;
  std::uint64_t m_memoryBudgetBytes = 0;
};

}  // namespace attnscope::engine
