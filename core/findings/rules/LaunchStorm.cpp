// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/findings/Words.h"
#include "core/findings/rules/Catalogue.h"
#include "core/findings/rules/Parts.h"

namespace attnscope::rules {

namespace {

constexpr std::int64_t kShortNs = 5'000;

}  // namespace

RuleAnswer launchStorm(const Metrics& metrics, double threshold) {
  if (!metrics.hasDevice) return withoutDevice();
  const Trace& trace = *metrics.trace;
  const auto steps = static_cast<double>(std::max<std::size_t>(metrics.windows.size(), 1));
  struct Launcher {
    StringId name;
    std::vector<SliceId> kernels;
  };
  std::vector<Launcher> launchers;
  std::vector<std::size_t> placeOf(trace.strings.size() + 1, SIZE_MAX);
  std::size_t count = 0;
  std::int64_t total = 0;
  for (std::size_t i = 0; i < trace.deviceWork.size(); ++i) {
    const SliceId kernel = trace.deviceWork.slice[i];
    if (trace.slices.categoryClass[index(kernel)] != CategoryClass::kKernel) continue;
    if (trace.slices.durationNs[index(kernel)] >= kShortNs) continue;
    if (!isIn(metrics.windows, trace.slices.startNs[index(kernel)])) continue;
    ++count;
    total += trace.slices.durationNs[index(kernel)];
    const SliceId launcher = trace.deviceWork.launchOperator[i];
    const StringId name = launcher == kNoSlice ? kNoString : trace.slices.name[index(launcher)];
    std::size_t& place = placeOf[name == kNoString ? trace.strings.size() : index(name)];
    if (place == SIZE_MAX) {
      place = launchers.size();
      launchers.push_back({name, {}});
    }
    launchers[place].kernels.push_back(kernel);
  }
  if (static_cast<double>(count) / steps <= threshold) return std::vector<Finding>{};
  std::stable_sort(launchers.begin(), launchers.end(),
                   [](const Launcher& a, const Launcher& b) { return a.kernels.size() > b.kernels.size(); });
  const auto nameOf = [&](const Launcher& launcher) {
    return launcher.name == kNoString ? std::string("no operator") : std::string(trace.strings.view(launcher.name));
  };
  Finding finding;
  finding.severity = share(total, metrics.kernels.totalNs) >= 0.05 ? FindingSeverity::kWarning : FindingSeverity::kInfo;
  finding.headline = fmt::format("{} kernels run under 5 us {}, {} of them from {}", count, inWindows(metrics),
                                 launchers.front().kernels.size(), nameOf(launchers.front()));
  finding.why =
      "Starting a kernel costs the host and the device several microseconds each time: kernels this short spend more "
      "on being started than on their work.";
  finding.change = fmt::format(
      "Fuse what {} does with its neighbours (torch.compile, foreach or fused variants), or launch the step as a CUDA "
      "graph.",
      nameOf(launchers.front()));
  finding.savingNs = total;
  finding.savingFormula = "sum of the durations of these kernels";
  for (std::size_t i = 0; i < std::min<std::size_t>(launchers.size(), 4); ++i) {
    finding.evidence.push_back(slicesEvidence(
        fmt::format("{} from {}", words::count(launchers[i].kernels.size(), "kernel", "kernels"), nameOf(launchers[i])),
        launchers[i].kernels));
  }
  finding.caveats = {"Fused work takes time as well: what is left of it is not known from a trace."};
  return std::vector<Finding>{finding};
}

}  // namespace attnscope::rules
