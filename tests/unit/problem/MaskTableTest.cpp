// SPDX-License-Identifier: Apache-2.0
#include "core/problem/MaskTable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/problem/Formulas.h"
#include "core/problem/KeyBlocks.h"
#include "core/problem/ProblemOptions.h"

namespace attnscope {
namespace {

using testing::HasSubstr;

// As numpy.save writes version 1.
std::string npy(const std::string& type, const std::string& shape, const std::string& values) {
  const std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
  std::string file = "\x93NUMPY";
  file += std::string{'\x01', '\0', static_cast<char>(header.size()), '\0'};
  return file + header + values;
}

std::string floats(const std::vector<float>& values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

class MaskTableTest : public testing::Test {
 protected:
  MaskTableTest() : m_path(std::filesystem::temp_directory_path() / ("mask-" + std::to_string(::getpid()) + ".npy")) {}
  ~MaskTableTest() override { std::filesystem::remove(m_path); }
  std::string write(const std::string& bytes) {
    std::ofstream(m_path, std::ios::binary) << bytes;
    return m_path.string();
  }
  std::string errorOf(const std::string& bytes) {
    const auto table = readMaskTable(write(bytes));
    return table ? "" : table.error().what;
  }

 private:
  std::filesystem::path m_path;
};

TEST_F(MaskTableTest, ReadsBooleans) {
  const auto table = readMaskTable(write(npy("|b1", "(1, 2, 3)", std::string{1, 0, 1, 0, 0, 1})));
  ASSERT_TRUE(table) << table.error().message();
  EXPECT_EQ((*table)->queries, 2);
  EXPECT_EQ((*table)->keys, 3);
  EXPECT_TRUE((*table)->sees(0, 2));
  EXPECT_FALSE((*table)->sees(1, 1));
  EXPECT_TRUE((*table)->bias.empty());
}

TEST_F(MaskTableTest, ReadsABiasOfEachType) {
  const auto table = readMaskTable(write(npy("<f4", "(1, 2)", floats({-INFINITY, 0.5f}))));
  ASSERT_TRUE(table) << table.error().message();
  EXPECT_FALSE((*table)->sees(0, 0));
  EXPECT_EQ((*table)->bias[1], 0.5f);
  const auto halves = readMaskTable(write(npy("<f2", "(1, 4)", std::string("\x00\x38\x00\xfc\x01\x00\x00\xc5", 8))));
  ASSERT_TRUE(halves) << halves.error().message();
  EXPECT_THAT((*halves)->bias, testing::ElementsAre(0.5f, -INFINITY, std::ldexp(1.0f, -24), -5.0f));
}

TEST_F(MaskTableTest, SaysWhatIsWrong) {
  EXPECT_FALSE(readMaskTable("/nowhere/mask.npy"));
  EXPECT_THAT(errorOf("no such thing"), HasSubstr("no NumPy file"));
  EXPECT_THAT(errorOf(npy("|b1", "(2, 3)", "\1\1")), HasSubstr("cut off"));
  EXPECT_THAT(errorOf(npy("<i8", "(1, 1)", "12345678")), HasSubstr("the type <i8"));
  EXPECT_THAT(errorOf(npy("|b1", "(2, 2, 2)", "12345678")), HasSubstr("3 dimensions"));
  EXPECT_THAT(errorOf(npy("|b1", "(0, 2)", "")), HasSubstr("0 x 2"));
  EXPECT_THAT(errorOf(npy("|b1", "(99999999999, 99999999999)", "")), testing::Not(testing::IsEmpty()));
  EXPECT_THAT(errorOf(npy("<f4", "(1, 1)", floats({NAN}))), HasSubstr("NaN"));
}

TEST_F(MaskTableTest, IsAMaskOfAProblem) {
  const std::string path = write(npy("|b1", "(2, 3)", std::string{1, 0, 1, 0, 0, 0}));
  const auto parsed = parseProblemOptions(std::vector<std::string>{"--seq", "2", "--kv-seq", "3", "--mask", path});
  ASSERT_TRUE(parsed) << parsed.error().message();
  EXPECT_EQ(attendedPairs(parsed->problem), 2);
  EXPECT_EQ(keysSeenBy(parsed->problem, 0), (KeyRange{0, 3}));
  EXPECT_EQ(keysSeenBy(parsed->problem, 1).size(), 0);
  EXPECT_EQ(blocksSeenByAny(parsed->problem, 0, 2, 1), (std::vector<KeyRange>{{0, 1}, {2, 3}}));
  const auto wrong = parseProblemOptions(std::vector<std::string>{"--seq", "4", "--mask", path});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message(), HasSubstr("of 2 queries and 3 keys"));
}

TEST(KeyBlocks, LeaveOutWhatNoQuerySees) {
  Problem problem;
  problem.mask = DocumentsMask{{100, 924}, InsideDocument::kFull};
  EXPECT_EQ(blocksSeenByAny(problem, 0, 64, 64), (std::vector<KeyRange>{{0, 128}}));
  EXPECT_EQ(blocksSeenByAny(problem, 64, 64, 64), (std::vector<KeyRange>{{0, 1024}}));
  EXPECT_EQ(blocksSeenByAny(problem, 128, 64, 64), (std::vector<KeyRange>{{64, 1024}}));
  problem.mask = WindowMask{10, CausalAlignment::kTopLeft};
  EXPECT_EQ(keysSeenByAny(problem, 64, 64), (KeyRange{55, 128}));
  EXPECT_EQ(keysIn(blocksSeenByAny(problem, 64, 64, 64)), 128);
}

}  // namespace
}  // namespace attnscope
