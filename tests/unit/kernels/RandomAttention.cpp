// SPDX-License-Identifier: Apache-2.0
#include "RandomAttention.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>

namespace attnscope::kernels {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::uint8_t kUntouched = 0xa5;

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : m_engine(seed) {}
  std::int64_t of(std::initializer_list<std::int64_t> values) {
    return *(values.begin() + static_cast<std::ptrdiff_t>(m_engine() % values.size()));
  }
  bool oneIn(std::uint64_t count) { return m_engine() % count == 0; }
  std::uint64_t below(std::uint64_t count) { return m_engine() % count; }
  double normal() { return m_normal(m_engine); }

 private:
  std::mt19937_64 m_engine;
  std::normal_distribution<double> m_normal;
};

// significand bits and exponent range of the two types of 16 bits
struct HalfFormat {
  int fraction, bias;
};
HalfFormat formatOf(ElementType type) {
  return type == ElementType::kBFloat16 ? HalfFormat{7, 127} : HalfFormat{10, 15};
}

void put(TestTensor& tensor, std::size_t element, double value, ElementType type) {
  if (type == ElementType::kFloat32) {
    const auto single = static_cast<float>(value);
    std::memcpy(tensor.bytes.data() + element * 4, &single, 4);
    tensor.values[element] = static_cast<double>(single);
  } else {
    const std::uint16_t bits = halfBits(value, type);
    std::memcpy(tensor.bytes.data() + element * 2, &bits, 2);
    tensor.values[element] = halfValue(bits, type);
  }
}

struct Sizes {
  std::int64_t batch, heads, length, size;
};

enum class Order { kHeadsFirst, kLengthFirst, kGaps };

TensorView stridesOf(const Sizes& sizes, Order order) {
  if (order == Order::kLengthFirst)
    return {nullptr, sizes.length * sizes.heads * sizes.size, sizes.size, sizes.heads * sizes.size};
  const std::int64_t row = order == Order::kGaps ? sizes.size + 3 : sizes.size;
  return {nullptr, sizes.heads * sizes.length * row, sizes.length * row, row};
}
std::size_t elementsOf(const Sizes& sizes, const TensorView& view) {
  return static_cast<std::size_t>((sizes.batch - 1) * view.batchStride + (sizes.heads - 1) * view.headStride +
                                  (sizes.length - 1) * view.rowStride + sizes.size);
}

TestTensor drawnTensor(Draw& draw, const Sizes& sizes, Order order, ElementType type) {
  TestTensor tensor;
  tensor.view = stridesOf(sizes, order);
  const std::size_t elements = elementsOf(sizes, tensor.view);
  tensor.bytes.resize(elements * static_cast<std::size_t>(bytesOf(type)));
  tensor.values.resize(elements);
  for (std::size_t i = 0; i < elements; ++i) put(tensor, i, draw.normal(), type);
  tensor.view.data = tensor.bytes.data();
  return tensor;
}

Order drawnOrder(Draw& draw) { return static_cast<Order>(draw.below(3)); }

void drawMask(Draw& draw, TestProblem& problem) {
  AttentionShape& shape = problem.shape;
  const std::uint64_t kind = draw.below(7);
  const Diagonal diagonal = draw.oneIn(2) ? Diagonal::kFromFirst : Diagonal::kFromLast;
  if (kind == 1) shape.ranges = causalRanges(shape.queryLength, shape.keyLength, diagonal);
  if (kind == 2) {
    shape.ranges = causalRanges(shape.queryLength, shape.keyLength, diagonal, draw.of({1, 2, 5, 16, 40}));
  }
  if (kind == 3) {  // any ranges, empty ones too
    for (std::int64_t query = 0; query < shape.queryLength; ++query) {
      const auto from = static_cast<std::int32_t>(draw.below(static_cast<std::uint64_t>(shape.keyLength)));
      const auto to = static_cast<std::int32_t>(draw.below(static_cast<std::uint64_t>(shape.keyLength + 1)));
      shape.ranges.push_back({from, to});
    }
  }
  if (kind == 4) {  // documents
    const std::int64_t length = draw.of({3, 10, 33});
    for (std::int64_t query = 0; query < shape.queryLength; ++query) {
      const std::int64_t from = std::min(query / length * length, shape.keyLength);
      shape.ranges.push_back(
          {static_cast<std::int32_t>(from), static_cast<std::int32_t>(std::min(from + length, shape.keyLength))});
    }
  }
  if (kind >= 5) {
    BlockMask blocks{.queryBlock = draw.of({1, 8, 16, 50}), .keyBlock = draw.of({1, 7, 16, 64}), .visible = {}};
    const std::int64_t count = ((shape.queryLength + blocks.queryBlock - 1) / blocks.queryBlock) *
                               ((shape.keyLength + blocks.keyBlock - 1) / blocks.keyBlock);
    for (std::int64_t i = 0; i < count; ++i) blocks.visible.push_back(draw.oneIn(2) ? 1 : 0);
    shape.blocks = std::move(blocks);
    if (kind == 6) shape.ranges = causalRanges(shape.queryLength, shape.keyLength, diagonal);
  }
}

void drawBias(Draw& draw, TestProblem& problem) {
  AttentionShape& shape = problem.shape;
  shape.bias = static_cast<BiasType>(draw.below(4));
  const bool shared = draw.oneIn(2);
  const Sizes sizes{shared ? 1 : shape.batch, shared ? 1 : shape.heads, shape.queryLength, shape.keyLength};
  if (*shape.bias == BiasType::kBoolean) {
    problem.bias.view = stridesOf(sizes, Order::kHeadsFirst);
    const std::size_t elements = elementsOf(sizes, problem.bias.view);
    for (std::size_t i = 0; i < elements; ++i) {
      problem.bias.bytes.push_back(draw.oneIn(3) ? 0 : 1);
      problem.bias.values.push_back(problem.bias.bytes.back() == 0 ? -kInfinity : 0);
    }
    problem.bias.view.data = problem.bias.bytes.data();
  } else {
    problem.bias = drawnTensor(draw, sizes, Order::kHeadsFirst, static_cast<ElementType>(*shape.bias));
    for (std::size_t i = 0; i < problem.bias.values.size(); ++i) {
      if (draw.oneIn(6)) put(problem.bias, i, -kInfinity, static_cast<ElementType>(*shape.bias));
    }
  }
  if (shared) problem.bias.view.batchStride = problem.bias.view.headStride = 0;
}

void drawScores(Draw& draw, TestProblem& problem) {
  AttentionShape& shape = problem.shape;
  shape.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(shape.headSize)));
  if (draw.oneIn(8)) shape.scale = -shape.scale;
  if (draw.oneIn(20)) shape.scale = 0;
  if (draw.oneIn(5)) shape.softcap = draw.oneIn(2) ? 1.5F : 30.0F;
  if (draw.oneIn(5)) {
    for (std::int64_t head = 0; head < shape.heads; ++head) shape.slopes.push_back(0.5F / static_cast<float>(head + 1));
    shape.firstPosition = draw.oneIn(2) ? 0 : shape.keyLength - shape.queryLength;
  }
  if (draw.oneIn(5)) {
    for (std::int64_t head = 0; head < shape.heads; ++head) shape.sinks.push_back(static_cast<float>(draw.normal()));
  }
  if (draw.oneIn(4)) drawBias(draw, problem);
}

// The last page of each sequence may hold more keys than there are.
void drawCache(Draw& draw, TestProblem& problem, Sizes keys, Sizes values) {
  AttentionShape& shape = problem.shape;
  const std::int64_t page = draw.of({1, 3, 16, 64});
  shape.pageLength = page;
  const std::int64_t perSequence = (shape.keyLength + page - 1) / page;
  keys.batch = values.batch = shape.batch * perSequence;
  keys.length = values.length = page;
  problem.key = drawnTensor(draw, keys, drawnOrder(draw), shape.type);
  problem.value = drawnTensor(draw, values, drawnOrder(draw), shape.type);
  problem.pages.resize(static_cast<std::size_t>(keys.batch));
  std::iota(problem.pages.begin(), problem.pages.end(), 0);
  for (std::size_t i = problem.pages.size(); i > 1; --i) std::swap(problem.pages[i - 1], problem.pages[draw.below(i)]);
  problem.cache = {page, problem.pages.data(), perSequence};
}

std::size_t rowOf(const TestProblem& problem, const TestTensor& tensor, std::int64_t batch, std::int64_t head,
                  std::int64_t key) {
  std::int64_t first = batch;
  if (problem.cache.pageLength > 0) {
    first = problem.pages[static_cast<std::size_t>(batch * problem.cache.tableStride + key / problem.cache.pageLength)];
    key %= problem.cache.pageLength;
  }
  return static_cast<std::size_t>(first * tensor.view.batchStride + head * tensor.view.headStride +
                                  key * tensor.view.rowStride);
}

bool sees(const AttentionShape& shape, std::int64_t query, std::int64_t key) {
  if (!shape.ranges.empty()) {
    const KeyRange& range = shape.ranges[static_cast<std::size_t>(query)];
    if (key < range.from || key >= range.to) return false;
  }
  if (!shape.blocks) return true;
  const std::int64_t columns = (shape.keyLength + shape.blocks->keyBlock - 1) / shape.blocks->keyBlock;
  return shape.blocks->visible[static_cast<std::size_t>(query / shape.blocks->queryBlock * columns +
                                                        key / shape.blocks->keyBlock)] != 0;
}

double scoreOf(const TestProblem& problem, std::int64_t batch, std::int64_t head, std::int64_t query,
               std::int64_t key) {
  const AttentionShape& shape = problem.shape;
  if (!sees(shape, query, key)) return -kInfinity;
  const double* q = problem.query.values.data() + batch * problem.query.view.batchStride +
                    head * problem.query.view.headStride + query * problem.query.view.rowStride;
  const double* k =
      problem.key.values.data() + rowOf(problem, problem.key, batch, head / (shape.heads / shape.keyValueHeads), key);
  double score = std::inner_product(q, q + shape.headSize, k, 0.0) * static_cast<double>(shape.scale);
  const auto softcap = static_cast<double>(shape.softcap);
  if (softcap > 0) score = softcap * std::tanh(score / softcap);
  if (shape.bias) {
    score += problem.bias.values[static_cast<std::size_t>(batch * problem.bias.view.batchStride +
                                                          head * problem.bias.view.headStride +
                                                          query * problem.bias.view.rowStride + key)];
  }
  if (!shape.slopes.empty()) {
    const auto slope = static_cast<double>(shape.slopes[static_cast<std::size_t>(head)]);
    score -= slope * std::abs(static_cast<double>(shape.firstPosition + query - key));
  }
  return score;
}

void expectRow(const TestProblem& problem, std::int64_t batch, std::int64_t head, std::int64_t query,
               TestResult& result) {
  const AttentionShape& shape = problem.shape;
  std::vector<double> scores;
  for (std::int64_t key = 0; key < shape.keyLength; ++key) scores.push_back(scoreOf(problem, batch, head, query, key));
  double largest = -kInfinity;
  for (const double score : scores) largest = std::isnan(score) ? score : std::max(largest, score);
  const double sink =
      shape.sinks.empty() ? -kInfinity : static_cast<double>(shape.sinks[static_cast<std::size_t>(head)]);
  std::vector<double> output(static_cast<std::size_t>(shape.valueHeadSize), 0.0);
  double sum = 0;
  if (largest != -kInfinity) {
    sum = std::exp(sink - largest);
    for (std::int64_t key = 0; key < shape.keyLength; ++key) {
      if (scores[static_cast<std::size_t>(key)] == -kInfinity) continue;
      const double weight = std::exp(scores[static_cast<std::size_t>(key)] - largest);
      const double* v = problem.value.values.data() +
                        rowOf(problem, problem.value, batch, head / (shape.heads / shape.keyValueHeads), key);
      sum += weight;
      for (std::size_t d = 0; d < output.size(); ++d) output[d] += weight * v[d];
    }
    for (double& value : output) value /= sum;
  }
  result.output.insert(result.output.end(), output.begin(), output.end());
  result.logSumExp.push_back(largest == -kInfinity ? sink : largest + std::log(sum));
}

}  // namespace

std::vector<Isa> testedIsas() {
  std::vector<Isa> isas = usableIsas();
  isas.push_back(Isa::kEmulatedAmx);
  return isas;
}

std::string testNameOf(Isa isa) {
  std::string name(toString(isa));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::uint16_t halfBits(double value, ElementType type) {
  const HalfFormat format = formatOf(type);
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const int most = (1 << (15 - format.fraction)) - 1;  // exponent of infinities and NaN
  const auto infinite = static_cast<std::uint16_t>(most << format.fraction);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | infinite | (1 << (format.fraction - 1)));
  const double magnitude = std::abs(value);
  if (magnitude == 0) return sign;
  if (std::isinf(magnitude)) return static_cast<std::uint16_t>(sign | infinite);
  const int exponent = std::max(std::ilogb(magnitude), 1 - format.bias);
  const double steps = std::nearbyint(std::ldexp(magnitude, format.fraction - exponent));  // of this exponent
  const double bits = std::ldexp(exponent + format.bias - 1, format.fraction) + steps;  // a carry raises the exponent
  return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(std::min(bits, static_cast<double>(infinite))));
}

double halfValue(std::uint16_t bits, ElementType type) {
  const HalfFormat format = formatOf(type);
  const int exponent = (bits & 0x7fff) >> format.fraction;
  const double fraction = bits & ((1 << format.fraction) - 1);
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == (1 << (15 - format.fraction)) - 1) {
    return fraction == 0 ? sign * kInfinity : std::numeric_limits<double>::quiet_NaN();
  }
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - format.bias - format.fraction);
  return sign * std::ldexp(fraction + (1 << format.fraction), exponent - format.bias - format.fraction);
}

TestProblem drawnProblem(std::uint64_t seed, Isa isa) {
  Draw draw(seed);
  TestProblem problem;
  AttentionShape& shape = problem.shape;
  shape.batch = draw.of({1, 1, 2});
  shape.keyValueHeads = draw.of({1, 1, 2, 3});
  shape.heads = shape.keyValueHeads * draw.of({1, 1, 2, 3, 4, 8});
  shape.queryLength = draw.of({1, 1, 2, 5, 16, 31, 64, 97});
  shape.keyLength = draw.of({1, 2, 7, 16, 31, 64, 129, 300});
  shape.headSize = draw.of({1, 5, 16, 24, 32, 64, 80, 128});
  shape.valueHeadSize = draw.oneIn(3) ? draw.of({1, 3, 8, 17, 40, 96, 256}) : shape.headSize;
  shape.type = static_cast<ElementType>(draw.below(3));
  drawMask(draw, problem);
  drawScores(draw, problem);
  const Sizes keys{shape.batch, shape.keyValueHeads, shape.keyLength, shape.headSize};
  const Sizes values{shape.batch, shape.keyValueHeads, shape.keyLength, shape.valueHeadSize};
  problem.query =
      drawnTensor(draw, {shape.batch, shape.heads, shape.queryLength, shape.headSize}, drawnOrder(draw), shape.type);
  if (draw.oneIn(4)) {
    drawCache(draw, problem, keys, values);
  } else {
    problem.key = drawnTensor(draw, keys, drawnOrder(draw), shape.type);
    problem.value = drawnTensor(draw, values, drawnOrder(draw), shape.type);
  }
  KernelOptions& options = problem.options;
  options.isa = isa;
  options.workers = static_cast<int>(draw.of({1, 1, 1, 2, 3}));
  const bool few = shape.queryLength * (shape.heads / shape.keyValueHeads) <= 64;
  options.method = few ? static_cast<Method>(draw.below(3)) : Method::kTiles;
  if (draw.oneIn(2)) options.sizes = {draw.of({1, 7, 16, 100}), draw.of({1, 24, 64, 200})};
  problem.words = "seed " + std::to_string(seed) + ": " + std::string(toString(isa)) + " B" +
                  std::to_string(shape.batch) + " H" + std::to_string(shape.heads) + "/" +
                  std::to_string(shape.keyValueHeads) + " N" + std::to_string(shape.queryLength) + " M" +
                  std::to_string(shape.keyLength) + " D" + std::to_string(shape.headSize) + " V" +
                  std::to_string(shape.valueHeadSize) + " type " + std::to_string(static_cast<int>(shape.type)) +
                  " method " + std::to_string(static_cast<int>(options.method));
  return problem;
}

TestResult expectedResult(const TestProblem& problem) {
  TestResult result;
  for (std::int64_t batch = 0; batch < problem.shape.batch; ++batch) {
    for (std::int64_t head = 0; head < problem.shape.heads; ++head) {
      for (std::int64_t query = 0; query < problem.shape.queryLength; ++query)
        expectRow(problem, batch, head, query, result);
    }
  }
  return result;
}

TestResult kernelResult(const TestProblem& problem) {
  return kernelResult(problem, [](AttentionKernel& kernel, const AttentionTensors& tensors) {
    // Twice: the second call must not see what the first one left.
    kernel.run(tensors);
    kernel.run(tensors);
  });
}

TestResult kernelResult(const TestProblem& problem, const KernelCall& call) {
  const AttentionShape& shape = problem.shape;
  TestResult result;
  auto kernel = AttentionKernel::make(shape, problem.options);
  if (!kernel) return result;
  const Sizes sizes{shape.batch, shape.heads, shape.queryLength, shape.valueHeadSize};
  const TensorView strides = stridesOf(sizes, Order::kGaps);
  const auto elementBytes = static_cast<std::size_t>(bytesOf(shape.type));
  std::vector<std::uint8_t> output(elementsOf(sizes, strides) * elementBytes, kUntouched);
  std::vector<float> logSumExp(static_cast<std::size_t>(shape.batch * shape.heads * shape.queryLength), 1234.0F);
  AttentionTensors tensors;
  tensors.query = problem.query.view;
  tensors.key = problem.key.view;
  tensors.value = problem.value.view;
  tensors.output = {output.data(), strides.batchStride, strides.headStride, strides.rowStride};
  tensors.logSumExp = logSumExp.data();
  tensors.bias = problem.bias.view;
  tensors.cache = problem.cache;
  call(**kernel, tensors);
  const std::size_t rows = logSumExp.size();
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t d = 0; d < static_cast<std::size_t>(strides.rowStride); ++d) {
      const std::size_t element = row * static_cast<std::size_t>(strides.rowStride) + d;
      if ((element + 1) * elementBytes > output.size()) break;
      const std::uint8_t* at = output.data() + element * elementBytes;
      if (d >= static_cast<std::size_t>(shape.valueHeadSize)) {
        if (*at != kUntouched) result.output.push_back(kInfinity);  // written where nothing belongs: another count
        continue;
      }
      if (shape.type == ElementType::kFloat32) {
        float value = 0;
        std::memcpy(&value, at, sizeof value);
        result.output.push_back(static_cast<double>(value));
      } else {
        std::uint16_t bits = 0;
        std::memcpy(&bits, at, sizeof bits);
        result.output.push_back(halfValue(bits, shape.type));
      }
    }
  }
  result.logSumExp.assign(logSumExp.begin(), logSumExp.end());
  return result;
}

double distance(const std::vector<double>& result, const std::vector<double>& expected) {
  if (result.size() != expected.size()) return kInfinity;
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (!std::isfinite(result[i]) || !std::isfinite(expected[i])) {
      const bool same = result[i] == expected[i] || (std::isnan(result[i]) && std::isnan(expected[i]));
      if (!same) return kInfinity;
      continue;
    }
    difference += (result[i] - expected[i]) * (result[i] - expected[i]);
    size += expected[i] * expected[i];
  }
  if (difference == 0) return 0;
  return std::sqrt(difference / size);
}

double largestDifference(const std::vector<double>& result, const std::vector<double>& expected) {
  if (result.size() != expected.size()) return kInfinity;
  double largest = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (result[i] == expected[i]) continue;
    const double difference = std::abs(result[i] - expected[i]) / std::max(1.0, std::abs(expected[i]));
    largest = std::isfinite(difference) ? std::max(largest, difference) : kInfinity;
  }
  return largest;
}

double limitOf(ElementType type) {
  if (type == ElementType::kFloat32) return 1e-5;
  return type == ElementType::kBFloat16 ? 1e-2 : 2e-3;
}

}  // namespace attnscope::kernels
