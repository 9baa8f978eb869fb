// SPDX-License-Identifier: Apache-2.0
// Every implementation against the reference in float64, over the problems of ProblemMatrix.h. The quick program takes
// a tenth of them, the long one (ATTNSCOPE_WHOLE_MATRIX) all.

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "ProblemMatrix.h"
#include "core/engine/CountingAllocator.h"
#include "core/engine/Threads.h"
#include "core/engine/Work.h"
#include "core/engine/implementations/Registry.h"
#include "core/problem/Cards.h"

namespace attnscope::engine {
namespace {

#ifdef ATTNSCOPE_WHOLE_MATRIX
constexpr std::uint64_t kShare = 1;
#else
constexpr std::uint64_t kShare = 10;
#endif

struct Worst {
  int checked = 0;
  int refused = 0;
  std::map<std::string, double> error;  // by type
};
using Figures = std::map<std::string, Worst>;

CallResult resultOf(const Problem& problem, const SharedInputs& inputs, const ImplementationEntry& entry) {
  const Work work(problem, inputs, entry.make(problem));
  const CountingAllocator poisoned(FreshMemory::kPoison);
  return work.call();
}

void checkAll(const Problem& problem, Figures& figures) {
  const SharedInputs inputs = makeSharedInputs(problem);
  std::map<Definition, CallResult> expected;
  for (const ImplementationEntry& entry : implementations()) {
    Worst& worst = figures[entry.id];
    if (refusalHere(entry.id, problem, "cpu")) {
      ++worst.refused;
      continue;
    }
    ++worst.checked;
    const Definition definition = definitionOf(entry.id);
    if (!expected.contains(definition)) expected[definition] = *expectedResult(problem, inputs, definition, {});
    const CallResult result = resultOf(problem, inputs, entry);
    ASSERT_EQ(result.front().sizes(), expected[definition].front().sizes()) << entry.id << " " << describe(problem);
    const Distance distance = distanceOf(result, expected[definition]);
    EXPECT_TRUE(distance.finite) << entry.id << ": " << describe(problem) << " " << toString(problem.layout);
    EXPECT_LE(distance.relativeL2, errorLimit(problem.dtype))
        << entry.id << ": " << describe(problem) << " " << toString(problem.layout);
    double& error = worst.error[std::string(toString(problem.dtype))];
    error = std::max(error, distance.relativeL2);
  }
}

void print(const Figures& figures) {
  for (const auto& [id, worst] : figures) {
    std::printf("%-15s %5d checked, %5d refused, worst relative L2:", id.c_str(), worst.checked, worst.refused);
    for (const auto& [type, error] : worst.error) std::printf(" %s %.1e", type.c_str(), error);
    std::printf("\n");
  }
}

TEST(Correctness, ForwardIsAttentionByItsDefinition) {
  ASSERT_TRUE(useThreads(1).has_value());
  Figures figures;
  for (const Problem& problem : someOf(checkedProblems(), kShare)) checkAll(problem, figures);
  print(figures);
  for (const auto& [id, worst] : figures) {
    if (std::string_view(id).substr(0, 3) == "byo") continue;  // YourCodeTest.cpp
    EXPECT_GE(worst.checked * static_cast<int>(kShare), 400 - 10 * static_cast<int>(kShare)) << id;
  }
}

TEST(Correctness, GradientsAreThoseOfTheDefinition) {
  Figures figures;
  for (Problem problem : someOf(checkedProblems(), 2 * kShare + 1)) {
    if (problem.latentSize > 0) continue;
    problem.pass = Pass::kForwardBackward;
    checkAll(problem, figures);
  }
  print(figures);
  for (const char* id : {"naive.plain", "naive.fp32", "sdpa.math", "sdpa.flash", "window.blocks", "sparse.blocks",
                         "chunked.plain", "gqa.repeat"}) {
    EXPECT_GT(figures[id].checked, 0) << id;
  }
}

TEST(Correctness, WhereNoQuerySeesAKeyGradientsAreZero) {
  Figures figures;
  auto table = std::make_shared<MaskTable>();
  table->queries = table->keys = 6;
  table->visible.assign(36, 0);
  Problem problem = maskedProblem({1, 4, 2, 6, 6, 8, 8}, FileMask{"nothing", table});
  problem.pass = Pass::kForwardBackward;
  for (const Workload workload : {Workload::kAttention, Workload::kBlock}) {
    problem.workload = workload;
    checkAll(problem, figures);
  }
  EXPECT_EQ(figures["sparse.blocks"].checked, 2);
}

TEST(Correctness, BlocksGiveWhatABlockInFloat64Gives) {
  Figures figures;
  for (Problem problem : someOf(checkedProblems(), 5 * kShare + 3)) {
    if (problem.queryLength != problem.keyValueLength || problem.latentSize > 0) continue;
    problem.workload = Workload::kBlock;
    for (const Pass pass : {Pass::kForward, Pass::kForwardBackward}) {
      problem.pass = pass;
      checkAll(problem, figures);
    }
  }
  print(figures);
}

}  // namespace
}  // namespace attnscope::engine
