// SPDX-License-Identifier: Apache-2.0
#include "core/engine/kernels/WorkerPool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace attnscope::kernels {
namespace {

TEST(WorkerPool, RunsEachItemOnce) {
  for (const int workers : {1, 2, 4}) {
    WorkerPool pool(workers);
    EXPECT_EQ(pool.workers(), workers);
    for (const std::int64_t items : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(items));
      std::atomic<bool> known{true};
      pool.run(items, [&](int worker, std::int64_t item) {
        if (worker < 0 || worker >= workers) known = false;
        ++runs[static_cast<std::size_t>(item)];
      });
      EXPECT_TRUE(known);
      for (const std::atomic<int>& count : runs) EXPECT_EQ(count, 1);
    }
  }
}

// What the items wrote is seen after the run, without a lock of the caller's.
TEST(WorkerPool, ManyShortRunsSeeEachOthersWork) {
  WorkerPool pool(3);
  std::vector<int> counts(64, 0);
  for (int run = 0; run < 500; ++run) {
    pool.run(64, [&](int, std::int64_t item) { ++counts[static_cast<std::size_t>(item)]; });
  }
  for (const int count : counts) EXPECT_EQ(count, 500);
}

TEST(WorkerPool, EndsWithoutARun) { const WorkerPool pool(4); }

}  // namespace
}  // namespace attnscope::kernels
