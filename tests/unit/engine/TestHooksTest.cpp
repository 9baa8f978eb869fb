// SPDX-License-Identifier: Apache-2.0
#include "core/engine/TestHooks.h"

#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include "core/engine/Benchmark.h"

namespace attnscope::engine {
namespace {

class Busy : public Implementation {
 public:
  explicit Busy(std::int64_t& usedNs) : m_usedNs(usedNs) {}
  [[nodiscard]] at::Tensor call(const at::Tensor& query, const at::Tensor&, const at::Tensor&) const override {
    const std::int64_t start = now().threadCpuNs;
    while (now().threadCpuNs < start + 5'000'000) {
    }
    m_usedNs = now().threadCpuNs - start;
    return query;
  }

 private:
  std::int64_t& m_usedNs;
};

// CPU time of this thread, which other load does not change.
TEST(TestHooks, ABusyWaitAddsItsShareToEachCall) {
  std::int64_t usedNs = 0;
  const auto waiting = busyWaiting(std::make_unique<Busy>(usedNs));
  const at::Tensor query = at::ones({1});
  for (int i = 0; i < 3; ++i) {
    const std::int64_t start = now().threadCpuNs;
    const at::Tensor result = waiting->call(query, query, query);
    const std::int64_t took = now().threadCpuNs - start;
    EXPECT_TRUE(result.is_same(query));
    EXPECT_GE(static_cast<double>(took), (1 + kBusyWaitShare) * static_cast<double>(usedNs));
  }
}

TEST(TestHooks, NameWhoIsRunAsTheFirst) {
  const std::vector<TestHook> hooks = {{.implementation = "a", .action = "again"},
                                       {.implementation = "b", .action = "again-slower"}};
  const TestHooks given(hooks, 0);
  EXPECT_TRUE(given.wantsFirst("a") && given.wantsFirst("b") && given.wantsWaiting("b"));
  EXPECT_FALSE(given.wantsWaiting("a") || given.wantsFirst("c"));
}

}  // namespace
}  // namespace attnscope::engine
