// SPDX-License-Identifier: Apache-2.0
#include "core/engine/Environment.h"

#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/matmul.h>

#include <filesystem>
#include <random>
#include <string_view>

#include "core/engine/Failure.h"
#include "core/engine/Threads.h"
#include "core/engine/implementations/Registry.h"
#include "core/engine/recorders/KinetoRecorder.h"
#include "core/problem/Cards.h"

namespace attnscope::engine {
namespace {

std::string versionIn(std::string_view settings) {
  constexpr std::string_view kKey = "TORCH_VERSION=";
  const std::size_t at = settings.find(kKey);
  if (at == std::string_view::npos) return "unknown";
  const std::string_view rest = settings.substr(at + kKey.size());
  return std::string(rest.substr(0, rest.find_first_of(", \n")));
}

// [0 1 2; 3 4 5] times its transpose is [5 14; 14 50].
bool multipliesRightly() {
  const at::Tensor left = at::arange(6, at::kFloat).view({2, 3});
  const at::Tensor product = at::matmul(left, left.transpose(0, 1)).contiguous();
  const float* value = product.const_data_ptr<float>();
  return value[0] == 5.0f && value[1] == 14.0f && value[2] == 14.0f && value[3] == 50.0f;
}

bool profilerSavesTraces() {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("attnscope-probe-" + std::to_string(std::random_device{}()) + ".json");
  KinetoRecorder recorder;
  const bool saved = recorder.start() && recorder.stop() && recorder.save(file);
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  return saved;
}

// What no problem can change: what is not built, and where.
std::string generalReason(const Card& card) {
  if (!card.notBuilt.empty()) return std::string(card.notBuilt);
  if (!card.onCpu) return "Runs on CUDA only, and this runner was built without it.";
  return findImplementation(card.id) ? "" : "This runner was built without it.";
}

std::vector<Availability> availabilityOf(const std::optional<Problem>& problem) {
  std::vector<Availability> all;
  for (const Card& card : cards()) {
    const std::string reason =
        problem ? refusalHere(card.id, *problem, "cpu").value_or(std::string()) : generalReason(card);
    all.push_back({.id = std::string(card.id), .title = std::string(card.title), .reason = reason});
  }
  return all;
}

}  // namespace

std::string libtorchVersion() { return versionIn(at::show_config()); }
std::string libtorchBuild() {
  std::string text = at::show_config();
  std::string line;
  for (const char letter : text) {
    if (letter != '\n') {
      line += letter;
    } else if (!line.empty()) {
      line += ';';
    }
  }
  while (!line.empty() && line.back() == ';') line.pop_back();
  return line;
}

std::string cpuCapability() { return at::get_cpu_capability(); }

Result<Environment> describeEnvironment(const std::optional<Problem>& problem) {
  return guarded("asking LibTorch what it can do", [&]() -> Result<Environment> {
    if (!multipliesRightly()) {
      Error error;
      error.kind = ErrorKind::kInternal;
      error.what = "LibTorch multiplied two small matrices wrongly";
      error.remedy = "run ./dev setup again after removing .deps";
      return fail(error);
    }
    Environment environment;
    environment.libtorch = libtorchVersion();
    environment.cpuCapability = cpuCapability();
    environment.threads = at::get_num_threads();
    environment.logicalCpus = logicalCpus();
    environment.kineto = profilerSavesTraces();
    environment.devices = {{.id = "cpu", .reason = {}}, {.id = "cuda", .reason = "this runner was built without CUDA"}};
    environment.implementations = availabilityOf(problem);
    if (problem) {
      Result<SdpaChoice> choice = sdpaChoice(*problem);
      if (!choice) return fail(choice.error());
      environment.choice = *std::move(choice);
    }
    return environment;
  });
}

}  // namespace attnscope::engine
