// SPDX-License-Identifier: Apache-2.0
#include "core/engine/SampleRecording.h"

#include <ATen/ops/allclose.h>
#include <c10/core/InferenceMode.h>

#include <nlohmann/json.hpp>

#include "core/engine/Failure.h"
#include "core/engine/Stage.h"
#include "core/engine/Threads.h"
#include "core/engine/TransformerBlock.h"
#include "core/engine/implementations/NaivePlain.h"
#include "core/engine/implementations/SdpaFlash.h"
#include "core/engine/recorders/KinetoRecorder.h"

namespace attnscope::engine {
namespace {

constexpr int kWarmUpSteps = 3;
constexpr int kRecordedSteps = 5;

struct SampleRun {
  ImplementationEntry implementation;
  const char* title;
  const char* file;
};

Problem sampleProblem() {
  Problem problem;
  problem.queryLength = 512;
  problem.keyValueLength = 512;
  problem.workload = Workload::kBlock;
  problem.layout = Layout::kBnhd;  // heads are views of the projection, as models have them
  return problem;
}

std::string descriptionOf(const SampleRun& run, const Problem& problem) {
  const nlohmann::ordered_json json{{"title", run.title},
                                    {"implementation", run.implementation.id},
                                    {"problem",
                                     {{"batch", problem.batch},
                                      {"heads", problem.heads},
                                      {"sequence", problem.queryLength},
                                      {"head_dimension", problem.headSize},
                                      {"causal", true},
                                      {"dtype", "float32"}}},
                                    {"device", "cpu"},
                                    {"threads", 1},
                                    {"warm_up_steps", kWarmUpSteps},
                                    {"steps", kRecordedSteps}};
  return json.dump();
}

Result<void> recordSteps(const TransformerBlock& block, const at::Tensor& input, const std::string& description,
                         const std::filesystem::path& file) {
  for (int step = 0; step < kWarmUpSteps; ++step) static_cast<void>(block.forward(input));
  KinetoRecorder recorder;
  if (Result<void> started = recorder.start(); !started) return started;
  recorder.describe("attnscope", description);
  for (int step = 0; step < kRecordedSteps; ++step) {
    const Stage stage("ProfilerStep#" + std::to_string(step));
    static_cast<void>(block.forward(input));
  }
  if (Result<void> stopped = recorder.stop(); !stopped) return stopped;
  return recorder.save(file);
}

}  // namespace

Result<std::vector<RecordedSample>> recordSample(const std::filesystem::path& folder) {
  return guarded("recording the sample", [&]() -> Result<std::vector<RecordedSample>> {
    const c10::InferenceMode noGradients;
    // One thread: a step is one row, and a laptop records what a server does.
    if (Result<void> threads = useThreads(1); !threads) return fail(threads.error());
    const Problem problem = sampleProblem();
    const at::Tensor input = makeBlockInput(problem);
    const BlockWeights weights = makeBlockWeights(problem);

    std::vector<RecordedSample> samples;
    at::Tensor expected;
    for (const SampleRun& run : {SampleRun{naivePlain(), "Naive attention", "naive.json"},
                                 SampleRun{sdpaFlash(), "SDPA flash", "flash.json"}}) {
      const TransformerBlock block(problem, run.implementation.make(problem), weights);
      const at::Tensor output = block.forward(input);
      if (!expected.defined()) expected = output;
      if (!at::allclose(output, expected, /*rtol=*/1e-4, /*atol=*/1e-4)) {
        Error error;
        error.kind = ErrorKind::kInternal;
        error.what = std::string(run.title) + " and the first implementation give different outputs";
        return fail(error);
      }
      const std::filesystem::path file = folder / run.file;
      if (Result<void> done = recordSteps(block, input, descriptionOf(run, problem), file); !done) {
        return fail(done.error());
      }
      samples.push_back({.title = run.title, .file = file});
    }
    return samples;
  });
}

}  // namespace attnscope::engine
