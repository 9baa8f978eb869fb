// SPDX-License-Identifier: Apache-2.0
#include "core/engine/SampleRecording.h"

#include <ATen/Parallel.h>
#include <ATen/ops/allclose.h>
#include <c10/core/InferenceMode.h>

#include <nlohmann/json.hpp>

#include "core/engine/Failure.h"
#include "core/engine/Stage.h"
#include "core/engine/TransformerBlock.h"
#include "core/engine/implementations/NaivePlain.h"
#include "core/engine/implementations/SdpaFlash.h"
#include "core/engine/recorders/KinetoRecorder.h"

namespace attnscope::engine {
namespace {

constexpr std::uint64_t kWeightSeed = 1;
constexpr std::uint64_t kInputSeed = 100;
constexpr int kWarmUpSteps = 3;
constexpr int kRecordedSteps = 5;

struct SampleRun {
  ImplementationEntry implementation;
  const char* file;
};

std::string descriptionOf(const ImplementationEntry& entry, const AttentionProblem& problem) {
  const nlohmann::ordered_json json{{"title", entry.title},
                                    {"implementation", entry.id},
                                    {"problem",
                                     {{"batch", problem.batch},
                                      {"heads", problem.heads},
                                      {"sequence", problem.sequence},
                                      {"head_dimension", problem.headDimension},
                                      {"causal", problem.causal},
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
    at::set_num_threads(1);  // one thread: a step is one row, and a laptop records what a server does
    const AttentionProblem problem;
    const at::Tensor input = randomNormal({problem.batch, problem.sequence, problem.modelDimension()}, 1.0, kInputSeed);

    std::vector<RecordedSample> samples;
    at::Tensor expected;
    for (const SampleRun& run : {SampleRun{naivePlain(), "naive.json"}, SampleRun{sdpaFlash(), "flash.json"}}) {
      const TransformerBlock block(problem, run.implementation.make(problem), kWeightSeed);
      const at::Tensor output = block.forward(input);
      if (!expected.defined()) expected = output;
      if (!at::allclose(output, expected, /*rtol=*/1e-4, /*atol=*/1e-4)) {
        Error error;
        error.kind = ErrorKind::kInternal;
        error.what = std::string(run.implementation.title) + " and the first implementation give different outputs";
        return fail(error);
      }
      const std::filesystem::path file = folder / run.file;
      if (Result<void> done = recordSteps(block, input, descriptionOf(run.implementation, problem), file); !done) {
        return fail(done.error());
      }
      samples.push_back({.title = run.implementation.title, .file = file});
    }
    return samples;
  });
}

}  // namespace attnscope::engine
