// SPDX-License-Identifier: Apache-2.0
#include "app/cli/RunnerProgram.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/ProcessOutput.h"
#include "core/problem/ProblemJson.h"

namespace attnscope::cli {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestAnswerBytes = 16u << 20;

tl::unexpected<Error> failed(std::string what, std::string remedy) {
  Error error;
  error.kind = ErrorKind::kInternal;
  error.what = std::move(what);
  error.remedy = std::move(remedy);
  return fail(std::move(error));
}

Result<std::string> writeProblem(const Problem& problem, ScratchFolder& scratch) {
  const auto folder = scratch.newFolder();
  if (!folder) return tl::unexpected<Error>(folder.error());
  const fs::path file = *folder / "problem.json";
  std::ofstream stream(file, std::ios::binary);
  stream << toJson(problem).dump() << '\n';
  stream.close();
  if (!stream)
    return failed("the problem could not be written for the runner", "free some space in the temporary folder");
  return file.string();
}

std::map<std::string, std::string> reasonsOf(const Json& list) {
  std::map<std::string, std::string> reasons;
  for (const Json& entry : list) {
    const bool available = entry.value("available", true);
    const Json reason = entry.value("reason", Json());
    const std::string why = reason.is_string() ? reason.get<std::string>() : "The runner does not say why.";
    reasons[entry.value("id", std::string())] = available ? std::string() : why;
  }
  return reasons;
}

std::string textOf(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

std::string runnerPath() {
  const char* named = std::getenv("ATTNSCOPE_RUNNER");
  if (named != nullptr && *named != '\0') return named;
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  return error ? std::string("attnscope-runner") : (self.parent_path() / "attnscope-runner").string();
}

Result<RunnerDescription> describeRunner(const Problem& problem, ScratchFolder& scratch, std::stop_token stop) {
  const std::string runner = runnerPath();
  std::error_code error;
  if (!fs::is_regular_file(runner, error)) {
    return failed(fmt::format("there is no runner at {}", runner), "build with LibTorch: ./dev build");
  }
  const Result<std::string> file = writeProblem(problem, scratch);
  if (!file) return tl::unexpected<Error>(file.error());
  const Result<ProcessOutput> said =
      outputOf({{runner, "describe", "--problem", *file}, {}}, kLongestAnswerBytes, stop);
  if (!said) return tl::unexpected<Error>(said.error());
  const Json answer = Json::parse(said->output, nullptr, /*allow_exceptions=*/false);
  if (!answer.is_object() || !answer.contains("implementations")) {
    const std::string log = said->log.substr(0, said->log.find('\n'));
    return failed(log.empty() ? "the runner's answer could not be read" : "the runner failed: " + log,
                  "run attnscope-runner describe by itself");
  }
  try {
    RunnerDescription description;
    description.version = textOf(answer, "runner_version");
    description.libtorch = textOf(answer, "libtorch");
    description.cpuCapability = textOf(answer, "cpu_capability");
    description.devices = reasonsOf(answer.value("devices", Json::array()));
    description.implementations = reasonsOf(answer["implementations"]);
    return description;
  } catch (const Json::exception&) {
    return failed("the runner's answer could not be read", "build it and this program from one version");
  }
}

}  // namespace attnscope::cli
