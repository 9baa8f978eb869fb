// SPDX-License-Identifier: Apache-2.0
#include "core/compare/SeamLinks.h"

#include <numeric>

#include <gtest/gtest.h>

namespace attnscope {
namespace {

// A trace with one host thread, and one stream where kernels are given; slices are listed in order of (track, start).
class Builder {
 public:
  Builder() {
    m_trace.processes.emplace_back();
    Track thread;
    thread.kind = TrackKind::kThread;
    thread.process = ProcessId{0};
    m_trace.tracks.push_back(thread);
  }
  SliceId host(const char* name, std::int64_t start, std::int64_t duration, CategoryClass category) {
    return add(TrackId{0}, name, start, duration, category);
  }
  SliceId op(const char* name, std::int64_t start, std::int64_t duration) {
    return host(name, start, duration, CategoryClass::kCpuOperator);
  }
  SliceId annotation(const char* name, std::int64_t start, std::int64_t duration) {
    return host(name, start, duration, CategoryClass::kUserAnnotation);
  }
  SliceId kernel(const char* name, std::int64_t start, std::int64_t duration, SliceId launch) {
    if (m_trace.tracks.size() == 1) {
      Track stream;
      stream.kind = TrackKind::kStream;
      stream.process = ProcessId{0};
      stream.firstSlice = static_cast<std::uint32_t>(m_trace.slices.size());
      m_trace.tracks.push_back(stream);
    }
    const SliceId slice = add(TrackId{1}, name, start, duration, CategoryClass::kKernel);
    m_trace.deviceWork.slice.push_back(slice);
    m_trace.deviceWork.launch.push_back(launch);
    m_trace.deviceWork.launchOperator.push_back(kNoSlice);
    return slice;
  }
  const Trace& trace() const { return m_trace; }

 private:
  SliceId add(TrackId track, const char* name, std::int64_t start, std::int64_t duration, CategoryClass category) {
    SliceTable& slices = m_trace.slices;
    const SliceId id{static_cast<std::uint32_t>(slices.size())};
    slices.startNs.push_back(start);
    slices.durationNs.push_back(duration);
    slices.name.push_back(m_trace.strings.intern(name));
    slices.categoryClass.push_back(category);
    slices.track.push_back(track);
    slices.order.push_back(static_cast<std::uint32_t>(index(id)));
    ++m_trace.tracks[index(track)].sliceCount;
    return id;
  }
  Trace m_trace;
};

std::int64_t baseWork(const std::vector<SeamLink>& links) {
  return std::accumulate(links.begin(), links.end(), std::int64_t{0},
                         [](std::int64_t sum, const SeamLink& link) { return sum + link.base.workNs; });
}

TEST(SeamLinks, StagesOfOneSideMeetTheFusedOperatorOfTheOther) {
  Builder base;
  base.annotation("ProfilerStep#1", 0, 1000);
  base.op("aten::linear", 10, 100);
  base.annotation("scores", 120, 100);
  base.op("aten::matmul", 125, 90);
  base.annotation("softmax", 230, 50);
  base.op("aten::softmax", 232, 40);
  base.annotation("weighted_sum", 290, 100);
  base.op("aten::gelu", 400, 60);
  Builder other;
  other.annotation("ProfilerStep#1", 5000, 600);
  other.op("aten::linear", 5010, 100);
  other.op("aten::scaled_dot_product_attention", 5120, 80);
  other.op("aten::gelu", 5210, 70);

  const auto links = seamLinks({&base.trace(), TrackId{0}}, {&other.trace(), TrackId{0}});
  ASSERT_EQ(links.size(), 3u);
  EXPECT_EQ(links[0].title, "aten::linear");
  EXPECT_EQ(links[0].match, MatchKind::kExact);
  EXPECT_EQ(links[1].title, "aten::scaled_dot_product_attention");
  EXPECT_EQ(links[1].match, MatchKind::kRole);
  EXPECT_EQ(links[1].base.slices.size(), 3u);
  EXPECT_EQ(links[1].base.workNs, 250);
  EXPECT_EQ(links[1].deltaNs(), -170);
  EXPECT_EQ(links[2].deltaNs(), 10);
}

TEST(SeamLinks, AnAnnotationThatHoldsTheStepIsSeenThrough) {
  Builder base;
  base.annotation("ProfilerStep#1", 0, 1000);
  base.annotation("block forward", 5, 900);
  base.op("aten::linear", 10, 100);
  base.op("aten::gelu", 200, 100);
  const auto links = seamLinks({&base.trace(), TrackId{0}}, {&base.trace(), TrackId{0}});
  ASSERT_EQ(links.size(), 2u);
  EXPECT_EQ(links[0].title, "aten::linear");
  EXPECT_EQ(links[1].title, "aten::gelu");
}

TEST(SeamLinks, StagesAreNamedInWords) {
  Builder base;
  base.op("aten::linear", 10, 100);
  base.annotation("scores", 120, 100);
  base.annotation("weighted_sum", 290, 100);
  base.op("aten::gelu", 400, 60);
  Builder fused;
  fused.op("aten::linear", 10, 100);
  fused.annotation("fused", 120, 80);
  fused.op("aten::gelu", 210, 70);
  const auto one = seamLinks({&base.trace(), TrackId{0}}, {&fused.trace(), TrackId{0}});
  ASSERT_EQ(one.size(), 3u);
  EXPECT_EQ(one[1].title, "Fused");
  Builder none;
  none.op("aten::linear", 10, 100);
  none.op("aten::gelu", 210, 70);
  const auto several = seamLinks({&base.trace(), TrackId{0}}, {&none.trace(), TrackId{0}});
  ASSERT_EQ(several.size(), 3u);
  EXPECT_EQ(several[1].title, "Scores … Weighted sum");
}

TEST(SeamLinks, KernelsGoWithTheWorkThatLaunchedThem) {
  Builder base;
  const SliceId linear = base.op("aten::linear", 0, 10);
  const SliceId attention = base.op("aten::sdpa", 20, 10);
  base.kernel("gemm_a", 100, 10, linear);
  base.kernel("gemm_b", 110, 20, linear);
  base.kernel("flash", 140, 30, attention);
  base.kernel("graph", 180, 5, kNoSlice);
  Builder other;
  const SliceId only = other.op("aten::sdpa", 20, 10);
  other.kernel("flash2", 140, 25, only);
  const auto links = seamLinks({&base.trace(), TrackId{1}}, {&other.trace(), TrackId{1}});
  ASSERT_EQ(links.size(), 3u);
  EXPECT_EQ(links[0].title, "aten::linear");
  EXPECT_EQ(links[0].match, MatchKind::kOnlyBase);
  EXPECT_EQ(links[0].base.slices.size(), 2u);
  EXPECT_EQ(links[0].other.range.durationNs(), 0);
  EXPECT_EQ(links[1].match, MatchKind::kExact);
  EXPECT_EQ(links[1].deltaNs(), -5);
  EXPECT_EQ(links[2].title, "graph");
  EXPECT_EQ(baseWork(links), 65);
}

TEST(SeamLinks, ScopeAndEmptySides) {
  Builder base;
  base.op("aten::a", 0, 10);
  base.op("aten::b", 100, 10);
  EXPECT_TRUE(seamLinks({}, {}).empty());
  const auto links = seamLinks({&base.trace(), TrackId{0}, {50, 200}}, {});
  ASSERT_EQ(links.size(), 1u);
  EXPECT_EQ(links[0].title, "aten::b");
  EXPECT_EQ(links[0].match, MatchKind::kOnlyBase);
}

}  // namespace
}  // namespace attnscope
