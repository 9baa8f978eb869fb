// SPDX-License-Identifier: Apache-2.0
#include "core/base/Progress.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace attnscope {
namespace {

TEST(Progress, BeginsEmpty) {
  const Progress progress;
  EXPECT_STREQ(progress.stage(), "");
  EXPECT_EQ(progress.done(), 0u);
  EXPECT_EQ(progress.total(), 0u);
  EXPECT_EQ(progress.events(), 0u);
}

TEST(Progress, EnteringAStageSetsItsTotalAndForgetsWhatWasDone) {
  Progress progress;
  progress.enter("Parse", 100);
  progress.advance(40);
  progress.advance(2);
  EXPECT_STREQ(progress.stage(), "Parse");
  EXPECT_EQ(progress.done(), 42u);
  EXPECT_EQ(progress.total(), 100u);
  progress.enter("Sort", 7);
  EXPECT_STREQ(progress.stage(), "Sort");
  EXPECT_EQ(progress.done(), 0u);
  EXPECT_EQ(progress.total(), 7u);
}

TEST(Progress, EventsAreCountedAcrossStages) {
  Progress progress;
  progress.enter("Parse", 0);
  progress.addEvents(5);
  progress.enter("Sort", 0);
  progress.addEvents(3);
  EXPECT_EQ(progress.events(), 8u);
}

TEST(Progress, ThreadsLoseNoStep) {
  Progress progress;
  progress.enter("Parse", 40'000);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&progress] {
      for (int i = 0; i < 10'000; ++i) progress.advance(1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(progress.done(), 40'000u);
}

}  // namespace
}  // namespace attnscope
