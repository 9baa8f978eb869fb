// SPDX-License-Identifier: Apache-2.0
// attnscope-runner: runs and records implementations of attention, in a process of its own. `run` speaks the protocol
// of core/session on its standard streams; the other answers are JSON on standard output. Exit codes: 0 done, 2 wrong
// usage or a plan that cannot be read, 3 a file could not be read or written, 4 a run failed, 5 out of memory.

#include <sys/prctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/engine/Environment.h"
#include "core/engine/SampleRecording.h"
#include "core/engine/Worker.h"
#include "core/problem/MaskTable.h"
#include "core/problem/ProblemJson.h"
#include "core/problem/Validation.h"

namespace {

using attnscope::Error;
using attnscope::ErrorKind;
using attnscope::Problem;
using attnscope::Result;
using Json = nlohmann::ordered_json;

constexpr int kWrongUsage = 2;
constexpr int kBadFile = 3;
constexpr int kRunFailed = 4;

int report(const Error& error) {
  std::fprintf(stderr, "attnscope-runner: %s\n", error.message().c_str());
  if (error.kind == ErrorKind::kUsage) return kWrongUsage;
  return error.kind == ErrorKind::kInput ? kBadFile : kRunFailed;
}

void print(const Json& json) { std::printf("%s\n", json.dump(2, ' ', false, Json::error_handler_t::replace).c_str()); }

Json orNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json availabilityJson(const std::string& reason) { return {{"available", reason.empty()}, {"reason", orNull(reason)}}; }

Json choiceJson(const attnscope::engine::SdpaChoice& choice) {
  Json against = Json::array();
  for (const auto& refusal : choice.against) {
    against.push_back({{"backend", refusal.backend}, {"reason", refusal.reason}});
  }
  return {{"backend", orNull(choice.backend)}, {"against", against}};
}

// From a file, or from standard input where it is "-".
Result<Problem> readProblem(const std::string& from) {
  std::string text;
  if (from == "-") {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    std::ifstream in(from, std::ios::binary);
    if (!in) {
      Error error;
      error.what = from + " could not be read";
      error.remedy = "check its name";
      return fail(error);
    }
    text.assign(std::istreambuf_iterator<char>(in), {});
  }
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) {
    Error error;
    error.what = (from == "-" ? "standard input" : from) + " is no JSON";
    error.remedy = "give a problem as core/problem/ProblemJson.h describes it";
    return fail(error);
  }
  Result<Problem> problem = attnscope::problemFromJson(json);
  if (!problem) return problem;
  if (const Result<void> read = attnscope::readMaskOf(*problem); !read) return fail(read.error());
  return attnscope::validated(*std::move(problem));
}

int describe(const std::string& problemFrom) {
  std::optional<Problem> problem;
  if (!problemFrom.empty()) {
    const Result<Problem> read = readProblem(problemFrom);
    if (!read) return report(read.error());
    problem = *read;
  }
  const auto environment = attnscope::engine::describeEnvironment(problem);
  if (!environment) return report(environment.error());
  Json devices = Json::array();
  for (const auto& device : environment->devices) {
    Json json{{"id", device.id}};
    json.update(availabilityJson(device.reason));
    devices.push_back(std::move(json));
  }
  Json implementations = Json::array();
  for (const auto& implementation : environment->implementations) {
    Json json{{"id", implementation.id}, {"title", implementation.title}};
    json.update(availabilityJson(implementation.reason));
    implementations.push_back(std::move(json));
  }
  Json answer{{"schema", "attnscope/1"},
              {"runner_version", ATTNSCOPE_VERSION},
              {"libtorch", environment->libtorch},
              {"threads", environment->threads},
              {"logical_cpus", environment->logicalCpus},
              {"cpu_capability", environment->cpuCapability},
              {"kineto", environment->kineto},
              {"devices", devices},
              {"implementations", implementations}};
  if (problem) answer["problem"] = attnscope::toJson(*problem);
  if (environment->choice) answer["sdpa_choice"] = choiceJson(*environment->choice);
  print(answer);
  return 0;
}

int recordSample(const std::filesystem::path& folder) {
  const auto samples = attnscope::engine::recordSample(folder);
  if (!samples) return report(samples.error());
  Json files = Json::array();
  for (const auto& sample : *samples) {
    files.push_back({{"title", sample.title}, {"file", sample.file.string()}});
  }
  print({{"schema", "attnscope/1"}, {"traces", files}});
  return 0;
}

// The protocol has standard output for itself: what a library prints there goes to the log.
int run(bool testHooks) {
  attnscope::engine::WorkerOptions options;
  options.runnerVersion = ATTNSCOPE_VERSION;
  if (testHooks) options.testHooks = attnscope::engine::TestHookUse::kObey;
  options.output = dup(STDOUT_FILENO);
  if (options.output < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    std::fprintf(stderr, "attnscope-runner: standard output cannot be used\n");
    return kRunFailed;
  }
  return attnscope::engine::runWorker(options);
}

}  // namespace

int main(int argc, char** argv) {
  // Traces name the process by this: fifteen letters would cut the program's own name.
  prctl(PR_SET_NAME, "attnscope");
  CLI::App app{"Runs and records implementations of attention.", "attnscope-runner"};
  app.set_version_flag("--version", std::string("attnscope-runner ") + ATTNSCOPE_VERSION);
  app.require_subcommand(1);
  CLI::App* running = app.add_subcommand("run", "Run the plan on standard input; JSON lines on standard output");
  bool testHooks = false;
  running->add_flag("--test-hooks", testHooks, "Let the plan crash, hang and starve this process");
  CLI::App* describing = app.add_subcommand("describe", "What this machine and LibTorch can do, as JSON");
  std::string problemFrom;
  describing->add_option("--problem", problemFrom,
                         "Also for this problem, in JSON (- is standard input): what can run it, and what LibTorch "
                         "itself would choose");
  CLI::App* recording = app.add_subcommand("record-sample", "Record the two traces of the sample comparison");
  std::filesystem::path folder;
  recording->add_option("FOLDER", folder, "Where naive.json and flash.json are written")
      ->required()
      ->check(CLI::ExistingDirectory);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    std::fprintf(stderr, "attnscope-runner: %s: see attnscope-runner --help\n", error.what());
    return kWrongUsage;
  }
  if (*running) return run(testHooks);
  return *describing ? describe(problemFrom) : recordSample(folder);
}
