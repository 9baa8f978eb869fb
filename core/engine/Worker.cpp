// SPDX-License-Identifier: Apache-2.0
#include "core/engine/Worker.h"

#include <c10/core/InferenceMode.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>
#include <vector>

#include "core/engine/Benchmark.h"
#include "core/engine/CountingAllocator.h"
#include "core/engine/Deadline.h"
#include "core/engine/Energy.h"
#include "core/engine/Environment.h"
#include "core/engine/Failure.h"
#include "core/engine/Machine.h"
#include "core/engine/ProfiledRun.h"
#include "core/engine/ProtocolChannel.h"
#include "core/engine/Roofs.h"
#include "core/engine/TestHooks.h"
#include "core/engine/Threads.h"
#include "core/engine/TimingLease.h"
#include "core/engine/Work.h"
#include "core/engine/implementations/Registry.h"
#include "core/problem/Cards.h"
#include "core/problem/Formulas.h"
#include "core/problem/MaskTable.h"
#include "core/problem/ProblemJson.h"
#include "core/problem/Validation.h"

namespace attnscope::engine {
namespace {

// Thrown where a cancel is found, caught in runPlan(): a run has many places at which it may stop.
struct CancelledRun {};

struct Candidate {
  std::string id;
  std::size_t letter = 0;
  const Card* card = nullptr;
  CardFigures figures;
  std::unique_ptr<Work> work;  // null once it is out
  std::int64_t perCallNs = 0;  // wall time; 0: never called
  std::int64_t callsPerSample = 1;
  double joules = 0;  // of the processor, during its samples
  std::int64_t measuredCalls = 0;
};

std::string inWords(std::int64_t bytes) {
  constexpr double kKiB = 1024;
  const auto value = static_cast<double>(bytes);
  if (value < kKiB * kKiB) return fmt::format("{:.1f} KiB", value / kKiB);
  if (value < kKiB * kKiB * kKiB) return fmt::format("{:.1f} MiB", value / (kKiB * kKiB));
  return fmt::format("{:.1f} GiB", value / (kKiB * kKiB * kKiB));
}

// LibTorch's allocator says "...you tried to allocate 68719476736 bytes..." in a plain c10::Error.
std::optional<std::int64_t> bytesAskedFor(const std::string& text) {
  constexpr std::string_view kBefore = "you tried to allocate ";
  const std::size_t at = text.find(kBefore);
  if (at == std::string::npos) return std::nullopt;
  return static_cast<std::int64_t>(std::strtoll(text.c_str() + at + kBefore.size(), nullptr, 10));
}

std::string memoryReason(std::optional<std::int64_t> asked, std::uint64_t budget) {
  std::string text = "ran out of memory";
  if (asked) text += fmt::format(": asked for {}", inWords(*asked));
  if (budget > 0) {
    text += fmt::format("{} the budget is {}", asked ? "," : ":", inWords(static_cast<std::int64_t>(budget)));
  }
  return text;
}

std::string reasonOf(const std::exception& exception, std::uint64_t budget) {
  if (dynamic_cast<const std::bad_alloc*>(&exception) != nullptr) return memoryReason(std::nullopt, budget);
  const std::string text = exception.what();
  if (dynamic_cast<const UserCodeError*>(&exception) != nullptr) return text;
  if (const auto asked = bytesAskedFor(text)) return memoryReason(asked, budget);
  return firstLine(exception);
}

class Run {
 public:
  Run(ProtocolChannel& channel, const WorkerOptions& options, PlanMessage message)
      : m_channel(channel),
        m_runnerVersion(options.runnerVersion),
        m_plan(std::move(message.plan)),
        m_continuation(std::move(message.continuation)) {
    if (options.testHooks == TestHookUse::kObey) m_hooks = TestHooks(m_plan.testHooks, m_plan.memoryBudgetBytes);
  }

  // The exit code.
  int all() {
    describeMachine();
    chooseCandidates();
    allocate();
    check();
    warmUpAll();
    if (anyLeft()) measureRoofsOfMachine();
    if (anyLeft()) time();
    if (m_plan.profiling == Profiling::kRecord) profile();
    if (!anyLeft()) {
      m_channel.send(FailureMessage{.implementation = {}, .phase = m_phase, .reason = "no implementation is left"});
      return kRunnerExitFailed;
    }
    enter(RunPhase::kWrite);
    m_channel.send(DoneMessage{.cancelled = false});
    return kRunnerExitDone;
  }

 private:
  // --- What is said ---
  void enter(RunPhase phase, const std::string& implementation = {}, int round = -1) {
    stopWhereCancelled();
    m_phase = phase;
    m_channel.send(PhaseMessage{.phase = phase, .implementation = implementation, .round = round});
  }
  void heartbeat(const std::string& implementation, std::int64_t deadlineNs) {
    m_channel.send(HeartbeatMessage{.implementation = implementation, .deadlineNs = deadlineNs});
  }
  void warn(const std::string& implementation, std::string text) {
    m_channel.send(WarningMessage{.implementation = implementation, .text = std::move(text)});
  }
  void stopWhereCancelled() const {
    if (m_channel.cancelled()) throw CancelledRun();
  }
  [[nodiscard]] Cancelled cancelled() const {
    return [this] { return m_channel.cancelled(); };
  }
  // Between the blocks of the reference: it belongs to no implementation.
  [[nodiscard]] KeepGoing keepGoing() {
    return [this](double) {
      heartbeat({}, kReferenceDeadlineNs);
      return !m_channel.cancelled();
    };
  }

  // --- What can fail for one implementation alone ---
  void attempt(Candidate& candidate, const std::function<void()>& work, int round = 0) {
    std::string reason;
    try {
      m_hooks.enter(candidate.id, m_phase, round);
      work();
      return;
    } catch (const std::exception& exception) {
      reason = reasonOf(exception, m_plan.memoryBudgetBytes);
    }
    candidate.work.reset();
    m_channel.send(FailureMessage{.implementation = candidate.id, .phase = m_phase, .reason = reason});
  }
  [[nodiscard]] bool anyLeft() const {
    return std::any_of(m_candidates.begin(), m_candidates.end(),
                       [](const Candidate& candidate) { return candidate.work != nullptr; });
  }
  [[nodiscard]] std::int64_t deadlineOf(const Candidate& candidate, std::int64_t calls) const {
    if (candidate.perCallNs > 0) return deadlineFromTime(candidate.perCallNs, calls);
    return deadlineFromFlops(candidate.figures.executedFlops.value_or(candidate.figures.usefulFlops));
  }

  // --- The phases ---
  void describeMachine();
  void chooseCandidates();
  void allocate();
  [[nodiscard]] std::optional<std::string> overBudget(const Candidate& candidate) const;
  void check();
  void checkOne(Candidate& candidate);
  const CallResult& expected(Definition definition);
  void warmUpAll();
  void measureResidentPeak(Candidate& candidate);
  void measureRoofsOfMachine();
  void tellClockAndEnergy();
  void time();
  void timeOne(Candidate& candidate, int round);
  void noisePair(int pair);
  void profile();
  void profileOne(Candidate& candidate);
  [[nodiscard]] std::string traceDescription(const Candidate& candidate, int steps) const;
  void warnAboutStolenTime(const std::optional<CpuTimes>& before);

  static constexpr std::int64_t kReferenceDeadlineNs = 60'000'000'000;

  ProtocolChannel& m_channel;
  std::string m_runnerVersion;
  RunPlan m_plan;
  RunContinuation m_continuation;
  TestHooks m_hooks;
  RunPhase m_phase = RunPhase::kAllocate;
  RunEnvironment m_environment;
  SharedInputs m_inputs;
  bool m_inputsMade = false;
  std::int64_t m_heldBytes = 0;  // by those that are allocated
  std::vector<Candidate> m_candidates;
  std::map<Definition, std::optional<CallResult>> m_expected;
  std::unique_ptr<CacheFlusher> m_flusher;  // cold runs alone
  EnergyMeter m_energy;
  std::optional<TimingLease> m_lease;  // while it is timed
};

void Run::describeMachine() {
  m_environment = machineFacts();
  m_environment.runnerVersion = m_runnerVersion;
  m_environment.libtorch = libtorchVersion();
  m_environment.cpuCapability = cpuCapability();
  m_environment.logicalCpus = logicalCpus();
  m_environment.threads = m_plan.threads;
  m_environment.device = m_plan.device;
  m_environment.build = libtorchBuild();
  m_environment.cpuList = cpuList();
  m_environment.lastLevelCacheBytes = static_cast<std::int64_t>(lastLevelCacheBytes());
  m_environment.energy = m_energy.reason();
  m_channel.send(EnvironmentMessage{.environment = m_environment});
  const double cpus = m_environment.logicalCpus;
  if (m_environment.loadAverage && *m_environment.loadAverage > cpus / 2) {
    warn({}, fmt::format("Other programs are running: the load average is {:.1f} on {} CPUs. Times will vary more.",
                         *m_environment.loadAverage, m_environment.logicalCpus));
  }
}

void Run::chooseCandidates() {
  for (std::size_t i = 0; i < m_plan.implementations.size(); ++i) {
    const std::string& id = m_plan.implementations[i];
    if (const auto reason = refusalHere(id, m_plan.problem, m_plan.device, m_plan.code)) {
      m_channel.send(RefusedMessage{.implementation = id, .reason = *reason});
      continue;
    }
    Candidate candidate;
    candidate.id = id;
    candidate.letter = i < m_continuation.letters.size() ? m_continuation.letters[i] : i;
    candidate.card = findCard(id);
    candidate.figures = figuresOf(*candidate.card, m_plan.problem, conditionsHere(m_plan.threads));
    m_candidates.push_back(std::move(candidate));
  }
}

void Run::allocate() {
  for (Candidate& candidate : m_candidates) {
    enter(RunPhase::kAllocate, candidate.id);
    if (auto reason = overBudget(candidate)) {
      m_channel.send(FailureMessage{.implementation = candidate.id, .phase = m_phase, .reason = std::move(*reason)});
      continue;
    }
    if (!m_inputsMade) {
      heartbeat({}, deadlineFromFlops(candidate.figures.inputBytes * 10));  // some 10 operations a value drawn
      m_inputs = makeSharedInputs(m_plan.problem);
      m_inputsMade = true;
    }
    heartbeat(candidate.id, kReferenceDeadlineNs);
    attempt(candidate, [&] {
      const std::string& id = m_hooks.wantsFirst(candidate.id) ? m_plan.implementations.front() : candidate.id;
      auto implementation = findImplementation(id, m_plan.code)->make(m_plan.problem);
      if (m_hooks.wantsWaiting(candidate.id)) implementation = busyWaiting(std::move(implementation));
      candidate.work = std::make_unique<Work>(m_plan.problem, m_inputs, std::move(implementation));
    });
    if (candidate.work) m_heldBytes = saturatingSum({m_heldBytes, candidate.figures.heldBytes});
  }
}

// Why its check cannot fit the budget, by what is predicted: known before anything is computed. Where a call is not
// predicted what it takes at least counts, and the rest meets the limit of the process.
std::optional<std::string> Run::overBudget(const Candidate& candidate) const {
  const std::uint64_t budget = m_plan.memoryBudgetBytes;
  if (budget == 0 || m_plan.memoryCheck == MemoryCheck::kGoOn) return std::nullopt;
  const CardFigures& figures = candidate.figures;
  const std::int64_t definitions = candidate.card->exactness == Exactness::kExact ? 1 : 2;
  const ReferenceMemory reference = referenceMemory(m_plan.problem);
  const std::int64_t results = saturatingProduct({definitions, reference.resultBytes});
  const std::int64_t peak = figures.leastPeakBytes;
  const std::int64_t held = saturatingSum({m_heldBytes, figures.heldBytes});
  const std::int64_t needed = saturatingSum({figures.inputBytes, held, results, std::max(peak, reference.workBytes)});
  if (static_cast<std::uint64_t>(needed) <= budget) return std::nullopt;
  std::string parts = fmt::format("inputs {}", inWords(figures.inputBytes));
  if (held > 0) parts += fmt::format(", kept beside them {}", inWords(held));
  parts += fmt::format(", one call {}{}", figures.predictedPeakBytes ? "" : "at least ", inWords(peak));
  parts += fmt::format(", the reference {}", inWords(saturatingSum({results, reference.workBytes})));
  return fmt::format(
      "needs {}{} ({}), the budget is {}: use fewer or shorter sequences, or fewer heads, or try it all the same with "
      "--over-budget",
      figures.predictedPeakBytes ? "" : "at least ", inWords(needed), parts,
      inWords(static_cast<std::int64_t>(budget)));
}

const CallResult& Run::expected(Definition definition) {
  std::optional<CallResult>& known = m_expected[definition];
  if (!known) {
    known = expectedResult(m_plan.problem, m_inputs, definition, keepGoing());
    if (!known) throw CancelledRun();
  }
  return *known;
}

void Run::check() {
  for (Candidate& candidate : m_candidates) {
    if (!candidate.work) continue;
    enter(RunPhase::kCheck, candidate.id);
    // Of its own first: what the reference needs too much of is no fault of the implementation's.
    static_cast<void>(expected(definitionOf(candidate.id)));
    if (candidate.card->exactness == Exactness::kApproximate) static_cast<void>(expected(Definition::kSoftmax));
    heartbeat(candidate.id, deadlineOf(candidate, 1));
    attempt(candidate, [&] { checkOne(candidate); });
  }
  m_expected.clear();
}

void Run::checkOne(Candidate& candidate) {
  CallResult result;
  std::int64_t peak = 0;
  {
    CountingAllocator counting(FreshMemory::kPoison);
    counting.restart();
    const std::int64_t start = now().wallNs;
    result = candidate.work->call();
    candidate.perCallNs = std::max<std::int64_t>(1, now().wallNs - start);
    peak = counting.peakBytes();
  }
  if (m_hooks.wantsWrongResult(candidate.id)) {
    const c10::InferenceMode noGradients;
    result.front() = result.front().mul(1.5);
  }
  const bool exact = candidate.card->exactness == Exactness::kExact;
  const Distance distance = distanceOf(result, expected(definitionOf(candidate.id)));
  if (!distance.finite) throw std::runtime_error("its result holds NaN or infinity");
  ErrorCheck error{.relativeL2 = distance.relativeL2,
                   .maxAbs = distance.maxAbs,
                   .limit = errorLimit(m_plan.problem.dtype),
                   .against = exact ? "float64 reference" : "float64 of its own definition",
                   .distanceToFull = {}};
  if (!exact) error.distanceToFull = distanceOf(result, expected(Definition::kSoftmax)).relativeL2;
  if (!error.passed()) candidate.work.reset();
  m_channel.send(CheckedMessage{.implementation = candidate.id, .error = error});
  m_channel.send(PeakMessage{.implementation = candidate.id, .bytes = peak});
}

void Run::warmUpAll() {
  m_lease.emplace();
  if (!m_lease->granted()) {
    warn({}, "Another run is being timed on this machine at the same time: both suffer. Run one after the other.");
  }
  if (m_plan.cache == CacheState::kCold) m_flusher = std::make_unique<CacheFlusher>();
  for (Candidate& candidate : m_candidates) {
    if (!candidate.work) continue;
    enter(RunPhase::kWarmUp, candidate.id);
    heartbeat(candidate.id, deadlineOf(candidate, 1));
    attempt(candidate, [&] {
      measureResidentPeak(candidate);
      const WarmUpLimits limits{.sampleAtLeastNs = m_plan.sampleAtLeastNs,
                                .atMostNs = m_plan.warmUpAtMostNs,
                                .cache = m_plan.cache,
                                .metric = m_plan.metric()};
      const auto before = [&](std::int64_t calls, std::int64_t wallPerCallNs) {
        if (wallPerCallNs > 0) candidate.perCallNs = wallPerCallNs;
        heartbeat(candidate.id, deadlineOf(candidate, calls));
      };
      const auto warm = warmUp([&] { static_cast<void>(candidate.work->call()); }, limits, before, cancelled());
      if (!warm) throw CancelledRun();
      candidate.perCallNs = warm->wallPerCallNs;
      candidate.callsPerSample = warm->callsPerSample;
      m_channel.send(WarmedMessage{.implementation = candidate.id,
                                   .perCallNs = warm->perCallNs,
                                   .callsPerSample = warm->callsPerSample,
                                   .callsUntilSteady = warm->calls});
      if (!warm->steady && warm->spread) {
        warn(candidate.id, fmt::format("its times still varied by {:.0f} % after {:.1f} s of warming up.",
                                       *warm->spread * 100, static_cast<double>(m_plan.warmUpAtMostNs) * 1e-9));
      }
    });
  }
}

// In a call of its own, so that the poison of the check is not in it.
void Run::measureResidentPeak(Candidate& candidate) {
  const ResidentPeak peak;
  static_cast<void>(candidate.work->call());
  if (const auto bytes = peak.bytes()) m_channel.send(ResidentMessage{.implementation = candidate.id, .bytes = *bytes});
}

void Run::measureRoofsOfMachine() {
  stopWhereCancelled();
  heartbeat({}, kReferenceDeadlineNs);
  const Result<Roofs> roofs = measureRoofs(m_plan.problem.dtype, m_plan.threads);
  if (!roofs) return warn({}, "The machine's limits are not known: " + roofs.error().message());
  m_environment.roofFlopsPerSecond = roofs->flopsPerSecond;
  m_environment.roofBytesPerSecond = roofs->bytesPerSecond;
  m_environment.copyBytesPerSecond = roofs->copyBytesPerSecond;
  m_environment.peakFlopsPerSecond = roofs->peakFlopsPerSecond;
  m_environment.clockMhz = clockMhz();
  m_channel.send(EnvironmentMessage{.environment = m_environment});
}

void Run::time() {
  const std::optional<CpuTimes> before = cpuTimes();
  int pair = m_continuation.firstNoisePair;
  for (int round = m_continuation.firstRound; round < m_plan.rounds && anyLeft(); ++round) {
    enter(RunPhase::kTime, {}, round);
    for (const std::size_t position : orderOfRound(m_candidates.size(), m_plan.orderSeed, round)) {
      if (m_candidates[position].work) timeOne(m_candidates[position], round);
    }
    for (; pair < noisePairsAfter(round, m_plan.noiseBlocks); ++pair) noisePair(pair);
  }
  for (; pair < m_plan.rounds * m_plan.noiseBlocks; ++pair) noisePair(pair);
  warnAboutStolenTime(before);
  tellClockAndEnergy();
  m_lease.reset();
}

void Run::tellClockAndEnergy() {
  constexpr double kWorthSaying = 0.05;
  for (const Candidate& candidate : m_candidates) {
    if (candidate.measuredCalls == 0 || !m_energy.available()) continue;
    m_channel.send(EnergyMessage{.implementation = candidate.id,
                                 .joulesPerCall = candidate.joules / static_cast<double>(candidate.measuredCalls)});
  }
  m_environment.clockMhzAfter = clockMhz();
  if (m_environment.clockMhz && m_environment.clockMhzAfter) {
    const double change = *m_environment.clockMhzAfter / *m_environment.clockMhz - 1;
    if (std::abs(change) > kWorthSaying) {
      warn({},
           fmt::format("The clock went from {:.0f} to {:.0f} MHz while it was timed: times before and after are not "
                       "of one machine.",
                       *m_environment.clockMhz, *m_environment.clockMhzAfter));
    }
  }
  m_channel.send(EnvironmentMessage{.environment = m_environment});
}

void Run::timeOne(Candidate& candidate, int round) {
  heartbeat(candidate.id, deadlineOf(candidate, candidate.callsPerSample));
  attempt(
      candidate,
      [&] {
        const std::optional<double> joulesBefore = m_energy.joules();
        const auto sample = takeSample([&] { static_cast<void>(candidate.work->call()); }, round,
                                       {.calls = candidate.callsPerSample, .flusher = m_flusher.get()}, cancelled());
        if (!sample) throw CancelledRun();
        if (const std::optional<double> joules = m_energy.joules(); joules && joulesBefore && !m_flusher) {
          candidate.joules += *joules - *joulesBefore;
          candidate.measuredCalls += sample->calls;
        }
        m_channel.send(SampleMessage{.implementation = candidate.id, .sample = *sample});
      },
      round);
}

// The baseline against itself; nothing where it is out.
void Run::noisePair(int pair) {
  Candidate& baseline = m_candidates.front();
  if (baseline.letter != 0 || !baseline.work) return;
  const auto sampleOfBaseline = [&] {
    const auto sample = takeSample([&] { static_cast<void>(baseline.work->call()); }, pair,
                                   {.calls = baseline.callsPerSample, .flusher = m_flusher.get()}, cancelled());
    if (!sample) throw CancelledRun();
    return *sample;
  };
  heartbeat(baseline.id, deadlineOf(baseline, 2 * baseline.callsPerSample));
  NoisePair noise;
  noise.pair = pair;
  noise.first = sampleOfBaseline();
  noise.second = sampleOfBaseline();
  m_channel.send(NoiseMessage{.pair = noise});
}

void Run::warnAboutStolenTime(const std::optional<CpuTimes>& before) {
  constexpr double kWorthSaying = 0.01;
  const std::optional<CpuTimes> after = cpuTimes();
  if (!before || !after || after->all <= before->all) return;
  const double share =
      static_cast<double>(after->stolen - before->stolen) / static_cast<double>(after->all - before->all);
  if (share < kWorthSaying) return;
  warn({}, fmt::format("The hypervisor took {:.0f} % of this machine's CPU time while it was timed.", share * 100));
}

void Run::profile() {
  for (Candidate& candidate : m_candidates) {
    const auto& traced = m_continuation.withTrace;
    if (!candidate.work || std::find(traced.begin(), traced.end(), candidate.id) != traced.end()) continue;
    enter(RunPhase::kProfile, candidate.id);
    heartbeat(candidate.id, deadlineOf(candidate, 1));
    attempt(candidate, [&] { profileOne(candidate); });
  }
}

void Run::profileOne(Candidate& candidate) {
  constexpr std::int64_t kLongCallNs = 2'000'000'000;
  const int steps = candidate.perCallNs > kLongCallNs ? 1 : 3;
  const std::filesystem::path file =
      std::filesystem::path(m_plan.traceFolder) / traceNameOf(candidate.letter, candidate.id);
  const auto call = [&] {
    stopWhereCancelled();
    // The recorder makes calls of many small operators several times as long.
    heartbeat(candidate.id, deadlineOf(candidate, 10));
    static_cast<void>(candidate.work->call());
  };
  const Result<ProfiledRun> run =
      recordProfiledRun(call, steps, traceDescription(candidate, steps), file, candidate.work->inside());
  if (!run) throw std::runtime_error(run.error().message());
  m_channel.send(TraceMessage{.implementation = candidate.id, .path = file.string(), .profiledNs = run->perCallNs});
}

std::string Run::traceDescription(const Candidate& candidate, int steps) const {
  const nlohmann::ordered_json json{
      {"title", letterOf(candidate.letter) + " " + std::string(candidate.card->title)},
      {"implementation", candidate.id},
      {"problem", toJson(m_plan.problem)},
      {"device", m_plan.device},
      {"threads", m_plan.threads},
      {"steps", steps},
      {"runner_version", m_runnerVersion},
      {"libtorch", m_environment.libtorch},
      {"cpu", m_environment.cpu},
      {"cpu_capability", m_environment.cpuCapability},
  };
  return json.dump();
}

// Why this plan cannot be run at all; none: it can.
std::optional<std::string> faultOf(const RunPlan& plan) {
  if (const Result<Problem> problem = validated(plan.problem); !problem) return problem.error().message();
  if (plan.device != "cpu")
    return fmt::format("the device {} cannot be used: this runner was built without CUDA", plan.device);
  if (plan.implementations.empty()) return "the plan names no implementation";
  if (plan.rounds < 0 || plan.noiseBlocks < 0) return "the plan has fewer than no rounds";
  if (plan.profiling == Profiling::kRecord && !std::filesystem::is_directory(plan.traceFolder)) {
    return fmt::format("the folder for traces, {}, does not exist", plan.traceFolder);
  }
  return std::nullopt;
}

int refusePlan(ProtocolChannel& channel, std::string reason) {
  channel.send(FailureMessage{.implementation = {}, .phase = RunPhase::kAllocate, .reason = std::move(reason)});
  return kRunnerExitBadPlan;
}

int runPlan(ProtocolChannel& channel, const WorkerOptions& options, PlanMessage message) {
  const std::uint64_t budget = message.plan.memoryBudgetBytes;
  const auto failed = [&](const std::string& reason, int exitCode) {
    channel.send(FailureMessage{.implementation = {}, .phase = RunPhase::kAllocate, .reason = reason});
    return exitCode;
  };
  try {
    return Run(channel, options, std::move(message)).all();
  } catch (const CancelledRun&) {
    channel.send(DoneMessage{.cancelled = true});
    return kRunnerExitDone;
  } catch (const std::exception& exception) {
    const bool memory =
        dynamic_cast<const std::bad_alloc*>(&exception) != nullptr || bytesAskedFor(exception.what()).has_value();
    return failed(reasonOf(exception, budget), memory ? kRunnerExitOutOfMemory : kRunnerExitFailed);
  }
}

}  // namespace

int runWorker(const WorkerOptions& options) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that is gone is seen by write()
  offerToTheOutOfMemoryKiller();
  ProtocolChannel channel(options.input, options.output);
  channel.send(HelloMessage{.protocol = kProtocolVersion,
                            .runnerVersion = options.runnerVersion,
                            .libtorch = libtorchVersion(),
                            .processId = getpid()});
  const std::optional<std::string> line = channel.readLine();
  if (!line) return refusePlan(channel, "the input ended before a plan came");
  Result<ControllerMessage> message = controllerMessageOf(*line);
  if (!message) return refusePlan(channel, message.error().message());
  auto* plan = std::get_if<PlanMessage>(&*message);
  if (plan == nullptr) {  // a cancel before the plan
    channel.send(DoneMessage{.cancelled = true});
    return kRunnerExitDone;
  }
  if (const Result<void> read = readMaskOf(plan->plan.problem); !read) {
    return refusePlan(channel, read.error().message());
  }
  if (const auto fault = faultOf(plan->plan)) return refusePlan(channel, *fault);
  if (const Result<void> pinned = useCpus(plan->plan.cpus); !pinned) {
    return refusePlan(channel, pinned.error().message());
  }
  if (const Result<void> threads = useThreads(plan->plan.threads); !threads) {
    return refusePlan(channel, threads.error().message());
  }
  if (const Result<void> limited = limitMemory(plan->plan.memoryBudgetBytes); !limited) {
    return refusePlan(channel, limited.error().message());
  }
  channel.watch();
  return runPlan(channel, options, std::move(*plan));
}

}  // namespace attnscope::engine
