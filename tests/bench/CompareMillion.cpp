// SPDX-License-Identifier: Apache-2.0

// Time to compare two traces of a million host calls each, generated: transformer steps in which one trace has other
// operators for attention, calls added, and calls left out. Prints the figures and ends with 1 when a must is missed.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/compare/Comparison.h"
#include "tests/unit/analysis/TraceMaker.h"

namespace attnscope {
namespace {

constexpr double kMustSeconds = 3;
constexpr std::size_t kCalls = 1'000'000;
constexpr int kLayers = 24;

enum class Attention { kNaive, kFused };

// Writes nested calls one after the other; a parent is as long as what it holds and a little more.
class Program {
 public:
  Program(Attention attention, unsigned changes, unsigned seed)
      : m_attention(attention), m_changes(changes), m_random(seed), m_thread(m_maker.thread(1, 1)) {}

  Trace build() {
    for (int step = 0; m_calls < kCalls; ++step) {
      nested("ProfilerStep#" + std::to_string(step), "user_annotation", {}, [&] {
        for (int layer = 0; layer < kLayers; ++layer) addLayer();
      });
    }
    return m_maker.build();
  }
  [[nodiscard]] std::size_t calls() const { return m_calls; }

 private:
  template <class Inside>
  void nested(const std::string& name, const std::string& category, const std::string& shapes, Inside inside) {
    const std::int64_t start = m_now++;
    inside();
    ++m_calls;
    MadeSlice slice{m_thread, category, name, start, m_now - start};
    slice.inputDims = shapes;
    m_maker.add(std::move(slice));
    m_now += 2;
  }
  void call(const std::string& name, const std::string& shapes) {
    if (m_random() % 10'000 < m_changes) return;
    nested(name, "cpu_op", shapes, [&] {
      m_now += 5 + static_cast<std::int64_t>(m_random() % 20);
      if (m_random() % 10'000 < m_changes) leaf("aten::contiguous");
      leaf("aten::empty");
      leaf("cudaLaunchKernel");
    });
  }
  void leaf(const std::string& name) {
    nested(name, "cpu_op", {}, [&] { m_now += 2; });
  }
  void addLayer() {
    for (const char* name : {"aten::layer_norm", "aten::linear", "aten::linear", "aten::linear", "aten::transpose"}) {
      call(name, "[[8, 1024, 768]]");
    }
    if (m_attention == Attention::kNaive) {
      for (const char* name : {"aten::bmm", "aten::mul", "aten::softmax", "aten::bmm"}) {
        call(name, "[[96, 1024, 64], [96, 64, 1024]]");
      }
    } else {
      call("aten::scaled_dot_product_attention", "[[8, 12, 1024, 64], [8, 12, 1024, 64], [8, 12, 1024, 64]]");
    }
    for (const char* name : {"aten::linear", "aten::add", "aten::layer_norm", "aten::linear", "aten::gelu"}) {
      call(name, "[[8, 1024, 3072]]");
    }
  }

  Attention m_attention;
  unsigned m_changes;
  std::mt19937 m_random;
  TraceMaker m_maker;
  TrackId m_thread;
  std::int64_t m_now = 0;
  std::size_t m_calls = 0;
};

struct Made {
  Made(Attention attention, unsigned changes, unsigned seed)
      : trace(Program(attention, changes, seed).build()), tree(buildOperatorTree(trace)) {}
  Trace trace;
  OperatorTree tree;
};

bool report(const char* what, const Made& base, const Made& other) {
  const auto start = std::chrono::steady_clock::now();
  const Comparison comparison = compareRuns(
      {{&base.trace, &base.tree, "base", TimeRange::all()}, {&other.trace, &other.tree, "other", TimeRange::all()}});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::map<MatchKind, std::int64_t> matched;
  for (const ComparisonGroup& group : comparison.groups) matched[group.match] += group.runs[1].hostSelfNs;
  const double total = static_cast<double>(comparison.totals[1].hostSelfNs);
  std::printf(
      "%-28s %5.2f s (must %.0f)  %zu and %zu calls, %zu groups; of the time %.1f %% exact, %.1f %% signature, "
      "%.1f %% role\n",
      what, seconds, kMustSeconds, base.tree.nodes.size(), other.tree.nodes.size(), comparison.groups.size(),
      100 * static_cast<double>(matched[MatchKind::kExact]) / total,
      100 * static_cast<double>(matched[MatchKind::kSignature]) / total,
      100 * static_cast<double>(matched[MatchKind::kRole]) / total);
  return seconds <= kMustSeconds;
}

int run() {
  const Made base(Attention::kNaive, 0, 1);
  bool good = report("equal", base, base);
  good = report("1 call in 100 changed", base, Made(Attention::kNaive, 100, 2)) && good;
  good = report("other attention", base, Made(Attention::kFused, 0, 3)) && good;
  return good ? 0 : 1;
}

}  // namespace
}  // namespace attnscope

int main() { return attnscope::run(); }
