// SPDX-License-Identifier: Apache-2.0
// attnscope-runner: runs and records implementations of attention, in a process of its own. Answers are JSON on
// standard output. Exit codes: 0 done, 2 wrong usage, 3 a file could not be read or written, 4 a run failed.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "core/engine/Environment.h"
#include "core/engine/SampleRecording.h"

namespace {

using attnscope::Error;
using attnscope::ErrorKind;
using attnscope::Result;
using Json = nlohmann::ordered_json;

constexpr int kWrongUsage = 2;
constexpr int kBadFile = 3;
constexpr int kRunFailed = 4;

int report(const Error& error) {
  std::fprintf(stderr, "attnscope-runner: %s\n", error.message().c_str());
  return error.kind == ErrorKind::kInput ? kBadFile : kRunFailed;
}

void print(const Json& json) { std::printf("%s\n", json.dump(2, ' ', false, Json::error_handler_t::replace).c_str()); }

int describe() {
  const Result<attnscope::engine::Environment> environment = attnscope::engine::describeEnvironment();
  if (!environment) return report(environment.error());
  Json devices = Json::array();
  for (const auto& device : environment->devices) {
    devices.push_back({{"id", device.id},
                       {"available", device.reason.empty()},
                       {"reason", device.reason.empty() ? Json() : Json(device.reason)}});
  }
  Json implementations = Json::array();
  for (const auto& implementation : environment->implementations) {
    implementations.push_back({{"id", implementation.id}, {"title", implementation.title}});
  }
  print({{"schema", "attnscope/1"},
         {"runner_version", ATTNSCOPE_VERSION},
         {"libtorch", environment->libtorch},
         {"threads", environment->threads},
         {"cpu_capability", environment->cpuCapability},
         {"kineto", environment->kineto},
         {"devices", devices},
         {"implementations", implementations}});
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

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Runs and records implementations of attention.", "attnscope-runner"};
  app.set_version_flag("--version", std::string("attnscope-runner ") + ATTNSCOPE_VERSION);
  app.require_subcommand(1);
  const CLI::App* describing = app.add_subcommand("describe", "What this machine and LibTorch can do, as JSON");
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
  return *describing ? describe() : recordSample(folder);
}
