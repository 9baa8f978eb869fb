// SPDX-License-Identifier: Apache-2.0
#include "core/engine/kernels/TileSearch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

namespace attnscope::kernels {
namespace {

namespace fs = std::filesystem;

class TileSearch : public testing::Test {
 protected:
  TileSearch() : m_folder(fs::temp_directory_path() / ("kernel-tiles-" + std::to_string(::getpid()))) {}
  ~TileSearch() override { fs::remove_all(m_folder); }
  [[nodiscard]] fs::path file() const { return m_folder / "deep" / "tiles.json"; }
  [[nodiscard]] nlohmann::json content() const {
    std::ifstream in(file());
    return nlohmann::json::parse(in);
  }

  fs::path m_folder;
};

TEST_F(TileSearch, KeepsWhatItMeasuredAndReadsItAgain) {
  const Isa isa = bestIsa();
  const TileSizes found = tileSizesFrom(file(), isa);
  EXPECT_LE(found.keyBlock, kLargestTiles.keyBlock);
  EXPECT_LE(found.rowChunk, kLargestTiles.rowChunk);
  nlohmann::json json = content();
  ASSERT_EQ(json.size(), 1u);
  const std::string cpu = json.begin().key();
  json[cpu][std::string(toString(isa))] = {{"key_block", 48}, {"row_chunk", 96}};
  std::ofstream(file()) << json;
  EXPECT_EQ(tileSizesFrom(file(), isa), (TileSizes{48, 96}));
}

TEST_F(TileSearch, AFileThatMakesNoSenseIsMeasuredAgainAndKeepsTheOthers) {
  fs::create_directories(file().parent_path());
  std::ofstream(file()) << "[]";
  static_cast<void>(tileSizesFrom(file(), bestIsa()));
  nlohmann::json json = content();
  const std::string cpu = json.begin().key();
  json[cpu][std::string(toString(bestIsa()))] = {{"key_block", 1 << 30}, {"row_chunk", "many"}};
  json["another CPU"] = {{"avx2", {{"key_block", 1}, {"row_chunk", 1}}}};
  std::ofstream(file()) << json;
  EXPECT_LE(tileSizesFrom(file(), bestIsa()).keyBlock, kLargestTiles.keyBlock);
  EXPECT_TRUE(content().contains("another CPU"));
  EXPECT_TRUE(content()[cpu][std::string(toString(bestIsa()))]["row_chunk"].is_number());
}

TEST_F(TileSearch, WorksWhereNothingCanBeWritten) {
  EXPECT_GE(tileSizesFrom("/proc/no/such/folder/tiles.json", bestIsa()).keyBlock, 1);
  EXPECT_GE(tileSizesFrom({}, bestIsa()).keyBlock, 1);
}

TEST_F(TileSearch, TheFileLiesInTheCacheOfThePerson) {
  ASSERT_EQ(setenv("XDG_CACHE_HOME", "/some/cache", 1), 0);
  EXPECT_EQ(tileFile(), "/some/cache/attnscope/kernel-tiles.json");
  ASSERT_EQ(unsetenv("XDG_CACHE_HOME"), 0);
  ASSERT_EQ(setenv("HOME", "/some/home", 1), 0);
  EXPECT_EQ(tileFile(), "/some/home/.cache/attnscope/kernel-tiles.json");
}

}  // namespace
}  // namespace attnscope::kernels
