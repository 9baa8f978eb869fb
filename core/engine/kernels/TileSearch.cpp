// SPDX-License-Identifier: Apache-2.0
#include "core/engine/kernels/TileSearch.h"

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/engine/kernels/AttentionKernel.h"

namespace attnscope::kernels {
namespace {

using Json = nlohmann::json;

std::string cpuName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

Json readJson(const std::filesystem::path& file) {
  std::ifstream in(file);
  Json json = Json::parse(in, nullptr, /*allow_exceptions=*/false);
  return json.is_object() ? json : Json::object();
}

// Whole or not at all: written beside it and renamed. A file that cannot be written is no error: it is measured again.
void writeJson(const std::filesystem::path& file, const Json& json) {
  std::error_code failed;
  std::filesystem::create_directories(file.parent_path(), failed);
  const std::filesystem::path part = file.string() + "." + std::to_string(getpid());
  {
    std::ofstream out(part);
    out << json.dump(2) << "\n";
    if (!out.flush()) failed = std::make_error_code(std::errc::io_error);
  }
  if (!failed) std::filesystem::rename(part, file, failed);
  if (failed) std::filesystem::remove(part, failed);
}

std::optional<TileSizes> sizesIn(const Json& json, const std::string& cpu, Isa isa) {
  const auto ofCpu = json.find(cpu);
  if (ofCpu == json.end() || !ofCpu->is_object()) return std::nullopt;
  const auto sizes = ofCpu->find(std::string(toString(isa)));
  if (sizes == ofCpu->end() || !sizes->is_object()) return std::nullopt;
  const auto number = [&](const char* name, std::int64_t most) -> std::optional<std::int64_t> {
    const auto value = sizes->find(name);
    if (value == sizes->end() || !value->is_number_integer()) return std::nullopt;
    const auto size = value->get<std::int64_t>();
    return size >= 1 && size <= most ? std::optional(size) : std::nullopt;
  };
  const auto keyBlock = number("key_block", kLargestTiles.keyBlock);
  const auto rowChunk = number("row_chunk", kLargestTiles.rowChunk);
  if (!keyBlock || !rowChunk) return std::nullopt;
  return TileSizes{.keyBlock = *keyBlock, .rowChunk = *rowChunk};
}

// A prefill of two heads, some milliseconds a call.
class Trial {
 public:
  explicit Trial(Isa isa) : m_isa(isa), m_values(kHeads * kLength * kSize), m_output(m_values.size()) {
    for (std::size_t i = 0; i < m_values.size(); ++i) m_values[i] = std::sin(static_cast<float>(i));
    const TensorView view{m_values.data(), 0, kLength * kSize, kSize};
    m_tensors.query = m_tensors.key = m_tensors.value = view;
    m_tensors.output = {m_output.data(), 0, kLength * kSize, kSize};
  }

  // The least time of a call of each, in seconds; they take turns.
  std::vector<double> times(const std::vector<TileSizes>& sizes) {
    constexpr int kRounds = 6;
    std::vector<std::unique_ptr<AttentionKernel>> kernels;
    for (const TileSizes& size : sizes)
      kernels.push_back(std::move(
          *AttentionKernel::make(shape(), {.isa = m_isa, .workers = 1, .method = Method::kTiles, .sizes = size})));
    std::vector<double> least(sizes.size(), std::numeric_limits<double>::infinity());
    for (int round = 0; round < kRounds; ++round) {
      for (std::size_t i = 0; i < kernels.size(); ++i) {
        const auto start = std::chrono::steady_clock::now();
        kernels[i]->run(m_tensors);
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
        least[i] = std::min(least[i], taken.count());
      }
    }
    return least;
  }

 private:
  static constexpr std::int64_t kHeads = 2;
  static constexpr std::int64_t kLength = 768;
  static constexpr std::int64_t kSize = 64;
  static AttentionShape shape() {
    AttentionShape shape;
    shape.heads = shape.keyValueHeads = kHeads;
    shape.queryLength = shape.keyLength = kLength;
    shape.headSize = shape.valueHeadSize = kSize;
    shape.scale = 0.125F;
    return shape;
  }

  Isa m_isa;
  std::vector<float> m_values, m_output;
  AttentionTensors m_tensors;
};

// The first, unless another is faster by more than a disturbance.
TileSizes fastest(const std::vector<TileSizes>& sizes, const std::vector<double>& times) {
  constexpr double kWorthIt = 0.98;
  std::size_t best = 0;
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    if (times[i] < times[best] * (best == 0 ? kWorthIt : 1)) best = i;
  }
  return sizes[best];
}

}  // namespace

std::filesystem::path tileFile() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return std::filesystem::path(cache) / "attnscope" / "kernel-tiles.json";
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home != '/') return {};
  return std::filesystem::path(home) / ".cache" / "attnscope" / "kernel-tiles.json";
}

TileSizes measuredTileSizes(Isa isa) {
  Trial trial(isa);
  const TileSizes usual;
  std::vector<TileSizes> blocks = {usual};
  for (const std::int64_t keyBlock : {96, 128, 192}) blocks.push_back({keyBlock, usual.rowChunk});
  const TileSizes best = fastest(blocks, trial.times(blocks));
  std::vector<TileSizes> chunks = {best};
  for (const std::int64_t rowChunk : {192, 768}) chunks.push_back({best.keyBlock, rowChunk});
  return fastest(chunks, trial.times(chunks));
}

TileSizes tileSizesFrom(const std::filesystem::path& file, Isa isa) {
  const std::string cpu = cpuName();
  if (const auto kept = sizesIn(readJson(file), cpu, isa)) return *kept;
  const TileSizes sizes = measuredTileSizes(isa);
  if (file.empty()) return sizes;
  Json json = readJson(file);
  if (!json[cpu].is_object()) json[cpu] = Json::object();
  json[cpu][std::string(toString(isa))] = {{"key_block", sizes.keyBlock}, {"row_chunk", sizes.rowChunk}};
  writeJson(file, json);
  return sizes;
}

TileSizes tileSizesHere(Isa isa) { return tileSizesFrom(tileFile(), isa); }

}  // namespace attnscope::kernels
