// SPDX-License-Identifier: Apache-2.0
#include "core/findings/rules/Catalogue.h"

namespace attnscope {

const std::vector<Rule>& allRules() {
  static const std::vector<Rule> kRules = {
      {"device.idle", "fires where the device idles for at least {} of the time", 0.30, true, rules::deviceIdle},
      {"launch.bound", "fires where the median kernel takes less than {} of the median time between two launches", 1.0,
       true, rules::launchBound},
      {"launch.storm", "fires above {} kernels under 5 us in a step", 100, false, rules::launchStorm},
      {"graph.candidate", "fires where the device waits for at least {} of steps that launch the same kernels", 0.10,
       true, rules::graphCandidate},
      {"sync.in-step", "fires where the host waits for at least {} of the time", 0.01, true, rules::syncInStep},
      {"copy.pageable", "fires where copies of pageable memory take at least {} of the time", 0.01, true,
       rules::copyPageable},
      {"copy.hidden", "fires where copies inside other operators take at least {} of all work", 0.01, true,
       rules::copyHidden},
      {"step.cold", "fires above {} median absolute deviations", 3, false, rules::stepCold},
      {"kernel.bimodal", "fires where the slower group takes {} times the faster one's mean or more", 1.3, false,
       rules::kernelBimodal},
      {"profiler.self", "fires where the profiler's own work takes at least {} of the time", 0.01, true,
       rules::profilerSelf},
      {"compile.overhead", "fires where guards and lookups take at least {} of the time", 0.05, true,
       rules::compileOverhead},
      {"input.wait", "fires where waiting for input takes at least {} of the time", 0.05, true, rules::inputWait},

      {"attn.unfused", "fires from {} chain of matmul, softmax and matmul on", 1, false, rules::attentionUnfused},
      {"attn.math-backend", "fires from {} call on", 1, false, rules::attentionMathBackend},
      {"attn.backend", "fires from {} call on", 1, false, rules::attentionBackend},
      {"attn.mask-rebuilt", "fires where a mask is built {} times or more", 2, false, rules::attentionMaskRebuilt},
      {"attn.safe-softmax", "fires from {} call on", 1, false, rules::attentionSafeSoftmax},
      {"attn.kv-repeat", "fires where repeating keys and values takes at least {} of all work", 0.01, true,
       rules::attentionKvRepeat},
      {"attn.layout-copy", "fires where copies beside attention take at least {} of the kernel time", 0.05, true,
       rules::attentionLayoutCopy},
      {"attn.low-occupancy", "fires below an occupancy of {}", 0.25, true, rules::attentionLowOccupancy},
      {"attn.occupancy-unknown", "fires from {} kernel on", 1, false, rules::attentionOccupancyUnknown},
      {"attn.cpu-cost", "fires where the host takes {} of the device's time for attention or more", 1.0, true,
       rules::attentionCpuCost},
      {"attn.share", "fires from {} call on", 1, false, rules::attentionShare},

      {"gemm.no-tensor-core", "fires where such matmuls take at least {} of the kernel time", 0.01, true,
       rules::gemmNoTensorCore},
      {"gemm.shape", "fires where matmuls of sizes off the grid take at least {} of the kernel time", 0.01, true,
       rules::gemmShape},
      {"gemm.layout", "fires where matmuls whose layout is named take at least {} of the kernel time", 0.05, true,
       rules::gemmLayout},
      {"kernel.low-occupancy", "fires below an occupancy of {} in kernels with 5 % of the kernel time", 0.25, true,
       rules::kernelLowOccupancy},
      {"kernel.tail", "fires where the last wave is filled to less than {} in kernels with 5 % of the kernel time",
       0.50, true, rules::kernelTail},
      {"kernel.small-grid", "fires below {} blocks a multiprocessor in kernels with 5 % of the kernel time", 1, false,
       rules::kernelSmallGrid},
      {"kernel.dominant", "fires where one kernel takes at least {} of the kernel time", 0.30, true,
       rules::kernelDominant},

      {"mem.peak", "fires from a peak of {} bytes on", 1, false, rules::memoryPeak},
      {"mem.fragmentation", "fires where {} times the allocated peak is reserved or more", 1.5, false,
       rules::memoryFragmentation},
      {"mem.alloc-in-step", "fires from {} call in a step after the first on", 1, false, rules::memoryAllocInStep},
      {"mem.growth", "fires where the memory at the end of steps grows by at least {} of the peak a step", 0.005, true,
       rules::memoryGrowth},
      {"mem.no-events", "fires where there are fewer than {} records", 1, false, rules::memoryNoEvents},

      {"trace.lossy", "fires from {} event that is lost or has no time on", 1, false, rules::traceLossy}};
  return kRules;
}

}  // namespace attnscope
