// SPDX-License-Identifier: Apache-2.0
// How fast the own kernels are: beside LibTorch's best for the same problem and beside the roofs of the same minute.
//
//   bench_kernels [--as NAME] [--threads 1|2] [--only TEXT] [--rounds N]
//
// Every round runs own, rivals and roofs once, in rotated order; a figure is the median of the rounds' ratios. One
// thread: its CPU time; two: wall time. FLOPs are useful ones, 4 x B x Hq x D x pairs that see each other; bytes are
// those of the cache. The goals bind where LibTorch's best is AVX2. Where it is better, the bench runs twice: once as
// the machine is, printed and not judged, and once with LibTorch, MKL, oneDNN and the own kernels held to AVX2 by their
// environment, judged. Ends with "kernels: N of M musts met" and with 1 where one is missed.

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/engine/kernels/AttentionKernel.h"
#include "core/engine/kernels/TileSearch.h"

namespace {

using namespace attnscope::kernels;

// --- What is compared -----------------------------------------------------------------------------------------------

enum class Sight { kFull, kCausal, kWindow };
enum class Rival { kFlash, kFoldedFlash, kMaskedFlash };  // LibTorch's best for the problem

struct Goal {
  double ratio = 0;      // LibTorch's time over own; 0: none
  double ofProduct = 0;  // share of the sgemm roof
  double ofReading = 0;  // share of the reading roof
};

struct BenchProblem {
  std::string row;  // of the table
  std::int64_t batch, heads, keyValueHeads, queries, keys, size;
  Sight sight = Sight::kFull;
  std::int64_t window = 0;
  at::ScalarType type = at::kFloat;
  Rival rival = Rival::kFlash;
  Goal must, aim;
  bool beside = false;  // another thread keeps a core busy

  [[nodiscard]] std::string title() const {
    std::string text = fmt::format("{} B{} H{}", type == at::kFloat ? "fp32" : "bf16", batch, heads);
    if (keyValueHeads != heads) text += fmt::format("/{}", keyValueHeads);
    text += queries == keys ? fmt::format(" N{}", queries) : fmt::format(" N{} M{}", queries, keys);
    text += fmt::format(" D{}", size);
    if (sight == Sight::kCausal) text += " causal";
    if (sight == Sight::kWindow) text += fmt::format(" window {}", window);
    return text;
  }
};

std::vector<BenchProblem> problems() {
  std::vector<BenchProblem> all;
  const auto prefill = [&](const char* row, std::int64_t n, std::int64_t d, Sight sight, Goal must, Goal aim,
                           at::ScalarType type = at::kFloat) {
    const std::int64_t heads = n >= 4096 ? 2 : 8;
    all.push_back({row, 1, heads, heads, n, n, d, sight, 0, type, Rival::kFlash, must, aim});
  };
  for (const std::int64_t n : {256, 512, 1024, 2048, 4096, 8192}) {
    prefill("prefill full", n, 64, Sight::kFull, {1.12, 0.88, 0}, {1.2, 0.95, 0});
  }
  for (const std::int64_t n : {512, 2048})
    prefill("prefill full", n, 128, Sight::kFull, {1.12, 0.88, 0}, {1.2, 0.95, 0});
  for (const std::int64_t n : {256, 512}) prefill("causal to 512", n, 64, Sight::kCausal, {1.9, 0, 0}, {2.3, 0, 0});
  prefill("causal to 512", 512, 128, Sight::kCausal, {1.9, 0, 0}, {2.3, 0, 0});
  for (const std::int64_t n : {1024, 2048, 4096, 8192}) {
    prefill("causal from 1024", n, 64, Sight::kCausal, {1.2, 0.82, 0}, {1.4, 0.93, 0});
  }
  prefill("causal from 1024", 2048, 128, Sight::kCausal, {1.2, 0.82, 0}, {1.4, 0.93, 0});
  prefill("bf16 full", 512, 64, Sight::kFull, {1.25, 0, 0}, {1.4, 0, 0}, at::kBFloat16);
  prefill("bf16 full", 2048, 64, Sight::kFull, {1.25, 0, 0}, {1.4, 0, 0}, at::kBFloat16);
  prefill("bf16 causal", 512, 64, Sight::kCausal, {2.2, 0, 0}, {2.7, 0, 0}, at::kBFloat16);
  // No goals of their own: what holds for every problem.
  for (const Sight sight : {Sight::kFull, Sight::kCausal}) {
    for (const std::int64_t n : {2048, 8192}) {
      if (n == 2048 && sight == Sight::kFull) continue;
      prefill("bf16 others", n, 64, sight, {0.95, 0, 0}, {1.2, 0, 0}, at::kBFloat16);
    }
    for (const std::int64_t n : {512, 2048, 8192}) {
      prefill("bf16 others", n, 128, sight, {0.95, 0, 0}, {1.2, 0, 0}, at::kBFloat16);
    }
  }
  for (const std::int64_t window : {128, 256}) {
    all.push_back({"window",
                   1,
                   8,
                   8,
                   4096,
                   4096,
                   64,
                   Sight::kWindow,
                   window,
                   at::kFloat,
                   Rival::kMaskedFlash,
                   {12, 0.7, 0},
                   {20, 0.8, 0}});
  }
  const auto decode = [&](const char* row, std::int64_t keyHeads, std::int64_t keys, at::ScalarType type, Goal must,
                          Goal aim) {
    const Rival rival = keyHeads == 32 ? Rival::kFlash : Rival::kFoldedFlash;
    all.push_back({row, 1, 32, keyHeads, 1, keys, 128, Sight::kFull, 0, type, rival, must, aim});
  };
  for (const std::int64_t m : {1024, 4096, 16384, 65536}) {
    decode("decode GQA fp32", 8, m, at::kFloat, {1.9, 0, 0.72}, {2.3, 0, 0.85});
    decode("decode GQA bf16", 8, m, at::kBFloat16, {2.3, 0, 0}, {3, 0, 0});
  }
  for (const std::int64_t m : {1024, 4096, 16384}) decode("decode MHA", 32, m, at::kFloat, {1.4, 0, 0}, {1.6, 0, 0});
  decode("MQA", 1, 16384, at::kFloat, {1.1, 0, 0}, {1.5, 0, 0});
  all.push_back(
      {"B64 N64 full", 64, 8, 8, 64, 64, 64, Sight::kFull, 0, at::kFloat, Rival::kFlash, {1.2, 0, 0}, {1.5, 0, 0}});
  all.push_back(
      {"B64 N64 causal", 64, 8, 8, 64, 64, 64, Sight::kCausal, 0, at::kFloat, Rival::kFlash, {1.5, 0, 0}, {2.2, 0, 0}});
  return all;
}

// One of each kind, for two threads; and the one beside another program.
std::vector<BenchProblem> problemsOfTwoThreads() {
  std::vector<BenchProblem> some;
  std::string last;
  for (const BenchProblem& problem : problems()) {
    const bool large =
        problem.queries == 1 ? problem.keys == 16384 : problem.queries == 1024 || problem.queries == 2048;
    const bool only = problem.row == "window" || problem.row == "MQA" || problem.batch > 1 ||
                      problem.row == "bf16 causal" || problem.row == "causal to 512";
    if (problem.row == last || (!large && !only)) continue;
    last = problem.row;
    some.push_back(problem);
  }
  BenchProblem busy = some.back();
  busy.row = "beside a busy loop";
  busy.beside = true;
  busy.must = {1.7, 0, 0};
  busy.aim = {2, 0, 0};
  some.push_back(busy);
  return some;
}

// --- What is run ----------------------------------------------------------------------------------------------------

struct Inputs {
  at::Tensor query, key, value;
  std::optional<at::Tensor> mask;
};

at::Tensor visibleMask(const BenchProblem& problem) {
  at::Tensor seen = at::ones({problem.queries, problem.keys}, at::kBool).tril(problem.keys - problem.queries);
  if (problem.sight == Sight::kWindow) seen = seen.triu(problem.keys - problem.queries - problem.window + 1);
  return seen;
}

Inputs drawn(const BenchProblem& problem) {
  const auto draw = [&](std::int64_t heads, std::int64_t length) {
    return at::randn({problem.batch, heads, length, problem.size}).to(problem.type);
  };
  Inputs inputs{draw(problem.heads, problem.queries),
                draw(problem.keyValueHeads, problem.keys),
                draw(problem.keyValueHeads, problem.keys),
                {}};
  if (problem.rival == Rival::kMaskedFlash) {
    inputs.mask = at::zeros({problem.queries, problem.keys}, problem.type)
                      .masked_fill_(visibleMask(problem).logical_not(), -INFINITY);
  }
  return inputs;
}

AttentionShape shapeOf(const BenchProblem& problem) {
  AttentionShape shape;
  shape.batch = problem.batch;
  shape.heads = problem.heads;
  shape.keyValueHeads = problem.keyValueHeads;
  shape.queryLength = problem.queries;
  shape.keyLength = problem.keys;
  shape.headSize = shape.valueHeadSize = problem.size;
  shape.type = problem.type == at::kFloat ? ElementType::kFloat32 : ElementType::kBFloat16;
  shape.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(problem.size)));
  if (problem.sight != Sight::kFull) {
    shape.ranges = causalRanges(problem.queries, problem.keys, Diagonal::kFromLast, problem.window);
  }
  return shape;
}

TensorView viewOf(const at::Tensor& tensor) {
  return {tensor.const_data_ptr(), tensor.stride(0), tensor.stride(1), tensor.stride(2)};
}

at::Tensor ownOutput(AttentionKernel& kernel, const Inputs& inputs) {
  at::Tensor output = at::empty_like(inputs.query);
  AttentionTensors tensors;
  tensors.query = viewOf(inputs.query);
  tensors.key = viewOf(inputs.key);
  tensors.value = viewOf(inputs.value);
  tensors.output = {output.mutable_data_ptr(), output.stride(0), output.stride(1), output.stride(2)};
  kernel.run(tensors);
  return output;
}

at::Tensor rivalOutput(const BenchProblem& problem, const Inputs& inputs) {
  at::Tensor query = inputs.query;
  // The query heads of a key head given as queries: keys and values are read once for all of them.
  if (problem.rival == Rival::kFoldedFlash) {
    query = query.view({problem.batch, problem.keyValueHeads, problem.heads / problem.keyValueHeads, problem.size});
  }
  const bool causal = problem.sight == Sight::kCausal;
  const at::Tensor output = std::get<0>(at::_scaled_dot_product_flash_attention_for_cpu(
      query, inputs.key, inputs.value, 0.0, causal, inputs.mask, std::nullopt));
  return output.view(inputs.query.sizes());
}

// Relative L2 distance from float64, over 256 queries of the first and last head of the first sequence.
double errorOf(const BenchProblem& problem, const Inputs& inputs, const at::Tensor& output) {
  const std::int64_t group = problem.heads / problem.keyValueHeads;
  const std::int64_t from = std::max<std::int64_t>(0, problem.queries - 256);
  double distance = 0, size = 0;
  for (const std::int64_t head : {std::int64_t{0}, problem.heads - 1}) {
    const auto part = [&](const at::Tensor& tensor, std::int64_t h) { return tensor[0][h].to(at::kDouble); };
    at::Tensor scores = at::matmul(part(inputs.query, head).slice(0, from), part(inputs.key, head / group).t()) /
                        std::sqrt(static_cast<double>(problem.size));
    if (problem.sight != Sight::kFull) {
      scores = scores.masked_fill(visibleMask(problem).slice(0, from).logical_not(), -INFINITY);
    }
    const at::Tensor expected = at::matmul(at::softmax(scores, -1), part(inputs.value, head / group));
    distance += (part(output, head).slice(0, from) - expected).square().sum().item<double>();
    size += expected.square().sum().item<double>();
  }
  return std::sqrt(distance / size);
}

double pairsOf(const BenchProblem& problem) {
  if (problem.sight == Sight::kFull) return static_cast<double>(problem.queries * problem.keys);
  double pairs = 0;
  for (const KeyRange& range : causalRanges(problem.queries, problem.keys, Diagonal::kFromLast, problem.window)) {
    pairs += range.to - range.from;
  }
  return pairs;
}

// --- Measuring ------------------------------------------------------------------------------------------------------

double secondsNow(int threads) {
  timespec time{};
  clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Measured {
  std::function<void()> call;
  int calls = 1;
  std::vector<double> seconds{};  // of one call, round by round
};

double medianRatio(const Measured& above, const Measured& below) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < above.seconds.size(); ++i) ratios.push_back(above.seconds[i] / below.seconds[i]);
  return median(ratios);
}

void measure(std::vector<Measured>& all, int rounds, int threads) {
  constexpr double kSampleSeconds = 0.015;
  for (Measured& one : all) {
    one.call();
    const double start = secondsNow(threads);
    one.call();
    one.calls = std::clamp(static_cast<int>(kSampleSeconds / std::max(1e-7, secondsNow(threads) - start)), 1, 20000);
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      Measured& one = all[(i + static_cast<std::size_t>(round)) % all.size()];
      const double start = secondsNow(threads);
      for (int call = 0; call < one.calls; ++call) one.call();
      one.seconds.push_back((secondsNow(threads) - start) / one.calls);
    }
  }
}

// Eight vectors of sums, so that additions are not what it waits for.
double sumOf(const float* from, std::size_t count) {
  using Four = float __attribute__((vector_size(16), aligned(4)));
  Four sums[8] = {};
  for (std::size_t i = 0; i + 32 <= count; i += 32) {
    for (std::size_t j = 0; j < 8; ++j) sums[j] += *reinterpret_cast<const Four*>(from + i + 4 * j);
  }
  Four total{};
  for (const Four& sum : sums) total += sum;
  return static_cast<double>(total[0] + total[1] + total[2] + total[3]);
}

class Roofs {
 public:
  explicit Roofs(int threads)
      : m_left(at::randn({kSize, kSize})),
        m_right(at::randn({kSize, kSize})),
        m_product(at::empty({kSize, kSize})),
        m_stream(at::ones({kFloats})),
        m_pool(threads) {}
  Measured product() {
    return {[this] { at::mm_out(m_product, m_left, m_right); }};
  }
  Measured reading() {
    return {[this] {
      constexpr std::int64_t kParts = 32;
      m_pool.run(kParts, [this](int, std::int64_t part) {
        volatile double sum = sumOf(m_stream.const_data_ptr<float>() + part * kFloats / kParts, kFloats / kParts);
        static_cast<void>(sum);
      });
    }};
  }
  static double productFlops() { return 2.0 * kSize * kSize * kSize; }
  static double readBytes() { return 4.0 * kFloats; }

 private:
  static constexpr std::int64_t kSize = 768;
  static constexpr std::int64_t kFloats = std::int64_t{32} << 20;
  at::Tensor m_left, m_right, m_product, m_stream;
  WorkerPool m_pool;
};

struct Outcome {
  int musts = 0;
  int met = 0;
};

// What keeps a core busy.
class BusyLoop {
 public:
  BusyLoop() {
    m_thread = std::thread([this] {
      while (!m_ending.load(std::memory_order_relaxed)) {
      }
    });
  }
  ~BusyLoop() {
    m_ending.store(true);
    m_thread.join();
  }

 private:
  std::atomic<bool> m_ending{false};
  std::thread m_thread;
};

std::string judged(double value, double must, double aim, bool judge, Outcome& outcome) {
  const bool met = value >= must;
  if (judge) {
    ++outcome.musts;
    outcome.met += met ? 1 : 0;
  }
  const char* word = value >= aim ? "aim" : met ? "met" : judge ? "MISSED" : "under";
  return fmt::format("{:5.2f} ({:.2f}/{:.2f} {})", value, must, aim, word);
}

struct BenchOptions {
  std::string only;
  int rounds = 7;
  bool judge = false;
};

void compare(const BenchProblem& problem, Roofs& roofs, int threads, const BenchOptions& options, Outcome& outcome) {
  const Inputs inputs = drawn(problem);
  KernelOptions kernelOptions;
  kernelOptions.isa = bestIsa();
  kernelOptions.workers = threads;
  kernelOptions.sizes = tileSizesHere(kernelOptions.isa);
  auto made = AttentionKernel::make(shapeOf(problem), kernelOptions);
  if (!made) {
    fmt::print("{}: {}\n", problem.title(), made.error().message());
    ++outcome.musts;
    return;
  }
  AttentionKernel& kernel = **made;
  const double ownError = errorOf(problem, inputs, ownOutput(kernel, inputs));
  const double rivalError = errorOf(problem, inputs, rivalOutput(problem, inputs));
  std::optional<BusyLoop> busy;
  if (problem.beside) busy.emplace();
  std::vector<Measured> all = {{[&] { static_cast<void>(ownOutput(kernel, inputs)); }},
                               {[&] { static_cast<void>(rivalOutput(problem, inputs)); }},
                               roofs.product(),
                               roofs.reading()};
  measure(all, options.rounds, threads);
  const double flops = 4.0 * static_cast<double>(problem.batch * problem.heads * problem.size) * pairsOf(problem);
  const double bytes = 2.0 * static_cast<double>(problem.batch * problem.keyValueHeads * problem.keys * problem.size) *
                       (problem.type == at::kFloat ? 4 : 2);
  const double seconds = median(all[0].seconds);
  const double ofProduct = medianRatio(all[2], all[0]) * flops / Roofs::productFlops();
  const double ofReading = medianRatio(all[3], all[0]) * bytes / Roofs::readBytes();
  fmt::print("{:18} {:36} {:9.3f} ms {:6.1f} GFLOP/s {:5.1f} GB/s | roofs {:5.1f} GFLOP/s {:4.1f} GB/s |", problem.row,
             problem.title(), seconds * 1e3, flops / seconds * 1e-9, bytes / seconds * 1e-9,
             Roofs::productFlops() / median(all[2].seconds) * 1e-9, Roofs::readBytes() / median(all[3].seconds) * 1e-9);
  fmt::print(" x flash {}",
             judged(medianRatio(all[1], all[0]), problem.must.ratio, problem.aim.ratio, options.judge, outcome));
  if (problem.must.ofProduct > 0) {
    fmt::print(" of sgemm {}",
               judged(ofProduct, problem.must.ofProduct, problem.aim.ofProduct, options.judge, outcome));
  } else if (problem.queries > 1) {
    fmt::print(" of sgemm {:.2f}", ofProduct);
  }
  if (problem.must.ofReading > 0) {
    fmt::print(" of reading {}",
               judged(ofReading, problem.must.ofReading, problem.aim.ofReading, options.judge, outcome));
  } else if (problem.queries == 1) {
    fmt::print(" of reading {:.2f}", ofReading);
  }
  fmt::print(" | error {:.1e}, LibTorch {:.1e}: {}\n", ownError, rivalError,
             judged(rivalError / ownError, 1 / 1.1, 1, options.judge, outcome));
  std::fflush(stdout);
}

void compareAll(const std::vector<BenchProblem>& all, int threads, const BenchOptions& options, Outcome& outcome) {
  at::set_num_threads(threads);
  Roofs roofs(threads);
  fmt::print("\n{} of {}\n", threads == 1 ? "One thread: its CPU time" : "Two threads: wall time",
             bestIsa() == Isa::kScalar ? "scalar kernels" : fmt::format("own kernels for {}", toString(bestIsa())));
  for (const BenchProblem& problem : all) {
    if ((problem.row + " " + problem.title()).find(options.only) == std::string::npos) continue;
    compare(problem, roofs, threads, options, outcome);
  }
}

// --- The program ----------------------------------------------------------------------------------------------------

// Everything held to AVX2. The libraries read these once, when they are loaded.
void holdToAvx2() {
  setenv("ATEN_CPU_CAPABILITY", "avx2", 1);
  setenv("MKL_ENABLE_INSTRUCTIONS", "AVX2", 1);
  setenv("ONEDNN_MAX_CPU_ISA", "AVX2", 1);
  setenv("ATTNSCOPE_KERNELS_ISA", "avx2", 1);
}

enum class As { kMachine, kAvx2 };

// This program again, in an environment of its own. Its exit code.
int runAs(As as, std::vector<std::string> arguments) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    if (as == As::kAvx2) holdToAvx2();
    arguments.insert(arguments.begin() + 1, {"--as", as == As::kAvx2 ? "avx2" : "machine"});
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    execv("/proc/self/exe", pointers.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int benchHere(const BenchOptions& options, int onlyThreads) {
  const c10::InferenceMode noGradients;
  at::manual_seed(1);
  setenv("MKL_DYNAMIC", "FALSE", 1);
  fmt::print("LibTorch's CPU capability: {}; {}\n", at::get_cpu_capability(),
             options.judge ? "judged" : "printed and not judged: the goals are of CPUs whose best is AVX2");
  Outcome outcome;
  if (onlyThreads != 2) compareAll(problems(), 1, options, outcome);
  if (onlyThreads != 1 && std::thread::hardware_concurrency() >= 2) {
    compareAll(problemsOfTwoThreads(), 2, options, outcome);
  }
  if (!options.judge) return 0;
  fmt::print("\nkernels: {} of {} musts met\n", outcome.met, outcome.musts);
  return outcome.met == outcome.musts ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  BenchOptions options;
  std::string as;
  int onlyThreads = 0;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--as") as = argv[i + 1];
    if (name == "--only") options.only = argv[i + 1];
    if (name == "--rounds") options.rounds = std::max(1, std::atoi(argv[i + 1]));
    if (name == "--threads") onlyThreads = std::atoi(argv[i + 1]);
  }
  const bool isAvx2 = at::get_cpu_capability() == "AVX2";
  if (as.empty() && !isAvx2) {
    const std::vector<std::string> arguments(argv, argv + argc);
    runAs(As::kMachine, arguments);
    fmt::print(
        "\nThe same, all held to AVX2 (ATEN_CPU_CAPABILITY, MKL_ENABLE_INSTRUCTIONS, ONEDNN_MAX_CPU_ISA, "
        "ATTNSCOPE_KERNELS_ISA)\n");
    return runAs(As::kAvx2, arguments);
  }
  options.judge = isAvx2;
  return benchHere(options, onlyThreads);
}
