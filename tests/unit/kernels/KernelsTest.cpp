// SPDX-License-Identifier: Apache-2.0
// The own kernels, each instruction set that this CPU has, against float64 by the definition.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "RandomAttention.h"

namespace attnscope::kernels {
namespace {

#ifdef ATTNSCOPE_WHOLE_MATRIX
constexpr std::uint64_t kProblems = 12'000;
#else
constexpr std::uint64_t kProblems = 1'200;
#endif
constexpr double kInfinite = std::numeric_limits<double>::infinity();

class EachIsa : public testing::TestWithParam<Isa> {};

TEST_P(EachIsa, GivesAttentionByItsDefinition) {
  std::map<ElementType, double> worst;
  for (std::uint64_t seed = 0; seed < kProblems; ++seed) {
    const TestProblem problem = drawnProblem(seed, GetParam());
    const TestResult expected = expectedResult(problem);
    const TestResult result = kernelResult(problem);
    const double error = distance(result.output, expected.output);
    EXPECT_LE(error, limitOf(problem.shape.type)) << problem.words;
    EXPECT_LE(largestDifference(result.logSumExp, expected.logSumExp), 1e-5) << problem.words;
    worst[problem.shape.type] = std::max(worst[problem.shape.type], error);
  }
  for (const auto& [type, error] : worst)
    std::printf("type %d: worst relative L2 %.1e\n", static_cast<int>(type), error);
}

// One query of one head over a few keys, everything else at its simplest.
struct Small {
  std::vector<float> query, key, value;
  std::vector<float> output = std::vector<float>(4, -1.0F);
  float logSumExp = -1;
};
std::vector<std::uint16_t> halvesOf(const std::vector<float>& values, ElementType type) {
  std::vector<std::uint16_t> halves;
  for (const float value : values) halves.push_back(halfBits(static_cast<double>(value), type));
  return halves;
}
void run(Small& small, Isa isa, Method method, AttentionShape shape = {}) {
  shape.headSize = static_cast<std::int64_t>(small.query.size());
  shape.keyLength = static_cast<std::int64_t>(small.key.size()) / shape.headSize;
  shape.valueHeadSize = static_cast<std::int64_t>(small.value.size()) / shape.keyLength;
  auto kernel = AttentionKernel::make(shape, {.isa = isa, .workers = 1, .method = method, .sizes = {}});
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message();
  small.output.assign(static_cast<std::size_t>(shape.valueHeadSize), -1.0F);
  AttentionTensors tensors;
  tensors.query = {small.query.data(), 0, 0, shape.headSize};
  tensors.key = {small.key.data(), 0, 0, shape.headSize};
  tensors.value = {small.value.data(), 0, 0, shape.valueHeadSize};
  tensors.output = {small.output.data(), 0, 0, shape.valueHeadSize};
  tensors.logSumExp = &small.logSumExp;
  if (shape.type == ElementType::kFloat32) {
    (*kernel)->run(tensors);
    return;
  }
  const auto query = halvesOf(small.query, shape.type);
  const auto key = halvesOf(small.key, shape.type);
  const auto value = halvesOf(small.value, shape.type);
  std::vector<std::uint16_t> output(small.output.size());
  tensors.query.data = query.data();
  tensors.key.data = key.data();
  tensors.value.data = value.data();
  tensors.output.data = output.data();
  (*kernel)->run(tensors);
  for (std::size_t i = 0; i < output.size(); ++i)
    small.output[i] = static_cast<float>(halfValue(output[i], shape.type));
}
constexpr Method kMethods[] = {Method::kTiles, Method::kDots};
constexpr ElementType kTypes[] = {ElementType::kFloat32, ElementType::kBFloat16, ElementType::kFloat16};
AttentionShape of(ElementType type) {
  AttentionShape shape;
  shape.type = type;
  return shape;
}

TEST_P(EachIsa, AScoreOfInfinityIsNotANumberAndSaysSo) {
  for (const Method method : kMethods) {
    for (const ElementType type : kTypes) {
      Small small{.query = {1}, .key = {INFINITY, 2}, .value = {1, 1}};
      run(small, GetParam(), method, of(type));
      EXPECT_TRUE(std::isnan(small.output[0]));
      small.key = {NAN, 2};
      run(small, GetParam(), method, of(type));
      EXPECT_TRUE(std::isnan(small.output[0]));
    }
  }
}

TEST_P(EachIsa, AScoreOfMinusInfinityHasNoWeight) {
  for (const Method method : kMethods) {
    for (const ElementType type : kTypes) {
      Small small{.query = {1}, .key = {-INFINITY, 2, -INFINITY}, .value = {5, 3, 7}};
      run(small, GetParam(), method, of(type));
      EXPECT_FLOAT_EQ(small.output[0], 3);
      EXPECT_FLOAT_EQ(small.logSumExp, 2);
      small.key = {-INFINITY, -INFINITY, -INFINITY};
      run(small, GetParam(), method, of(type));
      EXPECT_EQ(small.output[0], 0);
      EXPECT_EQ(small.logSumExp, -INFINITY);
    }
  }
}

TEST_P(EachIsa, LargeScoresAndValuesDoNotOverflow) {
  for (const Method method : {Method::kTiles, Method::kDots}) {
    Small small{.query = {1e18F}, .key = {1e19F, 1e19F, -1e19F}, .value = {1e38F, 2e38F, 3e38F}};
    run(small, GetParam(), method);
    EXPECT_FLOAT_EQ(small.output[0], 1.5e38F);
  }
}

TEST_P(EachIsa, DenormalsAreKept) {
  for (const Method method : {Method::kTiles, Method::kDots}) {
    Small small{.query = {1e-40F}, .key = {1, 1}, .value = {2e-40F, 4e-40F}};
    run(small, GetParam(), method);
    EXPECT_NEAR(small.output[0] / 1e-40F, 3, 1e-3);
  }
}

TEST_P(EachIsa, TheFactorMayBeTinyOrHuge) {
  for (const Method method : kMethods) {
    for (const ElementType type : kTypes) {
      for (const float scale : {0.0F, 1e-38F, -1e-30F, 1e30F}) {
        Small small{.query = {1}, .key = {1, 1}, .value = {2, 4}};
        AttentionShape shape = of(type);
        shape.scale = scale;
        run(small, GetParam(), method, shape);
        EXPECT_FLOAT_EQ(small.output[0], 3) << scale;
      }
    }
  }
}

// A scale that would be rounded if it were put into queries of 16 bits.
TEST_P(EachIsa, ATinyScaleIsExact) {
  for (const Method method : kMethods) {
    Small small{.query = {0x1p60F}, .key = {0x1.5p30F, 0}, .value = {1, 0}};
    AttentionShape shape = of(ElementType::kBFloat16);
    shape.scale = 0x1.23456p-90F;
    run(small, GetParam(), method, shape);
    const double score = 0x1.5p90 * static_cast<double>(shape.scale);
    EXPECT_NEAR(static_cast<double>(small.logSumExp), std::log(std::exp(score) + 1), 1e-6);
  }
}

// Where the units are there, the emulation is what they do, but for the order of sums.
TEST(EmulatedAmx, GivesWhatTheUnitsGive) {
  if (!runsHere(Isa::kAmx)) GTEST_SKIP() << "this CPU or system has no AMX: its units were not run";
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    TestProblem problem = drawnProblem(seed, Isa::kAmx);
    if (problem.shape.type != ElementType::kBFloat16) continue;
    problem.options.method = Method::kTiles;
    const TestResult units = kernelResult(problem);
    problem.options.isa = Isa::kEmulatedAmx;
    const TestResult emulated = kernelResult(problem);
    EXPECT_LE(distance(units.output, emulated.output), 1e-3) << problem.words;
    EXPECT_LE(largestDifference(units.logSumExp, emulated.logSumExp), 1e-5) << problem.words;
    ++compared;
  }
  EXPECT_GT(compared, 40);
}

TEST_P(EachIsa, ASinkAloneIsTheSumOfAnEmptyRow) {
  for (const Method method : {Method::kTiles, Method::kDots}) {
    Small small{.query = {1}, .key = {1, 1}, .value = {2, 4}};
    AttentionShape shape;
    shape.ranges = {{0, 0}};
    shape.sinks = {0.75F};
    run(small, GetParam(), method, shape);
    EXPECT_EQ(small.output[0], 0);
    EXPECT_FLOAT_EQ(small.logSumExp, 0.75F);
  }
}

// One to sixteen queries over a cache that is split among workers, as a decoding step is.
TEST_P(EachIsa, SplitsOfTheCacheAreMerged) {
  for (const std::int64_t queries : {1, 3, 16}) {
    TestProblem problem;
    AttentionShape& shape = problem.shape;
    shape.heads = 4;
    shape.queryLength = queries;
    shape.keyLength = queries == 1 ? 9001 : 3001;
    shape.ranges = causalRanges(queries, shape.keyLength, Diagonal::kFromLast);
    shape.scale = 0.125F;
    const auto fill = [](TestTensor& tensor, std::int64_t heads, std::int64_t length) {
      std::vector<float> values(static_cast<std::size_t>(heads * length * 64));
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = std::sin(static_cast<float>(i) * 0.7F + static_cast<float>(heads));
      tensor.bytes.resize(values.size() * sizeof(float));
      std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
      tensor.values.assign(values.begin(), values.end());
      tensor.view = {tensor.bytes.data(), heads * length * 64, length * 64, 64};
    };
    fill(problem.query, 4, queries);
    fill(problem.key, 1, shape.keyLength);
    fill(problem.value, 1, shape.keyLength);
    problem.options = {.isa = GetParam(), .workers = 3, .method = Method::kByRows, .sizes = {}};
    EXPECT_GT((*AttentionKernel::make(shape, problem.options))->items(), 1);
    const TestResult expected = expectedResult(problem);
    const TestResult result = kernelResult(problem);
    EXPECT_LE(distance(result.output, expected.output), 1e-5) << queries;
    EXPECT_LE(largestDifference(result.logSumExp, expected.logSumExp), 1e-6) << queries;
  }
}

// Each chunk packs keys and values anew: no small one is left over.
TEST_P(EachIsa, RowsAreCutEvenly) {
  const auto items = [isa = GetParam()](std::int64_t rows, Method method, std::int64_t keys) {
    AttentionShape shape;
    shape.queryLength = rows;
    shape.keyLength = keys;
    return (*AttentionKernel::make(shape, {.isa = isa, .workers = 1, .method = method, .sizes = {}}))->items();
  };
  EXPECT_EQ(items(384, Method::kTiles, 64), 1);
  EXPECT_EQ(items(512, Method::kTiles, 64), 1);
  EXPECT_EQ(items(600, Method::kTiles, 64), 2);
  EXPECT_EQ(items(1024, Method::kTiles, 64), 3);
  // Sums of one chain are kept short.
  EXPECT_EQ(items(1, Method::kDots, 4096), 1);
  EXPECT_EQ(items(1, Method::kDots, 10000), 3);
}

INSTANTIATE_TEST_SUITE_P(Kernels, EachIsa, testing::ValuesIn(testedIsas()),
                         [](const auto& isa) { return testNameOf(isa.param); });

TEST(Halves, RoundAsTheFormatSays) {
  for (const ElementType type : {ElementType::kBFloat16, ElementType::kFloat16}) {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
      const double value = halfValue(static_cast<std::uint16_t>(bits), type);
      if (std::isnan(value)) continue;
      ASSERT_EQ(halfBits(value, type), bits);
    }
  }
  EXPECT_EQ(halfBits(65520, ElementType::kFloat16), 0x7c00);
  EXPECT_EQ(halfBits(65519, ElementType::kFloat16), 0x7bff);
  EXPECT_EQ(halfValue(halfBits(kInfinite, ElementType::kBFloat16), ElementType::kBFloat16), kInfinite);
}

// Every value of 16 bits through a kernel that has nothing to do: read and written as the format says.
TEST_P(EachIsa, ReadsAndWritesEveryHalf) {
  for (const ElementType type : {ElementType::kBFloat16, ElementType::kFloat16}) {
    for (const Method method : {Method::kTiles, Method::kDots}) {
      AttentionShape shape;
      shape.queryLength = 1;
      shape.headSize = 1;
      shape.valueHeadSize = 256;
      shape.batch = 256;
      shape.type = type;
      std::vector<std::uint16_t> values(65536), output(65536), ones(256, halfBits(1, type));
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint16_t>(i);
      auto kernel = AttentionKernel::make(shape, {.isa = GetParam(), .workers = 1, .method = method, .sizes = {}});
      ASSERT_TRUE(kernel.has_value());
      AttentionTensors tensors;
      tensors.query = tensors.key = {ones.data(), 1, 0, 1};
      tensors.value = {values.data(), 256, 0, 256};
      tensors.output = {output.data(), 256, 0, 256};
      (*kernel)->run(tensors);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const double in = halfValue(values[i], type);
        const double out = halfValue(output[i], type);
        if (std::isnan(in)) {
          ASSERT_TRUE(std::isnan(out)) << i;
        } else {
          ASSERT_EQ(in, out) << i;
        }
      }
    }
  }
}

TEST(Kernel, RefusesWhatItDoesNotCompute) {
  const auto refused = [](const AttentionShape& shape) {
    const auto kernel = AttentionKernel::make(shape, {});
    return kernel ? std::string() : kernel.error().what;
  };
  AttentionShape shape;
  EXPECT_EQ(refused(shape), "");
  shape.headSize = 257;
  EXPECT_NE(refused(shape).find("1 to 256"), std::string::npos);
  shape = {};
  shape.heads = 3;
  shape.keyValueHeads = 2;
  EXPECT_NE(refused(shape).find("do not divide"), std::string::npos);
  shape = {};
  shape.ranges = {{0, 2}};
  EXPECT_NE(refused(shape).find("beyond"), std::string::npos);
  shape.ranges = {{0, 1}, {0, 1}};
  EXPECT_NE(refused(shape).find("one range"), std::string::npos);
  shape = {};
  shape.blocks = BlockMask{.queryBlock = 1, .keyBlock = 1, .visible = {}};
  EXPECT_NE(refused(shape).find("one value a block"), std::string::npos);
  shape = {};
  shape.scale = INFINITY;
  EXPECT_NE(refused(shape).find("finite"), std::string::npos);
  shape = {};
  shape.sinks = {1, 2};
  EXPECT_NE(refused(shape).find("sink"), std::string::npos);
}

TEST(Ranges, OfADiagonalAndAWindow) {
  EXPECT_EQ(causalRanges(3, 5, Diagonal::kFromFirst), (std::vector<KeyRange>{{0, 1}, {0, 2}, {0, 3}}));
  EXPECT_EQ(causalRanges(3, 5, Diagonal::kFromLast), (std::vector<KeyRange>{{0, 3}, {0, 4}, {0, 5}}));
  EXPECT_EQ(causalRanges(3, 2, Diagonal::kFromLast), (std::vector<KeyRange>{{0, 0}, {0, 1}, {0, 2}}));
  EXPECT_EQ(causalRanges(3, 5, Diagonal::kFromLast, 2), (std::vector<KeyRange>{{1, 3}, {2, 4}, {3, 5}}));
  EXPECT_EQ(causalRanges(4, 2, Diagonal::kFromFirst, 1), (std::vector<KeyRange>{{0, 1}, {1, 2}, {2, 2}, {2, 2}}));
}

TEST(Isas, AreNamedAndTheScalarOneIsAlwaysThere) {
  EXPECT_EQ(usableIsas().front(), Isa::kScalar);
  for (const Isa isa : usableIsas()) EXPECT_EQ(isaOf(toString(isa)), isa);
  EXPECT_EQ(isaOf("sse9"), std::nullopt);
}

}  // namespace
}  // namespace attnscope::kernels
