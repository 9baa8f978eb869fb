// SPDX-License-Identifier: Apache-2.0
#include "core/trace/Trace.h"

#include <gtest/gtest.h>

namespace attnscope {
namespace {

Trace rowOf(std::vector<std::pair<std::int64_t, std::int64_t>> slices) {
  Trace trace;
  for (const auto& [start, duration] : slices) {
    trace.slices.startNs.push_back(start);
    trace.slices.durationNs.push_back(duration);
  }
  return trace;
}

using Span = std::pair<std::uint32_t, std::uint32_t>;

TEST(Trace, SlicesInARange) {
  const Trace trace = rowOf({{0, 10}, {10, 5}, {20, 0}, {30, 10}});
  const RowSpan row{0, 4};
  EXPECT_EQ(trace.slicesIn(row, {0, 100}), Span(0, 4));
  EXPECT_EQ(trace.slicesIn(row, {10, 15}), Span(1, 2)) << "half open at both ends";
  EXPECT_EQ(trace.slicesIn(row, {9, 10}), Span(0, 1));
  EXPECT_EQ(trace.slicesIn(row, {15, 20}), Span(2, 2));
  EXPECT_EQ(trace.slicesIn(row, {20, 21}), Span(2, 3)) << "a slice of no length lies at its start";
  EXPECT_EQ(trace.slicesIn(row, {35, 36}), Span(3, 4));
  EXPECT_EQ(trace.slicesIn(row, {40, 50}), Span(4, 4));
  EXPECT_EQ(trace.slicesIn(row, TimeRange::all()), Span(0, 4));
}

TEST(Trace, ArrowsOfASlice) {
  FlowTable flows;
  flows.from = {SliceId{1}, SliceId{1}, SliceId{4}};
  flows.to = {SliceId{5}, SliceId{2}, SliceId{2}};
  flows.byTarget = {1, 2, 0};
  EXPECT_EQ(flows.leaving(SliceId{1}), (std::pair<std::size_t, std::size_t>(0, 2)));
  EXPECT_EQ(flows.leaving(SliceId{2}).first, flows.leaving(SliceId{2}).second);
  EXPECT_EQ(flows.arriving(SliceId{2}), (std::pair<std::size_t, std::size_t>(0, 2)));
  EXPECT_EQ(flows.arriving(SliceId{5}), (std::pair<std::size_t, std::size_t>(2, 3)));
}

TEST(Trace, TitleIsTheNameWithoutEndings) {
  Trace trace;
  trace.path = "/tmp/run.1/model.pt.trace.json.gz";
  EXPECT_EQ(trace.title(), "model");
  trace.path = "a.json";
  EXPECT_EQ(trace.title(), "a");
  trace.metadata.emplace_back("attnscope", R"({"title":"Naive attention","implementation":"naive.plain"})");
  EXPECT_EQ(trace.title(), "Naive attention");
  trace.metadata.back().second = R"({"title":7,"implementation":"naive.plain"})";
  EXPECT_EQ(trace.title(), "a");
}

TEST(Trace, DeviceWorkIsFound) {
  DeviceWorkTable work;
  work.slice = {SliceId{3}, SliceId{8}};
  EXPECT_EQ(work.find(SliceId{8}), 1u);
  EXPECT_FALSE(work.find(SliceId{4}));
}

}  // namespace
}  // namespace attnscope
