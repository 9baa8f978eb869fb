// SPDX-License-Identifier: Apache-2.0
#pragma once

// The answer of `compare` before it is printed: runs from traces and session files, their comparison, and what the
// timed pairs say where two runs are of one measurement.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/Commands.h"
#include "app/cli/Measurement.h"
#include "core/compare/Alignment.h"
#include "core/compare/Comparison.h"
#include "core/session/PairRule.h"

namespace attnscope::cli {

struct LoadedRun {
  std::shared_ptr<const Trace> trace;
  OperatorTree tree;
  AlignedScope aligned;
  std::string title;
  std::shared_ptr<const RunResult> measurement;  // of a session file; null for a trace
  std::size_t measuredAs = 0;                    // position in the measurement's plan
  std::vector<PairRule> pairs = {};              // that its session file keeps
  std::vector<std::int64_t> repeatNs = {};       // of a folder: the headline figure of each of its traces, in order
  [[nodiscard]] const ImplementationResult* measured() const {
    return measurement ? &measurement->implementations[measuredAs] : nullptr;
  }
};

struct CompareAnswer {
  std::vector<LoadedRun> runs;
  Comparison comparison;
  Headline headline;
  std::vector<std::optional<TimedVerdict>> timed;  // per run, where it was measured together with the base
  Alignment alignment;
  std::vector<std::size_t> shown;       // groups with a row of their own
  std::optional<ComparisonGroup> rest;  // the sum of the others, so that the rows still sum to the totals
  Normalisation normalisation = Normalisation::kRun;

  [[nodiscard]] std::optional<double> contribution(const ComparisonGroup& group, std::size_t run) const {
    return contributionOf(comparison, group, run);
  }
  // What the prediction and the counting allocator say of a run's memory on a device.
  [[nodiscard]] std::optional<std::int64_t> predictedPeakBytes(std::size_t run, const std::string& device) const;
  [[nodiscard]] std::optional<std::int64_t> measuredPeakBytes(std::size_t run, const std::string& device) const;
};

[[nodiscard]] tl::expected<CompareAnswer, Failure> makeCompareAnswer(const Context& context);
void writeCompareJson(Output& output, const CompareAnswer& answer);
void writeCompareText(const Context& context, const CompareAnswer& answer);  // text or Markdown
void writeCompareCsv(Output& output, const CompareAnswer& answer);

}  // namespace attnscope::cli
