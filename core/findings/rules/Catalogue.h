// SPDX-License-Identifier: Apache-2.0
#pragma once

// The rules, one a file, in the order of the catalogue: each a pure function of the metrics and its threshold.

#include "core/findings/Rules.h"

namespace attnscope::rules {

[[nodiscard]] RuleAnswer deviceIdle(const Metrics& metrics, double threshold);
[[nodiscard]] RuleAnswer launchBound(const Metrics& metrics, double threshold);
[[nodiscard]] RuleAnswer launchStorm(const Metrics& metrics, double threshold);
[[nodiscard]] RuleAnswer graphCandidate(const Metrics& metrics, double threshold);
[[nodiscard]] RuleAnswer syncInStep(const Metrics& metrics, double threshold);
[[nodiscard]] RuleAnswer copyPageable(const Metrics& metrics, double threshold);
[[nodiscard]] RuleAnswer copyHidden(const Metrics& metrics, double threshold);
[[nodiscard]] RuleAnswer stepCold(const Metrics& metrics, double threshold);
[[nodiscard]] RuleAnswer kernelBimodal(const Metrics& metrics, double threshold);
[[nodiscard]] RuleAnswer profilerSelf(const Metrics& metrics, double threshold);
[[nodiscard]] RuleAnswer compileOverhead(const Metrics& metrics, double threshold);
[[nodiscard]] RuleAnswer inputWait(const Metrics& metrics, double threshold);

[[nodiscard]] RuleAnswer attentionUnfused(const Metrics& metrics, double threshold);
[[nodiscard]] RuleAnswer attentionMathBackend(const Metrics& metrics, double threshold);
[[nodiscard]] RuleAnswer attentionBackend(const Metrics& metrics, double threshold);
[[nodiscard]] RuleAnswer attentionMaskRebuilt(const Metrics& metrics, double threshold);
[[nodiscard]] RuleAnswer attentionSafeSoftmax(const Metrics& metrics, double threshold);
[[nodiscard]] RuleAnswer attentionKvRepeat(const Metrics& metrics, double threshold);
[[nodiscard]] RuleAnswer attentionLayoutCopy(const Metrics& metrics, double threshold);
[[nodiscard]] RuleAnswer attentionLowOccupancy(const Metrics& metrics, double threshold);
[[nodiscard]] RuleAnswer attentionOccupancyUnknown(const Metrics& metrics, double threshold);
[[nodiscard]] RuleAnswer attentionCpuCost(const Metrics& metrics, double threshold);
[[nodiscard]] RuleAnswer attentionShare(const Metrics& metrics, double threshold);

[[nodiscard]] RuleAnswer gemmNoTensorCore(const Metrics& metrics, double threshold);
[[nodiscard]] RuleAnswer gemmShape(const Metrics& metrics, double threshold);
[[nodiscard]] RuleAnswer gemmLayout(const Metrics& metrics, double threshold);
[[nodiscard]] RuleAnswer kernelLowOccupancy(const Metrics& metrics, double threshold);
[[nodiscard]] RuleAnswer kernelTail(const Metrics& metrics, double threshold);
[[nodiscard]] RuleAnswer kernelSmallGrid(const Metrics& metrics, double threshold);
[[nodiscard]] RuleAnswer kernelDominant(const Metrics& metrics, double threshold);

[[nodiscard]] RuleAnswer memoryPeak(const Metrics& metrics, double threshold);
[[nodiscard]] RuleAnswer memoryFragmentation(const Metrics& metrics, double threshold);
[[nodiscard]] RuleAnswer memoryAllocInStep(const Metrics& metrics, double threshold);
[[nodiscard]] RuleAnswer memoryGrowth(const Metrics& metrics, double threshold);
[[nodiscard]] RuleAnswer memoryNoEvents(const Metrics& metrics, double threshold);

[[nodiscard]] RuleAnswer traceLossy(const Metrics& metrics, double threshold);

}  // namespace attnscope::rules
