// SPDX-License-Identifier: Apache-2.0
#include "core/trace/TraceHealth.h"

#include <gtest/gtest.h>

namespace attnscope {
namespace {

TEST(TraceHealth, OneEntryForEachCode) {
  TraceHealth health;
  health.note("a.x", Severity::kInfo, "first", 2, 50, 7);
  health.note("a.x", Severity::kRepaired, "second", 3, 20);
  health.note("b.y", Severity::kLost, "lost");
  health.note("c.z", Severity::kLost, "nothing", 0);
  ASSERT_EQ(health.entries().size(), 2u);
  EXPECT_EQ(health.entries()[0].count, 5u);
  EXPECT_EQ(health.entries()[0].firstByte, 20u);
  EXPECT_EQ(health.entries()[0].firstEvent, 7u);
  EXPECT_EQ(health.entries()[0].severity, Severity::kRepaired);
  EXPECT_EQ(health.entries()[0].message, "first");
  EXPECT_EQ(health.sorted()[0].code, "b.y");
  EXPECT_EQ(health.count(Severity::kRepaired), 5u);
}

TEST(TraceHealth, Merge) {
  TraceHealth a;
  TraceHealth b;
  a.note("a.x", Severity::kInfo, "m", 1, 50);
  b.note("a.x", Severity::kInfo, "m", 4, 10);
  b.note("b.y", Severity::kInfo, "m");
  a.merge(b);
  EXPECT_EQ(a.entries().size(), 2u);
  EXPECT_EQ(a.entries()[0].count, 5u);
  EXPECT_EQ(a.entries()[0].firstByte, 10u);
}

}  // namespace
}  // namespace attnscope
