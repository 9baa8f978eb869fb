// SPDX-License-Identifier: Apache-2.0
#include "core/compare/CallMatching.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "core/compare/Comparison.h"
#include "tests/unit/analysis/TraceMaker.h"

namespace attnscope {
namespace {

struct Call {
  std::string name;
  std::string dims = {};
  std::vector<Call> inside = {};
  std::string category = "cpu_op";
};

// Calls one after the other on one thread; a leaf takes 10 ns, a parent 4 ns more than what it holds.
class Written {
 public:
  explicit Written(const std::vector<Call>& calls) : m_thread(m_maker.thread(1, 1)) {
    for (const Call& call : calls) write(call);
    m_trace = m_maker.build();
    m_tree = buildOperatorTree(m_trace);
  }
  [[nodiscard]] ComparedRun run() const { return {&m_trace, &m_tree, "run", TimeRange::all()}; }
  [[nodiscard]] const OperatorTree& tree() const { return m_tree; }

 private:
  void write(const Call& call) {
    const std::int64_t start = m_now;
    m_now += call.inside.empty() ? 10 : 2;
    for (const Call& each : call.inside) write(each);
    m_now += 2;
    MadeSlice slice{m_thread, call.category, call.name, start, m_now - start};
    slice.inputDims = call.dims;
    m_maker.add(slice);
    ++m_now;
  }
  TraceMaker m_maker;
  TrackId m_thread;
  std::int64_t m_now = 0;
  Trace m_trace;
  OperatorTree m_tree;
};

Comparison compared(const Written& base, const Written& other) { return compareRuns({base.run(), other.run()}); }

const ComparisonGroup* groupNamed(const Comparison& comparison, const std::string& name) {
  for (const ComparisonGroup& group : comparison.groups) {
    if (group.operatorName == name) return &group;
  }
  return nullptr;
}

void expectSums(const Comparison& comparison) {
  for (std::size_t run = 0; run < comparison.totals.size(); ++run) {
    std::int64_t host = 0;
    std::int64_t device = 0;
    for (const ComparisonGroup& group : comparison.groups) {
      host += group.runs[run].hostSelfNs;
      device += group.runs[run].deviceNs;
    }
    EXPECT_EQ(host, comparison.totals[run].hostSelfNs);
    EXPECT_EQ(device, comparison.totals[run].deviceNs);
  }
}

const std::string kQK = "[[4, 64, 32], [4, 32, 64]]";
const std::string kPV = "[[4, 64, 64], [4, 64, 32]]";
const std::string kScores = "[[4, 64, 64]]";
const std::string kQKV = "[[1, 4, 64, 32], [1, 4, 64, 32], [1, 4, 64, 32]]";
const std::string kRows = "[[64, 128]]";

std::vector<Call> layer(const std::vector<Call>& attention) {
  std::vector<Call> calls{{"aten::linear", kRows, {{"aten::addmm", kRows}}}};
  calls.insert(calls.end(), attention.begin(), attention.end());
  calls.push_back({"aten::layer_norm", kRows, {{"aten::native_layer_norm", kRows}}});
  return calls;
}
const std::vector<Call> kNaive = {
    {"aten::bmm", kQK}, {"aten::softmax", kScores, {{"aten::_softmax", kScores}}}, {"aten::bmm", kPV}};
const std::vector<Call> kFused = {
    {"aten::scaled_dot_product_attention", kQKV, {{"aten::_flash", kQKV, {{"aten::empty", "[[]]"}}}}}};

TEST(CallMatching, WhatIsDoneByOthersBetweenTheSameNeighboursIsOneRole) {
  std::vector<Call> naive;
  std::vector<Call> fused;
  for (int i = 0; i < 3; ++i) {
    for (const Call& call : layer(kNaive)) naive.push_back(call);
    for (const Call& call : layer(kFused)) fused.push_back(call);
  }
  const Comparison comparison = compared(Written(naive), Written(fused));
  expectSums(comparison);
  const ComparisonGroup* role =
      groupNamed(comparison, "aten::bmm, aten::softmax -> aten::scaled_dot_product_attention");
  ASSERT_NE(role, nullptr);
  EXPECT_EQ(role->match, MatchKind::kRole);
  EXPECT_EQ(role->runs[0].calls, 9u) << "three calls in three layers, what is inside them not counted";
  EXPECT_EQ(role->runs[1].calls, 3u);
  EXPECT_EQ(role->runs[0].hostSelfNs, 3 * (12 + 17 + 12)) << "with what softmax holds";
  EXPECT_EQ(role->names[0], "aten::bmm, aten::softmax");
  EXPECT_EQ(groupNamed(comparison, "aten::addmm")->match, MatchKind::kExact);
  EXPECT_EQ(groupNamed(comparison, "aten::native_layer_norm")->runs[1].calls, 3u);
  for (const ComparisonGroup& group : comparison.groups) {
    EXPECT_TRUE(group.match == MatchKind::kExact || group.match == MatchKind::kRole) << group.key;
  }
}

TEST(CallMatching, TheSameCallElsewhereIsASignature) {
  const Call moved{"aten::cat", kRows, {{"aten::narrow", kRows}}};
  const std::vector<Call> wrapped{{"aten::linear", kRows, {{"aten::addmm", kRows}, moved}}, {"aten::gelu", kRows}};
  const std::vector<Call> flat{{"aten::linear", kRows, {{"aten::addmm", kRows}}}, {"aten::gelu", kRows}, moved};
  const Comparison comparison = compared(Written(wrapped), Written(flat));
  expectSums(comparison);
  EXPECT_EQ(groupNamed(comparison, "aten::cat")->match, MatchKind::kSignature);
  EXPECT_EQ(groupNamed(comparison, "aten::narrow")->match, MatchKind::kSignature) << "what is below follows";
  EXPECT_EQ(groupNamed(comparison, "aten::gelu")->match, MatchKind::kExact);
}

TEST(CallMatching, WhatOneSideDoesAlone) {
  std::vector<Call> more = layer(kFused);
  more.push_back({"aten::dropout", kRows});
  const Comparison comparison = compared(Written(layer(kFused)), Written(more));
  EXPECT_EQ(groupNamed(comparison, "aten::dropout")->match, MatchKind::kOnlyOther);
  EXPECT_EQ(compared(Written(more), Written(layer(kFused))).groups.front().match, MatchKind::kOnlyBase);
}

TEST(CallMatching, OneNameWithOtherShapesIsThePlaceAndNotTheCall) {
  std::vector<Call> wide = layer(kFused);
  wide[1].dims = "[[1, 8, 64, 32], [1, 8, 64, 32], [1, 8, 64, 32]]";
  const Comparison comparison = compared(Written(layer(kFused)), Written(wide));
  EXPECT_EQ(groupNamed(comparison, "aten::scaled_dot_product_attention")->match, MatchKind::kRole);
  EXPECT_EQ(groupNamed(comparison, "aten::empty")->match, MatchKind::kExact) << "below the same parent";
}

// Unlike programs of many calls have no roles: nothing says which stands for which.
TEST(CallMatching, ManyAgainstManyAreDifferentPrograms) {
  std::vector<Call> first;
  std::vector<Call> second;
  for (int i = 0; i < 20; ++i) {
    first.push_back({"first" + std::to_string(i), "[[" + std::to_string(i + 1) + "]]"});
    second.push_back({"second" + std::to_string(i), "[[" + std::to_string(i + 101) + "]]"});
  }
  for (const ComparisonGroup& group : compared(Written(first), Written(second)).groups) {
    EXPECT_TRUE(group.match == MatchKind::kOnlyBase || group.match == MatchKind::kOnlyOther) << group.key;
  }
  // Of one annotated stage they are.
  const Comparison staged =
      compared(Written({{"stage", {}, first, "user_annotation"}}), Written({{"stage", {}, second, "user_annotation"}}));
  EXPECT_EQ(staged.groups.front().match, MatchKind::kRole);
  expectSums(staged);
}

void expectAlone(const Comparison& comparison) {
  expectSums(comparison);
  for (const ComparisonGroup& group : comparison.groups) {
    EXPECT_TRUE(group.match == MatchKind::kOnlyBase || group.match == MatchKind::kOnlyOther) << group.key;
  }
}

TEST(CallMatching, TheOnlyCallsOfTwoProgramsAreNoRole) {
  const Call request{"execute_context_1", {}, {{"aten::mm", kRows}, {"aten::silu", kRows}}, "user_annotation"};
  const Call step{"ProfilerStep#4", {}, {{"aten::conv2d", kScores}, {"aten::relu", kScores}}, "user_annotation"};
  expectAlone(compared(Written({request}), Written({step})));
  expectAlone(compared(Written({request}), Written({step, {"aten::_local_scalar_dense"}})));
  expectAlone(compared(Written({{"first"}}), Written({{"second"}})));
}

// A step is in every program, and so are the calls of a runtime.
TEST(CallMatching, StepsAndRuntimeCallsAreNoPlace) {
  const Call wait{"cudaDeviceSynchronize", {}, {}, "cuda_runtime"};
  std::vector<Call> first{wait};
  std::vector<Call> second{wait};
  for (int i = 0; i < 9; ++i) {
    first.push_back({"aten::first", "[[" + std::to_string(i + 1) + ", 2]]"});
    second.push_back({"aten::second", "[[" + std::to_string(i + 101) + ", 2]]"});
  }
  first.push_back(wait);
  second.push_back(wait);
  for (const bool inSteps : {false, true}) {
    const auto program = [inSteps](const std::vector<Call>& calls) {
      return inSteps ? std::vector<Call>{{"ProfilerStep#1", {}, calls, "user_annotation"}} : calls;
    };
    const Comparison comparison = compared(Written(program(first)), Written(program(second)));
    expectSums(comparison);
    EXPECT_EQ(groupNamed(comparison, "aten::first")->match, MatchKind::kOnlyBase);
    EXPECT_EQ(groupNamed(comparison, "cudaDeviceSynchronize")->match, MatchKind::kExact);
  }
  // With operators for neighbours they are in one place.
  for (std::vector<Call>* calls : {&first, &second}) {
    calls->insert(calls->begin() + 1, {"aten::linear", kRows});
    calls->insert(calls->end() - 1, {"aten::relu", kRows});
  }
  EXPECT_EQ(compared(Written(first), Written(second)).groups.front().match, MatchKind::kRole);
}

// Attention alone, with nothing before and after it: the tensors that it takes say that it is the same.
TEST(CallMatching, WhatTakesTheSameTensorsIsOneRole) {
  std::vector<Call> naive;
  std::vector<Call> fused;
  std::vector<Call> another;
  for (int i = 0; i < 20; ++i) {
    naive.push_back({"aten::transpose", "[[1, 4, 64, 32], [], []]"});
    naive.insert(naive.end(), kNaive.begin(), kNaive.end());
    fused.insert(fused.end(), kFused.begin(), kFused.end());
    another.push_back({"aten::scaled_dot_product_attention", "[[1, 4, 128, 32], [1, 4, 128, 32], [1, 4, 128, 32]]"});
  }
  const Comparison comparison = compared(Written(naive), Written(fused));
  expectSums(comparison);
  EXPECT_EQ(comparison.groups.size(), 1u);
  EXPECT_EQ(comparison.groups.front().match, MatchKind::kRole);
  expectAlone(compared(Written(naive), Written(another)));
  // A stage of one side has no shapes of its own.
  const Comparison staged = compared(Written({{"scores", {}, kNaive, "user_annotation"}}), Written(kFused));
  EXPECT_EQ(staged.groups.front().match, MatchKind::kOnlyBase) << "[4, 64, 32] is none of the fused call's";
  std::vector<Call> withQuery = kNaive;
  withQuery.insert(withQuery.begin(), {"aten::transpose", "[[1, 4, 64, 32], [], []]"});
  EXPECT_EQ(compared(Written({{"scores", {}, withQuery, "user_annotation"}}), Written(kFused)).groups.front().match,
            MatchKind::kRole);
}

std::vector<Call> randomCalls(std::mt19937& random, int depth) {
  static const std::vector<std::string> kNames = {"aten::add", "aten::mul", "aten::bmm", "aten::linear", "aten::view"};
  std::vector<Call> calls;
  const auto count = 1 + random() % 5;
  for (unsigned i = 0; i < count; ++i) {
    Call call{kNames[random() % kNames.size()], "[[" + std::to_string(1 + random() % 3) + "]]"};
    if (depth > 0 && random() % 2 == 0) call.inside = randomCalls(random, depth - 1);
    calls.push_back(std::move(call));
  }
  return calls;
}

void change(std::vector<Call>& calls, std::mt19937& random) {
  for (std::size_t i = 0; i < calls.size(); ++i) {
    switch (random() % 8) {
      case 0:
        calls[i].name = "aten::other" + std::to_string(random() % 3);
        break;
      case 1:
        calls.erase(calls.begin() + static_cast<std::ptrdiff_t>(i));
        if (i == calls.size()) return;
        break;
      case 2:
        calls.insert(calls.begin() + static_cast<std::ptrdiff_t>(i), {"aten::new", "[[9]]"});
        break;
      default:
        break;
    }
    change(calls[i].inside, random);
  }
}

TEST(CallMatching, GroupsSumToTheTotalsWhateverTheTraces) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<Call> calls;
    for (int i = 0; i < 6; ++i) {
      for (Call& call : randomCalls(random, 4)) calls.push_back(std::move(call));
    }
    std::vector<Call> second = calls;
    change(second, random);
    std::vector<Call> third = calls;
    change(third, random);
    const Written a(calls);
    const Written b(second);
    const Written c(third);
    const Comparison comparison = compareRuns({a.run(), b.run(), c.run()});
    expectSums(comparison);
    std::map<std::string, int> keys;
    for (const ComparisonGroup& group : comparison.groups) EXPECT_EQ(++keys[group.key], 1) << group.key;
    for (std::size_t run = 0; run < 3; ++run) {
      for (const std::uint32_t group : comparison.groupOfNode[run]) ASSERT_LT(group, comparison.groups.size());
    }
    const Comparison same = compared(a, a);
    for (const ComparisonGroup& group : same.groups) {
      EXPECT_EQ(group.match, MatchKind::kExact);
      EXPECT_EQ(group.hostDeltaNs(1), 0);
    }
  }
}

void rename(std::vector<Call>& calls, std::mt19937& random) {
  for (Call& call : calls) {
    call.name = "word" + std::to_string(random());
    rename(call.inside, random);
  }
}

// The structure alone decides where all names are others: each call stands for the one in its place.
TEST(CallMatching, RolesHoldWithRandomWordsForNames) {
  std::mt19937 random(5);
  for (int round = 0; round < 100; ++round) {
    std::vector<Call> calls;
    for (int i = 0; i < 4; ++i) {
      for (Call& call : randomCalls(random, 3)) calls.push_back(std::move(call));
    }
    // Equal neighbours may be folded or stand for one another: each call has a shape of its own.
    int next = 0;
    const std::function<void(std::vector<Call>&)> number = [&](std::vector<Call>& list) {
      for (Call& call : list) {
        call.name += std::to_string(next);
        call.dims = "[[" + std::to_string(++next) + "]]";
        number(call.inside);
      }
    };
    number(calls);
    std::vector<Call> renamed = calls;
    rename(renamed, random);
    const Written a(calls);
    const Written b(renamed);
    ASSERT_EQ(a.tree().nodes.size(), b.tree().nodes.size());
    const Comparison comparison = compared(a, b);
    for (const ComparisonGroup& group : comparison.groups) EXPECT_EQ(group.match, MatchKind::kRole) << group.key;
    EXPECT_EQ(comparison.groupOfNode[0], comparison.groupOfNode[1]);
    EXPECT_EQ(comparison.groups.size(), a.tree().nodes.size());
  }
}

TEST(CallMatching, ThreadsArePairedByHowMuchTheyCall) {
  const auto twoThreads = [](bool mainFirst) {
    TraceMaker maker;
    const TrackId first = maker.thread(1, mainFirst ? 1 : 2);
    const TrackId second = maker.thread(1, mainFirst ? 2 : 1);
    for (int i = 0; i < 5; ++i) maker.add({mainFirst ? first : second, "cpu_op", "aten::add", 20 * i, 10});
    maker.add({mainFirst ? second : first, "cpu_op", "aten::mul", 0, 10});
    return maker.build();
  };
  const Trace a = twoThreads(true);
  const Trace b = twoThreads(false);
  const OperatorTree treeA = buildOperatorTree(a);
  const OperatorTree treeB = buildOperatorTree(b);
  const Comparison comparison = compareRuns({{&a, &treeA, "a", TimeRange::all()}, {&b, &treeB, "b", TimeRange::all()}});
  for (const ComparisonGroup& group : comparison.groups) EXPECT_EQ(group.match, MatchKind::kExact) << group.key;
}

TEST(CallMatching, AStopEndsItEarly) {
  std::mt19937 random(9);
  const Written a(randomCalls(random, 5));
  const Written b(randomCalls(random, 5));
  std::stop_source source;
  source.request_stop();
  const Comparison comparison = compareRuns({a.run(), b.run()}, source.get_token());
  EXPECT_TRUE(comparison.kernels.empty());
  EXPECT_TRUE(comparison.reasons.empty());
}

TEST(CallMatching, TheProfilersOwnWorkIsAGroupOfItsOwn) {
  TraceMaker maker;
  const TrackId main = maker.thread(1, 1);
  maker.add({main, "cpu_op", "aten::add", 0, 10}).add({main, "overhead", "Activity Buffer Request", 20, 500});
  const Trace trace = maker.build();
  const OperatorTree tree = buildOperatorTree(trace);
  const ComparedRun run{&trace, &tree, "a", TimeRange::all()};
  const Comparison comparison = compareRuns({run, run});
  EXPECT_EQ(comparison.totals[0].profilerNs, 500);
  EXPECT_EQ(comparison.totals[0].hostSelfNs, 510);
  EXPECT_TRUE(comparison.groups.back().isProfiler);
  EXPECT_EQ(comparison.groups.back().runs[1].hostSelfNs, 500);
  EXPECT_EQ(headlineOf(comparison).runs[0].valueNs, 10) << "and not in the headline";
}

TEST(CallMatching, KernelsStandUnderTheGroupThatLaunchedThem) {
  TraceMaker maker;
  const TrackId main = maker.thread(1, 1);
  const TrackId stream = maker.thread(0, 7, TrackKind::kStream);
  maker.add({main, "cpu_op", "aten::bmm", 0, 100});
  for (int i = 0; i < 3; ++i) {
    MadeSlice kernel{stream, "kernel", i == 2 ? "small" : "gemm", 200 + 100 * i, i == 2 ? 5 : 50};
    kernel.launchedBy = "aten::bmm";
    maker.add(kernel);
  }
  const Trace trace = maker.build();
  const OperatorTree tree = buildOperatorTree(trace);
  const ComparedRun run{&trace, &tree, "a", TimeRange::all()};
  const Comparison comparison = compareRuns({run, run});
  ASSERT_EQ(comparison.groups.size(), 1u);
  const std::vector<LaunchedKernel>& kernels = comparison.groups[0].kernels[1];
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].name, "gemm");
  EXPECT_EQ(kernels[0].calls, 2u);
  EXPECT_EQ(kernels[0].totalNs, 100);
  EXPECT_EQ(kernels[1].totalNs, 5);
}

}  // namespace
}  // namespace attnscope
