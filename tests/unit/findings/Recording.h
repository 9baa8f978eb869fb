// SPDX-License-Identifier: Apache-2.0
#pragma once

// A trace made by hand for one rule, and what the rule answers to it.

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/findings/Rules.h"
#include "tests/unit/analysis/TraceMaker.h"

namespace attnscope {

// One host thread and one stream of device 0, which is an H100.
class Recording {
 public:
  static constexpr std::size_t kNoCall = SIZE_MAX;

  Recording& op(std::string name, std::int64_t start, std::int64_t ns, std::string dims = {}, std::string args = {}) {
    MadeSlice slice{host, "cpu_op", std::move(name), start, ns};
    slice.inputDims = std::move(dims);
    slice.args = std::move(args);
    return add(std::move(slice));
  }
  // The position of the call, for the kernels that it launches.
  std::size_t call(std::string name, std::int64_t start, std::int64_t ns) {
    add({host, "cuda_runtime", std::move(name), start, ns});
    return m_slices.size() - 1;
  }
  Recording& slice(std::string category, std::string name, std::int64_t start, std::int64_t ns) {
    return add({host, std::move(category), std::move(name), start, ns});
  }
  Recording& kernel(std::string name, std::int64_t start, std::int64_t ns, std::string launchedBy = {},
                    std::size_t byCall = kNoCall, std::string category = "kernel") {
    MadeSlice slice{stream, std::move(category), std::move(name), start, ns};
    slice.launchedBy = std::move(launchedBy);
    if (byCall != kNoCall) m_launches.emplace_back(m_slices.size(), byCall);
    return add(std::move(slice));
  }
  Recording& step(int number, std::int64_t start, std::int64_t ns) {
    return add({host, "user_annotation", "ProfilerStep#" + std::to_string(number), start, ns});
  }
  Recording& memory(std::int64_t atNs, std::int64_t bytes, std::int64_t total, std::int16_t deviceType = 1) {
    m_records.push_back({host, atNs, bytes, static_cast<std::uint64_t>(atNs), total, deviceType, 0});
    return *this;
  }
  // May be asked again, as it is or with more.
  [[nodiscard]] Trace build() const {
    TraceMaker maker;
    EXPECT_EQ(maker.thread(1, 1), host);
    EXPECT_EQ(maker.thread(0, 7, TrackKind::kStream), stream);
    DeviceProperties device;
    device.smCount = 132;
    device.computeMajor = 9;
    device.computeMinor = 0;
    device.warpSize = 32;
    maker.trace().devices.push_back(device);
    for (const MadeSlice& slice : m_slices) maker.add(slice);
    for (const MadeRecord& record : m_records) maker.record(record);
    Trace trace = maker.build();
    std::vector<SliceId> byPosition(m_slices.size());
    for (std::uint32_t i = 0; i < trace.slices.size(); ++i) byPosition[trace.slices.order[i]] = SliceId{i};
    for (const auto& [kernel, by] : m_launches) {
      const auto row = trace.deviceWork.find(byPosition[kernel]);
      EXPECT_TRUE(row);
      if (row) trace.deviceWork.launch[*row] = byPosition[by];
    }
    return trace;
  }

  static constexpr TrackId host{0};
  static constexpr TrackId stream{1};

 private:
  Recording& add(MadeSlice slice) {
    m_slices.push_back(std::move(slice));
    return *this;
  }

  std::vector<MadeSlice> m_slices;
  std::vector<MadeRecord> m_records;
  std::vector<std::pair<std::size_t, std::size_t>> m_launches;
};

inline FindingsReport reportOf(const Trace& trace, std::optional<std::string_view> rule = {},
                               const Thresholds& thresholds = {}, TimeRange scope = TimeRange::all()) {
  const OperatorTree tree = buildOperatorTree(trace);
  const std::vector<MemorySeries> memory = memorySeries(trace);
  return findAll(metricsOf(trace, tree, memory, scope), thresholds, rule);
}

// The findings of one rule. It must apply.
inline std::vector<Finding> fired(const Trace& trace, std::string_view rule, const Thresholds& thresholds = {},
                                  TimeRange scope = TimeRange::all()) {
  const FindingsReport report = reportOf(trace, rule, thresholds, scope);
  EXPECT_TRUE(report.notApplicable.empty())
      << rule << " does not apply: " << (report.notApplicable.empty() ? "" : report.notApplicable.front().reason);
  EXPECT_TRUE(report.failed.empty());
  for (const Finding& finding : report.findings) {
    EXPECT_FALSE(finding.headline.empty());
    EXPECT_FALSE(finding.why.empty());
    EXPECT_FALSE(finding.change.empty());
    EXPECT_EQ(finding.savingNs.has_value(), !finding.savingFormula.empty()) << rule;
  }
  return report.findings;
}

// Why one rule does not apply; empty where it does.
inline std::string reasonOf(const Trace& trace, std::string_view rule) {
  const FindingsReport report = reportOf(trace, rule);
  return report.notApplicable.empty() ? std::string() : report.notApplicable.front().reason;
}

}  // namespace attnscope
