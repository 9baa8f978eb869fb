// SPDX-License-Identifier: Apache-2.0
#include "core/findings/Rules.h"

#include <set>

#include "core/findings/Words.h"
#include "tests/unit/findings/Recording.h"

namespace attnscope {
namespace {

TEST(Rules, EachHasAnIdOfItsOwnAndSaysItsThreshold) {
  std::set<std::string_view> ids;
  for (const Rule& rule : allRules()) {
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
    EXPECT_NE(rule.id.find('.'), std::string_view::npos) << rule.id;
    EXPECT_NE(rule.check, nullptr) << rule.id;
    const std::string words = rule.thresholdWords(rule.threshold);
    EXPECT_EQ(words.find('{'), std::string::npos) << words;
    EXPECT_TRUE(words.starts_with("fires ")) << words;
    EXPECT_EQ(findRule(rule.id), &rule);
  }
  EXPECT_EQ(findRule("no.rule"), nullptr);
  EXPECT_EQ(findRule("device.idle")->thresholdWords(0.3),
            "fires where the device idles for at least 30.0 % of the time");
}

TEST(Rules, EachIsFoundCleanOrDoesNotApply) {
  const FindingsReport report = reportOf(Recording().op("aten::add", 0, 100).build());
  std::set<std::string_view> answered(report.clean.begin(), report.clean.end());
  for (const RuleReason& each : report.notApplicable) {
    EXPECT_FALSE(each.reason.empty()) << each.rule;
    EXPECT_TRUE(answered.insert(each.rule).second) << each.rule;
  }
  for (const Finding& finding : report.findings) answered.insert(finding.rule);
  EXPECT_TRUE(report.failed.empty());
  EXPECT_EQ(answered.size(), allRules().size());
}

TEST(Rules, AnEmptyTraceBreaksNone) {
  const Trace trace = TraceMaker().build();
  const FindingsReport report = reportOf(trace);
  EXPECT_TRUE(report.failed.empty());
  EXPECT_TRUE(report.findings.empty());
}

TEST(Rules, ProblemsComeFirstAndLargerSavingsBeforeSmaller) {
  Recording recording;
  // Idle for most of the time, and a dominant kernel, which is a note.
  recording.op("aten::mm", 0, 10).kernel("gemm", 0, 100, "aten::mm").kernel("gemm", 900, 100, "aten::mm");
  const FindingsReport report = reportOf(recording.build());
  ASSERT_GE(report.findings.size(), 2u);
  EXPECT_EQ(report.findings.front().rule, "device.idle");
  for (std::size_t i = 1; i < report.findings.size(); ++i) {
    const Finding& before = report.findings[i - 1];
    const Finding& after = report.findings[i];
    EXPECT_GE(before.severity, after.severity);
    if (before.severity == after.severity) {
      EXPECT_GE(before.savingNs.value_or(-1), after.savingNs.value_or(-1));
    }
  }
}

TEST(Rules, AChosenThresholdTakesThePlaceOfTheRules) {
  Recording recording;
  recording.op("aten::mm", 0, 10).kernel("gemm", 0, 80).kernel("gemm", 90, 10);
  const Trace trace = recording.build();
  EXPECT_TRUE(fired(trace, "device.idle").empty());
  EXPECT_EQ(fired(trace, "device.idle", {{"device.idle", 0.1}}).size(), 1u);
}

TEST(Words, FiguresInSentences) {
  EXPECT_EQ(words::time(999), "999 ns");
  EXPECT_EQ(words::time(1'500), "1.50 us");
  EXPECT_EQ(words::time(2'770'000), "2.77 ms");
  EXPECT_EQ(words::time(47'151'395), "47.2 ms");
  EXPECT_EQ(words::time(1'250'000'000), "1.25 s");
  EXPECT_EQ(words::bytes(512), "512 bytes");
  EXPECT_EQ(words::bytes(4 << 20), "4.00 MiB");
  EXPECT_EQ(words::bytes(std::int64_t{1946} << 20), "1.90 GiB");
  EXPECT_EQ(words::percent(0.0871), "8.7 %");
  EXPECT_EQ(words::percent(-0.0), "0.0 %");
  EXPECT_EQ(words::count(1, "call", "calls"), "1 call");
  EXPECT_EQ(words::count(3, "call", "calls"), "3 calls");
}

}  // namespace
}  // namespace attnscope
