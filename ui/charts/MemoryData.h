// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What the memory chart shows of each run: allocated and reserved bytes of one device, the peak in scope and who holds
// it. Pure functions, any thread; O(n log n) of the records.

#include <memory>
#include <optional>
#include <vector>

#include <QString>
#include <QStringList>

#include "core/base/TimeRange.h"
#include "ui/bridge/Run.h"
#include "ui/charts/StepSeries.h"

namespace attnscope::ui {

struct MemoryInput {
  int runNumber = 0;
  QString letter;
  QString title;
  std::shared_ptr<const RunFacts> facts;
  TimeRange scope;                                 // own time
  std::optional<std::int64_t> predictedPeakBytes;  // of the host, where the lab's card predicts one
  QString predictionWords;                         // "3 score matrices of 32.0 MiB + output of 2.0 MiB"
  std::optional<std::int64_t> measuredPeakBytes;   // of one call, as the counting allocator saw it
  std::optional<std::int64_t> scoreMatrixBytes;    // B x H x N x M values of the problem's type
  QString scoreMatrixWords;                        // "1 × 8 × 512 × 512 × 4 bytes"
  std::int64_t anchorNs = 0;                       // own time of the aligned zero
};

struct MemoryRun {
  int runNumber = 0;
  QString letter;
  QString title;
  bool isRelative = false;  // levels over the start: the trace has no totals
  StepSeries allocated;     // bytes, own time
  StepSeries reserved;      // empty: not recorded
  double peakBytes = 0;     // in scope; at peakAtNs of own time
  std::int64_t peakAtNs = 0;
  bool hasPeak = false;       // a record lies in scope
  QString holder;             // "in aten::_softmax, 512 MiB", or empty
  double predictedBytes = 0;  // 0: none
  QString predictionWords;
  double measuredBytes = 0;  // of one call; 0: not measured
  double scoreMatrixBytes = 0;
  QString scoreMatrixWords;
};
using MemoryRuns = std::vector<MemoryRun>;

// Allocated bytes of one run less those of another, over the other's own time.
struct MemoryDifference {
  int runNumber = -1;
  int baseNumber = -1;
  QString words;      // "B − A"
  StepSeries series;  // empty: the two were not recorded at the same time of the ruler
};

// Devices that any run has memory records of, "cpu" first.
[[nodiscard]] QStringList memoryDevices(const std::vector<MemoryInput>& runs);
// Runs without records of the device are left out.
[[nodiscard]] std::shared_ptr<const MemoryRuns> memoryRuns(const std::vector<MemoryInput>& runs, const QString& device);
// Aligned as the inputs are. None where either run has no records of the device. O(n + m).
[[nodiscard]] std::optional<MemoryDifference> memoryDifference(const MemoryRuns& runs, int runNumber, int baseNumber,
                                                               const std::vector<MemoryInput>& inputs);

}  // namespace attnscope::ui
