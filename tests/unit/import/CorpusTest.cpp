// SPDX-License-Identifier: Apache-2.0
// Counts of public files, found by another reader. The folder is not part of the sources; without it this is skipped.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/import/Files.h"

namespace attnscope {
namespace {

struct Counts {
  const char* file;
  std::uint64_t events, slices, instants, counters, kernels, memory;
};

constexpr Counts kFiles[] = {
#include "tests/unit/import/CorpusCounts.inc"
};

TEST(Corpus, Counts) {
  const std::string folder = std::string(ATTNSCOPE_CORPUS_DIR) + "/traces/";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no folder " << folder << ": name one with -DATTNSCOPE_CORPUS";
  int missing = 0;
  for (const Counts& wanted : kFiles) {
    SCOPED_TRACE(wanted.file);
    if (!std::filesystem::exists(folder + wanted.file)) {
      ++missing;
      std::printf("skipped, not there: %s\n", wanted.file);
      continue;
    }
    const auto trace = testing::load(folder + wanted.file);
    ASSERT_TRUE(trace) << trace.error().message();
    EXPECT_EQ((*trace)->events, wanted.events);
    EXPECT_EQ((*trace)->slices.size(), wanted.slices);
    EXPECT_EQ((*trace)->instants.size(), wanted.instants);
    EXPECT_EQ((*trace)->counterSamples, wanted.counters);
    EXPECT_EQ((*trace)->kernels, wanted.kernels);
    EXPECT_EQ((*trace)->memory.size(), wanted.memory);
    EXPECT_TRUE((*trace)->range.startNs == 0);
  }
  if (missing > 0) std::printf("%d files of the corpus were skipped\n", missing);
}

}  // namespace
}  // namespace attnscope
