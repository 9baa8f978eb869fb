// SPDX-License-Identifier: Apache-2.0
// What is read of the machine: energy counters, the lease of timing, CPUs, memory.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/engine/Energy.h"
#include "core/engine/Machine.h"
#include "core/engine/PeakLoop.h"
#include "core/engine/Threads.h"
#include "core/engine/TimingLease.h"

namespace attnscope::engine {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() : m_path(fs::temp_directory_path() / ("attnscope-machine-" + std::to_string(getpid()))) {
    fs::create_directories(m_path);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(m_path); }
  [[nodiscard]] const fs::path& path() const { return m_path; }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((m_path / name).parent_path());
    std::ofstream(m_path / name) << text << '\n';
  }

 private:
  fs::path m_path;
};

TEST(EnergyMeter, AddsPackagesAndFollowsACounterThatStartsOver) {
  const Folder folder;
  for (const char* package : {"intel-rapl:0", "intel-rapl:1"}) {
    folder.write(std::string(package) + "/name", "package-0");
    folder.write(std::string(package) + "/max_energy_range_uj", "10000000");
    folder.write(std::string(package) + "/energy_uj", "9000000");
  }
  folder.write("intel-rapl:0:0/name", "core");  // is in the package already
  folder.write("intel-rapl:0:0/energy_uj", "5");
  EnergyMeter meter(folder.path());
  ASSERT_TRUE(meter.available()) << meter.reason();
  folder.write("intel-rapl:0/energy_uj", "9500000");
  EXPECT_DOUBLE_EQ(meter.joules().value(), 0.5);
  folder.write("intel-rapl:1/energy_uj", "1000000");
  EXPECT_DOUBLE_EQ(meter.joules().value(), 2.5);
}

TEST(EnergyMeter, SaysWhyThereIsNone) {
  EnergyMeter meter("/nowhere");
  EXPECT_FALSE(meter.available());
  EXPECT_EQ(meter.reason(), "this machine has no energy counters");
  EXPECT_FALSE(meter.joules().has_value());
}

TEST(TimingLease, IsHeldByOneAtATime) {
  const Folder folder;
  const fs::path file = folder.path() / "lease";
  {
    const TimingLease first(file);
    EXPECT_TRUE(first.granted());
    EXPECT_FALSE(TimingLease(file).granted());
  }
  EXPECT_TRUE(TimingLease(file).granted());
  EXPECT_TRUE(TimingLease("/nowhere/lease").granted()) << "nothing is known where no file can be";
}

TEST(Cpus, AreThoseThatTheProcessMayUse) {
  EXPECT_FALSE(cpuList().empty());
  EXPECT_FALSE(useCpus({-1}).has_value());
  EXPECT_FALSE(useCpus({1'000'000}).has_value());
  EXPECT_TRUE(useCpus({}).has_value());
}

TEST(ResidentPeak, SeesWhatIsTouched) {
  constexpr std::size_t kBytes = 64 << 20;
  const ResidentPeak peak;
  {
    std::vector<char> touched(kBytes, 1);
    asm volatile("" : : "r"(touched.data()) : "memory");
  }
  const auto bytes = peak.bytes();
  if (!bytes) GTEST_SKIP() << "the kernel does not let the mark be set back";
  EXPECT_GE(*bytes, static_cast<std::int64_t>(kBytes) * 9 / 10);
  EXPECT_LE(*bytes, static_cast<std::int64_t>(kBytes) * 2);
}

TEST(PeakLoop, MakesTheFlopsThatItSays) {
  EXPECT_EQ(multiplyAdd(10), multiplyAddFlops(10));
  EXPECT_EQ(multiplyAddFlops(10) % 240, 0) << "12 sums, 2 FLOPs a lane";
}

}  // namespace
}  // namespace attnscope::engine
