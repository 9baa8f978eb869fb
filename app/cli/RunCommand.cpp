// SPDX-License-Identifier: Apache-2.0
#include <condition_variable>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <unistd.h>

#include "app/cli/CommandLine.h"
#include "app/cli/Commands.h"
#include "app/cli/Measurement.h"
#include "app/cli/RemoteRunner.h"
#include "app/cli/RunProgress.h"
#include "app/cli/RunnerProgram.h"
#include "core/problem/Cards.h"
#include "core/session/AttnFile.h"
#include "core/session/RunController.h"

namespace attnscope::cli {

namespace {

// The runner is limited to this share of the memory that is free, so that what is too large is refused in words
// rather than by the kernel. Under the least there is no limit: LibTorch itself needs some.
constexpr double kBudgetShare = 0.9;
constexpr double kLeastBudgetBytes = 1024.0 * 1024 * 1024;

tl::unexpected<Failure> usage(std::string what, std::string remedy) {
  Error error;
  error.kind = ErrorKind::kUsage;
  error.what = std::move(what);
  error.remedy = std::move(remedy);
  return failure({}, std::move(error));
}

std::uint64_t memoryBudget() {
  std::ifstream facts("/proc/meminfo");
  for (std::string word; facts >> word;) {
    double kibibytes = 0;
    if (word != "MemAvailable:" || !(facts >> kibibytes)) continue;
    const double budget = kibibytes * 1024 * kBudgetShare;
    return budget < kLeastBudgetBytes ? 0 : static_cast<std::uint64_t>(budget);
  }
  return 0;
}

tl::expected<std::vector<std::string>, Failure> implementationsOf(const std::string& list) {
  std::vector<std::string> ids;
  std::vector<std::string> known;
  for (const Card& card : cards()) known.emplace_back(card.id);
  std::set<std::string> seen;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t comma = std::min(list.find(',', begin), list.size());
    const std::string id = list.substr(begin, comma - begin);
    begin = comma + 1;
    if (id.empty()) return usage("--impl has an empty place", "write ids with one comma between two");
    if (findCard(id) == nullptr) {
      const std::string nearest = nearestWord(id, known);
      return usage(
          fmt::format("--impl {}: there is no such implementation", id),
          nearest.empty() ? "attnscope-cli implementations lists them" : fmt::format("did you mean {}?", nearest));
    }
    if (!seen.insert(id).second) return usage(fmt::format("--impl {} stands there twice", id), "leave one out");
    ids.push_back(id);
  }
  return ids;
}

tl::expected<UserCode, Failure> codeOf(const Options& options) {
  UserCode code;
  code.packageFile = options.package;
  code.allowed = options.allowCode;
  if (options.script.size() > 3 && options.script.substr(options.script.size() - 3) == ".pt") {
    code.scriptFile = options.script;
  } else if (!options.script.empty()) {
    std::ifstream file(options.script, std::ios::binary);
    code.script.assign(std::istreambuf_iterator<char>(file), {});
    if (!file || code.script.empty()) {
      return usage(fmt::format("--script {}: this file could not be read, or it is empty", options.script),
                   "name a TorchScript source or a module (.pt)");
    }
  }
  return code;
}

tl::expected<RunPlan, Failure> planOf(const Context& context) {
  const Options& options = context.options;
  auto ids = implementationsOf(options.implementations);
  if (!ids) return tl::unexpected(ids.error());
  // Before minutes are spent: can the answer be kept?
  if (const Result<void> there = canWriteAttn(options.output); !there) {
    return usage(fmt::format("-o {}: {}", options.output, there.error().what), there.error().remedy);
  }
  RunPlan plan;
  plan.problem = options.problem;
  plan.implementations = std::move(*ids);
  if (options.quick) makeQuick(plan);
  plan.device = options.device;
  plan.threads = options.threads;
  plan.rounds = options.pairs.value_or(plan.rounds);
  plan.cache = options.cache;
  plan.profiling = options.noProfile ? Profiling::kSkip : Profiling::kRecord;
  plan.cpus = options.cpus;
  plan.memoryCheck = options.overBudget ? MemoryCheck::kGoOn : MemoryCheck::kRefuse;
  if (auto code = codeOf(options)) {
    plan.code = std::move(*code);
  } else {
    return tl::unexpected(code.error());
  }
  return plan;
}

// Where it runs, and where its traces come to lie.
struct Place {
  std::optional<RemoteRunner> remote;
  RunnerCommand command;
  std::string traceFolder;  // here
};

// The plan's folder for traces is one of the machine that it runs on; only of this machine is known how much is free.
tl::expected<Place, Failure> placeOf(const Context& context, RunPlan& plan) {
  const auto traces = context.scratch.newFolder();
  if (!traces) return failure({}, traces.error());
  Place place{{}, {{runnerPath(), "run"}, {}}, traces->string()};
  plan.traceFolder = place.traceFolder;
  plan.memoryBudgetBytes = memoryBudget();
  if (context.options.host.empty()) return place;
  const Result<RemoteRunner> remote = RemoteRunner::of(context.options.host);
  if (!remote) return failure({}, remote.error());
  const Result<std::string> folder = remote->makeFolder(context.stop);
  if (!folder) return failure({}, folder.error());
  plan.traceFolder = *folder;
  plan.memoryBudgetBytes = 0;
  place.remote = *remote;
  place.command = remote->command();
  return place;
}

// Brings the traces here; one that does not come is a warning of the run.
void fetchTraces(const Context& context, const Place& place, RunResult& result) {
  for (std::size_t i = 0; i < result.implementations.size(); ++i) {
    std::string& trace = result.implementations[i].traceFile;
    if (trace.empty()) continue;
    const std::string here = place.traceFolder + "/" + traceNameOf(i, result.implementations[i].id);
    const Result<void> fetched = place.remote->fetch(trace, here, context.stop);
    if (!fetched) result.warnings.push_back("its trace was not fetched: " + fetched.error().message());
    trace = fetched ? here : std::string();
  }
  place.remote->removeFolder(result.plan.traceFolder);
}

// Runs to the end, or until a stop is asked for.
Result<RunResult> carryOut(const Context& context, const RunnerCommand& command, RunPlan plan) {
  std::mutex mutex;
  std::condition_variable_any ended;
  std::optional<RunResult> result;
  RunProgress progress;
  const bool shown = !context.options.quiet && ::isatty(STDERR_FILENO) != 0;

  RunObserver observer;
  observer.changed = [&](const RunState& state) {
    if (shown) progress.show(state);
  };
  observer.finished = [&](const RunResult& finished) {
    const std::scoped_lock lock(mutex);
    result = finished;
    ended.notify_all();
  };
  RunController controller(command, {}, std::move(observer));
  if (Result<void> started = controller.start(std::move(plan)); !started) {
    return tl::unexpected<Error>(std::move(started.error()));
  }
  {
    std::unique_lock lock(mutex);
    ended.wait(lock, context.stop, [&] { return result.has_value(); });
  }
  if (context.stop.stop_requested()) controller.cancel();
  controller.wait();
  progress.clear();
  return std::move(*result);
}

bool hasTimes(const RunResult& result) {
  for (const ImplementationResult& implementation : result.implementations) {
    if (!implementation.samples.empty()) return true;
  }
  return false;
}

}  // namespace

Outcome runRun(const Context& context) {
  auto plan = planOf(context);
  if (!plan) return tl::unexpected(plan.error());
  const auto place = placeOf(context, *plan);
  if (!place) return tl::unexpected(place.error());
  auto result = carryOut(context, place->command, std::move(*plan));
  if (result && place->remote) fetchTraces(context, *place, *result);
  if (!result) return tl::unexpected(Failure{{}, result.error(), kRunFailed});

  // What was timed is kept, however the run ended.
  const std::string& file = context.options.output;
  Result<void> written;
  const bool kept = result->ending != RunEnding::kFailed ? hasTimes(*result) || result->ending == RunEnding::kComplete
                                                         : hasTimes(*result);
  if (kept) written = writeAttn(file, *result);
  const bool there = kept && written.has_value();
  if (context.options.form == OutputForm::kJson) {
    JsonWriter json(context.output);
    json.beginDocument();
    writeMeasurement(json, *result, there ? file : std::string());
    json.endDocument();
  } else {
    writeMeasurement(context.output, *result);
    context.output.write(there ? fmt::format("\nwritten to {}\n", file) : std::string("\nnothing was written\n"));
  }
  if (!written) return failure(file, written.error());
  if (result->ending == RunEnding::kFailed) {
    Error error;
    error.what = "the run failed";
    error.remedy = result->endingReason;
    return tl::unexpected(Failure{{}, std::move(error), kRunFailed});
  }
  return {};
}

}  // namespace attnscope::cli
