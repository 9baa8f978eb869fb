// SPDX-License-Identifier: Apache-2.0

// Occupancy by our own calculator against what the recorder estimated, call by call, on public CUDA traces. Both mean
// the same: the blocks that fit, or fewer where the grid brings fewer to each multiprocessor, in whole per cent.

#include "core/analysis/Occupancy.h"

#include <cmath>

#include "tests/golden/Corpus.h"

namespace attnscope::golden {
namespace {

// What a block may have without opting in: a recorder that knows no more reports 0 % for a block above it.
constexpr std::int64_t kDefaultSharedMemory = 48 * 1024;

class OccupancyOfTraces : public testing::TestWithParam<std::string> {};

const DeviceProperties* deviceOf(const Trace& trace, std::int32_t id) {
  for (const DeviceProperties& device : trace.devices) {
    if (device.id == id) return &device;
  }
  return nullptr;
}

TEST_P(OccupancyOfTraces, IsTheRecordersWhereItKnewAll) {
  const std::string path = corpusFolder() + GetParam();
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const auto trace = load(path);
  ASSERT_TRUE(trace);
  const DeviceWorkTable& work = trace->deviceWork;
  std::size_t compared = 0;
  std::size_t overDefault = 0;
  for (std::size_t i = 0; i < work.size(); ++i) {
    const DeviceProperties* device = deviceOf(*trace, work.device[i]);
    if (device == nullptr || work.occupancyReported[i] < 0) continue;
    const auto limits = smLimits(*device);
    ASSERT_TRUE(limits) << device->name;
    const LaunchShape launch{work.grid[i], work.block[i], work.registersPerThread[i], work.sharedMemoryBytes[i]};
    const auto occupancy = occupancyOf(launch, *limits, device->smCount);
    if (!occupancy) continue;
    if (launch.sharedMemoryBytes > kDefaultSharedMemory && work.occupancyReported[i] == 0) {
      EXPECT_GT(occupancy->blocksPerSm, 0) << trace->name(work.slice[i]);
      ++overDefault;
      continue;
    }
    ++compared;
    EXPECT_NEAR(occupancy->achieved * 100, std::lround(work.occupancyReported[i] * 100), 0.51)
        << trace->name(work.slice[i]) << ", " << launch.registersPerThread << " registers, " << launch.threadsPerBlock()
        << " threads, " << launch.sharedMemoryBytes << " bytes shared";
  }
  EXPECT_GT(compared, 0u);
  RecordProperty("compared", static_cast<int>(compared));
  RecordProperty("over_default_shared_memory", static_cast<int>(overDefault));
}

INSTANTIATE_TEST_SUITE_P(Cuda, OccupancyOfTraces,
                         testing::Values("b200_vllm_eager.json.gz", "h100_bert_small.json.gz",
                                         "h100_qwen1.5_0.5b.json.gz", "memory_nccl_216k.json.gz",
                                         "ns_resolution.json.gz", "particle_transformer_gpu.json.gz"),
                         testName);

}  // namespace
}  // namespace attnscope::golden
