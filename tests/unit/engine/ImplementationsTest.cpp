// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/zeros.h>
#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ProblemMatrix.h"
#include "core/engine/CountingAllocator.h"
#include "core/engine/Masks.h"
#include "core/engine/Reference.h"
#include "core/engine/SdpaChoice.h"
#include "core/engine/TransformerBlock.h"
#include "core/engine/Work.h"
#include "core/engine/implementations/Registry.h"
#include "core/problem/Cards.h"

namespace attnscope::engine {
namespace {

// --- The reference --------------------------------------------------------------------------------------------------

// Attention by its definition, one number at a time.
double byDefinition(const Problem& problem, const Inputs& inputs, std::int64_t head, std::int64_t row,
                    std::int64_t column) {
  const auto q = inputs.query.accessor<double, 4>();
  const auto k = inputs.key.accessor<double, 4>();
  const auto v = inputs.value.accessor<double, 4>();
  const std::int64_t group = head / problem.groupSize();
  const KeyRange seen = keysSeenBy(problem, row);
  double sum = 0;
  double total = 0;
  for (std::int64_t key = seen.from; key < seen.to; ++key) {
    double score = 0;
    for (std::int64_t d = 0; d < problem.headSize; ++d) score += q[0][head][row][d] * k[0][group][key][d];
    const double weight = std::exp(score * problem.effectiveScale());
    sum += weight;
    total += weight * v[0][group][key][column];
  }
  return sum > 0 ? total / sum : 0;
}

TEST(Reference, IsAttentionByItsDefinition) {
  const Shape shape{1, 4, 2, 11, 7, 5, 3};
  for (const Mask& mask : checkedMasks(shape)) {
    Problem problem = problemOf(shape);
    problem.mask = mask;
    problem.dtype = DataType::kFloat64;
    const Inputs inputs = makeInputs(problem);
    const at::Tensor output = referenceAttention(problem, inputs, Definition::kSoftmax)->output;
    const auto value = output.accessor<double, 4>();
    for (std::int64_t head = 0; head < problem.heads; ++head) {
      for (std::int64_t row = 0; row < problem.queryLength; ++row) {
        EXPECT_NEAR(value[0][head][row][2], byDefinition(problem, inputs, head, row, 2), 1e-14) << describe(problem);
      }
    }
  }
}

TEST(Reference, GradientsAreThoseOfSmallChanges) {
  Problem problem = problemOf({1, 2, 1, 4, 5, 3, 2});
  problem.mask = CausalMask{CausalAlignment::kBottomRight};
  problem.dtype = DataType::kFloat64;
  const Inputs inputs = makeInputs(problem);
  const at::Tensor above = makeOutputGradient(problem);
  const auto result = referenceAttention(problem, inputs, Definition::kSoftmax, above);
  const auto lossOf = [&](const Inputs& changed) {
    return referenceAttention(problem, changed, Definition::kSoftmax)->output.mul(above).sum().item<double>();
  };
  const std::vector<std::pair<at::Tensor Inputs::*, at::Tensor>> parts = {{&Inputs::query, result->queryGradient},
                                                                          {&Inputs::key, result->keyGradient},
                                                                          {&Inputs::value, result->valueGradient}};
  for (const auto& [part, gradient] : parts) {
    for (std::int64_t i = 0; i < (inputs.*part).numel(); ++i) {
      constexpr double kStep = 1e-6;
      Inputs up = inputs;
      Inputs down = inputs;
      up.*part = (inputs.*part).clone();
      down.*part = (inputs.*part).clone();
      (up.*part).mutable_data_ptr<double>()[i] += kStep;
      (down.*part).mutable_data_ptr<double>()[i] -= kStep;
      EXPECT_NEAR(gradient.const_data_ptr<double>()[i], (lossOf(up) - lossOf(down)) / (2 * kStep), 1e-8);
    }
  }
}

TEST(Reference, StopsBetweenBlocks) {
  const Problem problem = problemOf({2, 2, 2, 8, 8, 4, 4});
  int asked = 0;
  EXPECT_FALSE(referenceAttention(problem, makeInputs(problem), Definition::kSoftmax, {}, [&](double) {
                 return ++asked < 3;
               }).has_value());
  EXPECT_EQ(asked, 3);
}

TEST(Distance, IsRelativeAndSeesWhatIsNoNumber) {
  const at::Tensor expected = at::zeros({2, 2}, at::kDouble).fill_(2.0);
  at::Tensor actual = expected.clone();
  actual[1][1] = 3.0;
  const CallResult wanted{expected};
  EXPECT_DOUBLE_EQ(distanceOf(CallResult{actual}, wanted).relativeL2, 0.25);
  EXPECT_DOUBLE_EQ(distanceOf(CallResult{actual}, wanted).maxAbs, 1.0);
  actual[0][0] = std::nan("");
  EXPECT_FALSE(distanceOf(CallResult{actual}, wanted).finite);
}

TEST(Inputs, AreOfTheSeedAndInTheLayout) {
  Problem problem = problemOf({2, 4, 2, 5, 6, 8, 3});
  const Inputs first = makeInputs(problem);
  EXPECT_TRUE(at::equal(first.query, makeInputs(problem).query));
  EXPECT_FALSE(at::equal(first.key.slice(2, 0, 5).slice(1, 0, 1), first.query.slice(1, 0, 1)));
  problem.seed = 1;
  EXPECT_FALSE(at::equal(first.query, makeInputs(problem).query));
  problem.layout = Layout::kBnhd;
  const Inputs other = makeInputs(problem);
  EXPECT_EQ(other.key.sizes(), (std::vector<std::int64_t>{2, 2, 6, 8}));
  EXPECT_TRUE(other.key.transpose(1, 2).is_contiguous());
}

// --- The allocator --------------------------------------------------------------------------------------------------

TEST(CountingAllocator, CountsFromTheRestart) {
  std::optional<CountingAllocator> counting(std::in_place);
  const at::Tensor before = at::zeros({1000}, at::kByte);
  counting->restart();
  at::Tensor kept = at::zeros({300}, at::kByte);
  { const at::Tensor freed = at::zeros({500}, at::kByte); }
  EXPECT_EQ(counting->peakBytes(), 800);
  EXPECT_EQ(counting->aliveBytes(), 300);
  EXPECT_EQ(counting->allocations(), 2);
  counting.reset();
  EXPECT_EQ(kept.sum().item<std::int64_t>(), 0);  // a tensor outlives it
  kept.resize_({4000});
}

TEST(CountingAllocator, PoisonIsNoNumberInAnyType) {
  const CountingAllocator poison(FreshMemory::kPoison);
  for (const at::ScalarType type : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16}) {
    EXPECT_TRUE(at::empty({7}, type).isnan().all().item<bool>());
  }
}

// --- Refusals -------------------------------------------------------------------------------------------------------

TEST(Implementations, AreThoseThatTheCardsSayAreBuilt) {
  std::set<std::string> built;
  for (const ImplementationEntry& entry : implementations()) EXPECT_TRUE(built.insert(entry.id).second) << entry.id;
  for (const Card& card : cards()) {
    EXPECT_EQ(card.notBuilt.empty() && card.onCpu, built.contains(std::string(card.id))) << card.id;
  }
}

TEST(Refusals, NameWhatIsMissing) {
  const Problem problem = problemOf({1, 2, 2, 8, 8, 4, 4});
  EXPECT_FALSE(refusalHere("naive.plain", problem, "cpu").has_value());
  EXPECT_TRUE(refusalHere("naive.plain", problem, "cuda:0").has_value());
  EXPECT_TRUE(refusalHere("naive.plain", problem, "abacus").has_value());
  EXPECT_TRUE(refusalHere("sdpa.cudnn", problem, "cpu").has_value());
  EXPECT_TRUE(refusalHere("no.such", problem, "cpu").has_value());
}

// Runs what was refused all the same: whether it throws or gives what attention does not.
bool failsOrIsWrong(const char* id, const Problem& problem) {
  const SharedInputs inputs = makeSharedInputs(problem);
  try {
    const CallResult result = Work(problem, inputs, findImplementation(id)->make(problem)).call();
    const Definition definition = definitionOf(id);
    const CallResult expected = *expectedResult(problem, inputs, definition, {});
    if (result.front().sizes() != expected.front().sizes()) return true;
    const Distance distance = distanceOf(result, expected);
    return !distance.finite || distance.relativeL2 > errorLimit(problem.dtype);
  } catch (const std::exception&) {
    return true;
  }
}

at::Tensor resultOf(const char* id, const Problem& problem) {
  const SharedInputs inputs = makeSharedInputs(problem);
  return Work(problem, inputs, findImplementation(id)->make(problem)).call().front();
}

TEST(Refusals, AreTrue) {
  Problem unequalHeads = problemOf({1, 2, 2, 16, 16, 8, 12});
  EXPECT_TRUE(refusalHere("sdpa.flash", unequalHeads, "cpu").has_value());
  EXPECT_TRUE(failsOrIsWrong("sdpa.flash", unequalHeads));
  EXPECT_TRUE(failsOrIsWrong("gqa.repeat", problemOf({1, 4, 2, 16, 16, 8, 12})));

  Problem unequalLengths = problemOf({1, 2, 2, 16, 40, 8, 8});
  unequalLengths.mask = CausalMask{CausalAlignment::kBottomRight};
  EXPECT_TRUE(refusalHere("linear.elu", unequalLengths, "cpu").has_value());
  EXPECT_TRUE(failsOrIsWrong("linear.elu", unequalLengths));
  Problem prefix = problemOf({1, 2, 2, 16, 16, 8, 8});
  prefix.mask = PrefixMask{5};
  EXPECT_TRUE(refusalHere("linear.elu", prefix, "cpu").has_value());
  EXPECT_TRUE(failsOrIsWrong("linear.elu", prefix));

  for (const char* id : {"naive.inplace", "blockwise.aten", "linear.elu"}) {
    Problem backward = problemOf({1, 2, 2, 300, 300, 8, 8});
    backward.mask = WindowMask{40, CausalAlignment::kTopLeft};
    if (std::string(id) == "linear.elu") backward.mask = CausalMask{};
    backward.pass = Pass::kForwardBackward;
    EXPECT_TRUE(refusalHere(id, backward, "cpu").has_value()) << id;
    EXPECT_TRUE(failsOrIsWrong(id, backward)) << id;
  }

  // What is not computed is missing from the result.
  const Shape small{1, 2, 2, 24, 24, 8, 8};
  Problem capped = problemOf(small);
  capped.mask = CausalMask{};
  const Problem uncapped = capped;
  capped.softcap = 1;
  for (const char* id : {"sdpa.math", "sdpa.flash", "ring.threads", "decode.cat"}) {
    EXPECT_TRUE(refusalHere(id, capped, "cpu").has_value()) << id;
    EXPECT_TRUE(failsOrIsWrong(id, capped)) << id;
  }
  // Their definitions have no softcap, so that they cannot miss it: they do not heed it, and attention does.
  for (const char* id : {"linear.elu", "lsh.reformer"}) {
    EXPECT_TRUE(refusalHere(id, capped, "cpu").has_value()) << id;
    EXPECT_TRUE(at::equal(resultOf(id, capped), resultOf(id, uncapped))) << id;
  }
  EXPECT_FALSE(at::equal(resultOf("naive.plain", capped), resultOf("naive.plain", uncapped)));
  for (const char* id : {"sdpa.flash", "blockwise.aten", "sparse.blocks", "window.blocks", "ring.threads"}) {
    Problem dropping = problemOf(small);
    dropping.mask = WindowMask{8, CausalAlignment::kTopLeft};
    dropping.dropout = 0.5;
    EXPECT_TRUE(refusalHere(id, dropping, "cpu").has_value()) << id;
    EXPECT_TRUE(failsOrIsWrong(id, dropping)) << id;
  }
  Problem sunk = problemOf(small);
  sunk.sink = true;
  EXPECT_TRUE(refusalHere("sdpa.math", sunk, "cpu").has_value());
  EXPECT_TRUE(failsOrIsWrong("sdpa.math", sunk));
  sunk.pass = Pass::kForwardBackward;
  EXPECT_TRUE(refusalHere("sdpa.flash", sunk, "cpu").has_value());
  EXPECT_TRUE(failsOrIsWrong("sdpa.flash", sunk));
  Problem uneven = problemOf(small);
  uneven.mask = DocumentsMask{{3, 9, 12}, InsideDocument::kFull};
  EXPECT_TRUE(refusalHere("chunked.plain", uneven, "cpu").has_value());
  EXPECT_TRUE(failsOrIsWrong("chunked.plain", uneven));
  const Problem longer = problemOf({1, 2, 2, 24, 160, 8, 8});
  for (const char* id : {"lsh.reformer", "ring.threads", "decode.cat", "decode.paged", "mla.plain", "mla.absorbed"}) {
    EXPECT_TRUE(refusalHere(id, longer, "cpu").has_value()) << id;
    EXPECT_TRUE(failsOrIsWrong(id, longer)) << id;
  }
  EXPECT_TRUE(failsOrIsWrong("decode.cat", problemOf({1, 2, 2, 24, 24, 8, 12})));
  EXPECT_TRUE(failsOrIsWrong("ring.threads", problemOf({1, 2, 2, 24, 24, 8, 12})));

  Problem rounded = problemOf({1, 4, 4, 257, 257, 64, 64});
  rounded.workload = Workload::kBlock;
  rounded.dtype = DataType::kBFloat16;
  EXPECT_TRUE(refusalHere("lsh.reformer", rounded, "cpu").has_value());
  EXPECT_TRUE(failsOrIsWrong("lsh.reformer", rounded));

  Problem doubles = problemOf({1, 2, 2, 16, 16, 8, 8});
  doubles.dtype = DataType::kFloat64;
  EXPECT_TRUE(refusalHere("naive.fp32", doubles, "cpu").has_value());
  EXPECT_TRUE(failsOrIsWrong("naive.fp32", doubles));
}

// --- LibTorch's own choice ------------------------------------------------------------------------------------------

std::string reasonAgainst(const SdpaChoice& choice, const std::string& backend) {
  for (const BackendRefusal& refusal : choice.against) {
    if (refusal.backend == backend) return refusal.reason;
  }
  return {};
}

TEST(SdpaChoice, IsFlashWhereItCan) {
  for (Problem problem : someOf(checkedProblems(), 7)) {
    const Result<SdpaChoice> choice = sdpaChoice(problem);
    ASSERT_TRUE(choice.has_value()) << choice.error().message();
    const bool flash = problem.headSize == problem.valueHeadSize && problem.dropout == 0;
    EXPECT_EQ(choice->backend, flash ? "flash" : "math") << describe(problem);
    EXPECT_FALSE(reasonAgainst(*choice, flash ? "math" : "flash").empty());
    EXPECT_FALSE(reasonAgainst(*choice, "cudnn").empty());
  }
}

TEST(SdpaChoice, GivesLibTorchsOwnReason) {
  const auto choice = sdpaChoice(problemOf({1, 2, 2, 16, 16, 8, 12}));
  ASSERT_TRUE(choice.has_value());
  EXPECT_EQ(choice->backend, "math");
  const std::string reason = reasonAgainst(*choice, "flash");
  EXPECT_NE(reason.find("last dimension"), std::string::npos) << reason;
  EXPECT_EQ(reason.find("Triggered"), std::string::npos) << reason;

  Problem dropping = problemOf({1, 2, 2, 16, 16, 8, 8});
  dropping.dropout = 0.5;
  const auto withDropout = sdpaChoice(dropping);
  ASSERT_TRUE(withDropout.has_value());
  EXPECT_EQ(withDropout->backend, "math");
  EXPECT_NE(reasonAgainst(*withDropout, "flash").find("ropout"), std::string::npos)
      << reasonAgainst(*withDropout, "flash");
}

// --- The block ------------------------------------------------------------------------------------------------------

TEST(TransformerBlock, OneSeedGivesOneBlock) {
  const c10::InferenceMode noGradients;
  Problem problem = problemOf({1, 2, 2, 8, 8, 4, 4});
  problem.workload = Workload::kBlock;
  const at::Tensor input = makeBlockInput(problem);
  const auto outputOf = [&](std::uint64_t seed) {
    problem.seed = seed;
    return TransformerBlock(problem, implementations().front().make(problem), makeBlockWeights(problem)).forward(input);
  };
  EXPECT_TRUE(at::equal(outputOf(1), outputOf(1)));
  EXPECT_FALSE(at::equal(outputOf(1), outputOf(2)));
}

}  // namespace
}  // namespace attnscope::engine
