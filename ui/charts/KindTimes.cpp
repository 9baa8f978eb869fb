// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/KindTimes.h"

#include <algorithm>
#include <array>

namespace attnscope::ui {

KindTimes kindTimes(const std::vector<KindInput>& inputs) {
  KindTimes times;
  times.byDevice =
      std::all_of(inputs.begin(), inputs.end(), [](const KindInput& run) { return run.facts->trace->hasDeviceWork(); });
  std::array<std::vector<std::int64_t>, kWorkKindCount> sums;
  for (std::vector<std::int64_t>& each : sums) each.assign(inputs.size(), 0);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    times.runs.push_back(inputs[i].runNumber);
    times.letters << inputs[i].letter;
    const auto add = [&](WorkKind kind, std::int64_t ns) { sums[static_cast<std::size_t>(kind)][i] += ns; };
    if (times.byDevice) {
      for (const KernelRow& row : inputs[i].tables->kernels.rows) add(row.kind, row.totalNs);
      for (const KernelRow& row : inputs[i].tables->kernels.copies) add(WorkKind::kCopy, row.totalNs);
    } else {
      for (const OperatorRow& row : inputs[i].tables->operators.rows) {
        add(row.isUserAnnotation ? WorkKind::kAnnotation : row.kind, row.cpuSelfNs);
      }
    }
  }
  const auto most = [](const std::vector<std::int64_t>& of) { return *std::max_element(of.begin(), of.end()); };
  for (std::size_t kind = 0; kind < sums.size(); ++kind) {
    if (inputs.empty() || most(sums[kind]) <= 0) continue;
    times.kinds.push_back({static_cast<WorkKind>(kind), std::move(sums[kind])});
  }
  std::stable_sort(times.kinds.begin(), times.kinds.end(),
                   [&](const KindTimes::Kind& a, const KindTimes::Kind& b) { return most(a.ns) > most(b.ns); });
  return times;
}

}  // namespace attnscope::ui
