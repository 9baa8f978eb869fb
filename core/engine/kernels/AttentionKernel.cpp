// SPDX-License-Identifier: Apache-2.0
#include "core/engine/kernels/AttentionKernel.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <new>
#include <string>
#include <utility>

#include "core/engine/kernels/KernelTypes.h"
#include "core/engine/kernels/TileSearch.h"

namespace attnscope::kernels {
namespace {

constexpr std::int64_t kItemsPerWorker = 6;   // so that a worker which is held up leaves its work to others
constexpr std::int64_t kLeastChunkRows = 48;  // fewer would read each key for too few rows
constexpr std::int64_t kLeastKeysPerSplit = 512;
constexpr std::int64_t kMostKeysPerDotSplit = 4096;  // blocks are added one after the other: more would round more

std::int64_t divided(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

// Of about `wanted` rows, and none much smaller than the others: each chunk packs its keys and values anew.
std::int64_t evenChunk(std::int64_t rows, std::int64_t wanted) {
  const std::int64_t most = std::max(wanted, std::min(wanted + wanted / 2, kLargestTiles.rowChunk));
  std::int64_t chunks = std::max<std::int64_t>(1, (rows + wanted / 2) / wanted);
  if (divided(rows, chunks) > most) ++chunks;
  return divided(rows, chunks);
}

std::string refusedSizes(const AttentionShape& shape) {
  constexpr std::int64_t kMostLength = std::numeric_limits<std::int32_t>::max();
  if (shape.batch < 1 || shape.heads < 1 || shape.keyValueHeads < 1 || shape.queryLength < 1 || shape.keyLength < 1) {
    return "a size is not positive";
  }
  if (shape.heads % shape.keyValueHeads != 0) return "the key heads do not divide the query heads";
  if (shape.headSize < 1 || shape.headSize > kMostHeadSize || shape.valueHeadSize < 1 ||
      shape.valueHeadSize > kMostHeadSize) {
    return "heads have 1 to " + std::to_string(kMostHeadSize) + " values, not " + std::to_string(shape.headSize) +
           " and " + std::to_string(shape.valueHeadSize);
  }
  if (shape.queryLength > kMostLength || shape.keyLength > kMostLength) return "a sequence is longer than 2^31 - 1";
  return {};
}

std::string refusedScores(const AttentionShape& shape) {
  const auto isOnePerHead = [&](const std::vector<float>& values) {
    return values.empty() || static_cast<std::int64_t>(values.size()) == shape.heads;
  };
  if (!std::isfinite(shape.scale)) return "the scale is not finite";
  if (!(shape.softcap >= 0) || !std::isfinite(shape.softcap)) return "the softcap is negative or not finite";
  if (!isOnePerHead(shape.slopes)) return "there is not one slope a head";
  if (!isOnePerHead(shape.sinks)) return "there is not one sink a head";
  if (shape.pageLength && *shape.pageLength < 1) return "a page holds no key";
  return {};
}

std::string refusedMask(const AttentionShape& shape) {
  if (!shape.ranges.empty() && static_cast<std::int64_t>(shape.ranges.size()) != shape.queryLength) {
    return "there is not one range of keys a query";
  }
  for (const KeyRange& range : shape.ranges) {
    if (range.from < 0 || range.to > shape.keyLength) return "a range of keys reaches beyond them";
  }
  if (!shape.blocks) return {};
  if (shape.blocks->queryBlock < 1 || shape.blocks->keyBlock < 1) return "a block of the mask is empty";
  const std::int64_t blocks =
      divided(shape.queryLength, shape.blocks->queryBlock) * divided(shape.keyLength, shape.blocks->keyBlock);
  if (static_cast<std::int64_t>(shape.blocks->visible.size()) != blocks) return "the mask has not one value a block";
  return {};
}

Method methodFor(const AttentionShape& shape, Method wanted) {
  if (wanted != Method::kByRows) return wanted;
  return shape.queryLength * (shape.heads / shape.keyValueHeads) <= kMostDotRows ? Method::kDots : Method::kTiles;
}

std::int64_t clockNs() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

std::int64_t tileBufferFloats(std::int64_t headSize, std::int64_t valueHeadSize, const TileSizes& sizes) {
  constexpr std::int64_t kBuffers = 14;
  constexpr std::int64_t kPerRow = 10;  // ranges, distances, largest scores, sums, bounds of vectors
  const std::int64_t rows = divided(sizes.rowChunk, kMostPanelRows) * kMostPanelRows + kMostPanelRows;
  const std::int64_t values = divided(valueHeadSize, kMostLanes) * kMostLanes;
  const std::int64_t longest = divided(std::max(headSize, values), kMostLanes) * kMostLanes;
  constexpr std::int64_t kBetweenStrips = 4;  // floats a value column, where strips are 4 columns wide
  return rows * (kPerRow + headSize + values) + sizes.keyBlock * (2 * kMostPanelRows + headSize + values) +
         kBetweenStrips * values + kMostLanes * longest + kBuffers * kMostLanes;
}

std::int64_t pairTileBufferFloats(std::int64_t headSize, std::int64_t valueHeadSize, const TileSizes& sizes) {
  constexpr std::int64_t kBuffers = 18;
  constexpr std::int64_t kPerRow = 10;  // as above
  constexpr std::int64_t kSquare = 32;  // rows of a panel, and what sizes are rounded up to
  const auto rounded = [](std::int64_t size) { return divided(size, kSquare) * kSquare; };
  const std::int64_t rows = rounded(sizes.rowChunk) + kSquare;
  const std::int64_t keys = rounded(sizes.keyBlock);
  const std::int64_t size = rounded(headSize);
  const std::int64_t values = rounded(valueHeadSize);
  const std::int64_t perKey = kSquare + kSquare / 2 + (size + kSquare) / 2 + values;  // bias, weights, keys, values
  return rows * (kPerRow + size / 2 + values) + keys * perKey + std::max(keys, values) * kSquare +
         kMostLanes * (values + std::max(size, values)) + kBuffers * kMostLanes;
}

std::int64_t dotBufferFloats(std::int64_t headSize, std::int64_t valueHeadSize, std::int64_t rows) {
  constexpr std::int64_t kBuffers = 6;
  constexpr std::int64_t kPair = 2 * kMostLanes;
  const std::int64_t values = divided(valueHeadSize, kPair) * kPair;
  return rows * (divided(headSize, kPair) * kPair + values + kDotBlock + 2) + values + kBuffers * kMostLanes;
}

const KernelTable* kernelTable(Isa isa) {
  switch (isa) {
    case Isa::kScalar:
      return &scalarKernels();
    case Isa::kEmulatedAmx:
      return &emulatedAmxKernels();
#ifdef ATTNSCOPE_X86_KERNELS
    case Isa::kAvx2:
      return &avx2Kernels();
    case Isa::kAvx512:
      return &avx512Kernels();
    case Isa::kAmx:
      return &amxKernels();
#endif
    default:
      return nullptr;
  }
}

const KernelTable* watchedKernelTable(Isa isa) {
  switch (isa) {
    case Isa::kScalar:
      return &watchedScalarKernels();
    case Isa::kEmulatedAmx:
      return &watchedEmulatedAmxKernels();
#ifdef ATTNSCOPE_X86_KERNELS
    case Isa::kAvx2:
      return &watchedAvx2Kernels();
    case Isa::kAvx512:
      return &watchedAvx512Kernels();
    case Isa::kAmx:
      return &watchedAmxKernels();
#endif
    default:
      return nullptr;
  }
}

Result<std::unique_ptr<AttentionKernel>> AttentionKernel::make(AttentionShape shape, const KernelOptions& options) {
  const auto refuse = [](std::string reason) {
    Error error;
    error.kind = ErrorKind::kUsage;
    error.what = "this attention cannot be computed by the own kernels: " + std::move(reason);
    return fail(std::move(error));
  };
  if (std::string reason = refusedSizes(shape); !reason.empty()) return refuse(std::move(reason));
  if (std::string reason = refusedScores(shape); !reason.empty()) return refuse(std::move(reason));
  if (std::string reason = refusedMask(shape); !reason.empty()) return refuse(std::move(reason));
  if (!runsHere(options.isa)) {
    return refuse("this CPU or this build has no " + std::string(toString(options.isa)));
  }
  if (options.workers < 1 || options.sizes.keyBlock < 1 || options.sizes.rowChunk < 1) {
    return refuse("it was asked for with no workers or with empty tiles");
  }
  return std::unique_ptr<AttentionKernel>(new AttentionKernel(std::move(shape), options));
}

AttentionKernel::AttentionKernel(AttentionShape shape, const KernelOptions& options)
    : m_shape(std::move(shape)),
      m_sizes(options.sizes),
      m_method(methodFor(m_shape, options.method)),
      m_pool(options.workers),
      m_heads(m_shape.batch * m_shape.keyValueHeads),
      m_rows(m_shape.queryLength * (m_shape.heads / m_shape.keyValueHeads)) {
  fillArguments();
  const KernelTable& table = *kernelTable(options.isa);
  const KernelTable& watched = *watchedKernelTable(options.isa);
  const auto type = static_cast<std::size_t>(m_shape.type);
  m_layout = table.layouts[type];
  m_kernel = m_method == Method::kDots ? table.dots[type] : table.tiles[type];
  m_watchedKernel = m_method == Method::kDots ? watched.dots[type] : watched.tiles[type];
  m_sizes.keyBlock = std::min(m_sizes.keyBlock, m_shape.keyLength);
  const std::int64_t panel = m_layout.lanes * m_layout.panelVectors;
  const std::int64_t perHead = divided(kItemsPerWorker * m_pool.workers(), m_heads);
  std::int64_t chunk = m_pool.workers() == 1 ? m_sizes.rowChunk : std::min(m_sizes.rowChunk, divided(m_rows, perHead));
  chunk = divided(evenChunk(m_rows, std::max(chunk, kLeastChunkRows)), panel) * panel;
  m_sizes.rowChunk = std::min(chunk, m_rows);
  cutRows(m_sizes.rowChunk);
  cutKeys();
  m_bufferFloats = neededFloats();
  for (int worker = 0; worker < m_pool.workers(); ++worker) m_buffers.push_back(allocate(m_bufferFloats));
  if (m_splits > 1) m_partials = allocate(m_heads * m_splits * m_rows * (m_shape.valueHeadSize + 2));
}

std::int64_t AttentionKernel::neededFloats() const {
  if (m_method == Method::kDots) return dotBufferFloats(m_shape.headSize, m_shape.valueHeadSize, m_sizes.rowChunk);
  if (m_layout.keyStep > 1) return pairTileBufferFloats(m_shape.headSize, m_shape.valueHeadSize, m_sizes);
  return tileBufferFloats(m_shape.headSize, m_shape.valueHeadSize, m_sizes);
}

AttentionKernel::Floats AttentionKernel::allocate(std::int64_t floats) {
  constexpr std::size_t kLine = 64;
  const std::size_t bytes = (static_cast<std::size_t>(floats) * sizeof(float) + kLine - 1) / kLine * kLine;
  Floats allocated(static_cast<float*>(std::aligned_alloc(kLine, bytes)));
  if (!allocated) throw std::bad_alloc();
  return allocated;
}

std::int64_t AttentionKernel::bufferBytes() const {
  const std::int64_t partials = m_splits == 1 ? 0 : m_heads * m_splits * m_rows * (m_shape.valueHeadSize + 2);
  return (m_bufferFloats * m_pool.workers() + partials) * static_cast<std::int64_t>(sizeof(float));
}

void AttentionKernel::fillArguments() {
  const auto orNull = [](const auto& values) { return values.empty() ? nullptr : values.data(); };
  m_arguments.heads = m_shape.heads;
  m_arguments.group = m_shape.heads / m_shape.keyValueHeads;
  m_arguments.queryLength = m_shape.queryLength;
  m_arguments.keyLength = m_shape.keyLength;
  m_arguments.headSize = m_shape.headSize;
  m_arguments.valueHeadSize = m_shape.valueHeadSize;
  m_arguments.scale = m_shape.scale;
  m_arguments.softcap = m_shape.softcap;
  m_arguments.ranges = orNull(m_shape.ranges);
  if (m_shape.blocks) {
    m_arguments.blocks = orNull(m_shape.blocks->visible);
    m_arguments.queryBlock = m_shape.blocks->queryBlock;
    m_arguments.keyBlock = m_shape.blocks->keyBlock;
    m_arguments.blockColumns = divided(m_shape.keyLength, m_shape.blocks->keyBlock);
  }
  m_arguments.slopes = orNull(m_shape.slopes);
  m_arguments.firstPosition = m_shape.firstPosition;
  m_arguments.sinks = orNull(m_shape.sinks);
  m_arguments.hasBias = m_shape.bias.has_value();
  m_arguments.biasType = m_shape.bias.value_or(BiasType::kFloat32);
  m_arguments.pageLength = m_shape.pageLength.value_or(0);
}

// The last rows first: under a causal mask they take longest. A chunk never reaches over a block of a block mask.
void AttentionKernel::cutRows(std::int64_t mostRows) {
  const std::int64_t block = m_shape.blocks ? m_shape.blocks->queryBlock * m_arguments.group : m_rows;
  for (std::int64_t first = 0; first < m_rows; first += block) {
    const std::int64_t end = std::min(first + block, m_rows);
    for (std::int64_t row = first; row < end; row += mostRows) m_chunks.push_back({row, std::min(mostRows, end - row)});
  }
  std::reverse(m_chunks.begin(), m_chunks.end());
}

// Keys are split where there are too few rows for all workers, and where dots would add too many blocks in one chain.
void AttentionKernel::cutKeys() {
  const std::int64_t items = m_heads * static_cast<std::int64_t>(m_chunks.size());
  const std::int64_t wanted = m_pool.workers() == 1 ? 1 : divided(kItemsPerWorker * m_pool.workers(), items);
  m_splits = std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(1, m_shape.keyLength / kLeastKeysPerSplit));
  if (m_method == Method::kDots) m_splits = std::max(m_splits, divided(m_shape.keyLength, kMostKeysPerDotSplit));
  m_keysPerSplit = divided(divided(m_shape.keyLength, m_splits), kDotBlock) * kDotBlock;
  m_splits = divided(m_shape.keyLength, m_keysPerSplit);
}

void AttentionKernel::run(const AttentionTensors& tensors) {
  m_arguments.tensors = tensors;
  m_pool.run(items(), [this](int worker, std::int64_t item) { runItem(m_kernel, worker, item, nullptr); });
  m_pool.run(merges(), [this](int, std::int64_t item) { merge(item); });
}

WatchedCall AttentionKernel::roomToWatch(std::int64_t mostStates) const {
  WatchedCall call;
  std::vector<std::int64_t> firstRecord = {0};
  std::int64_t states = 0;
  for (std::int64_t item = 0; item < items(); ++item) {
    const StepCount count = countOf(item);
    TileLog& log = call.logs.emplace_back();
    log.nextState = log.endState = states;
    if (states + count.states <= mostStates) states = log.endState += count.states;
    firstRecord.push_back(firstRecord.back() + count.steps);
  }
  call.records.resize(static_cast<std::size_t>(firstRecord.back() + merges()));
  call.states.resize(static_cast<std::size_t>(states));
  for (std::size_t item = 0; item < call.logs.size(); ++item) {
    call.logs[item].next = call.records.data() + firstRecord[item];
    call.logs[item].end = call.records.data() + firstRecord[item + 1];
    call.logs[item].states = call.states.data();
  }
  return call;
}

void AttentionKernel::watch(const AttentionTensors& tensors, WatchedCall& call) {
  m_arguments.tensors = tensors;
  TileRecord* const firstMerge = call.records.data() + call.records.size() - merges();
  call.startNs = clockNs();
  m_pool.run(items(), [&](int worker, std::int64_t item) {
    TileLog& log = call.logs[static_cast<std::size_t>(item)];
    TileRecord* const first = log.next;
    runItem(m_watchedKernel, worker, item, &log);
    for (TileRecord* record = first; record != log.next; ++record) record->worker = worker;
  });
  m_pool.run(merges(), [&](int worker, std::int64_t item) { firstMerge[item] = watchedMerge(worker, item); });
  call.endNs = clockNs();
  for (const TileLog& log : call.logs) call.dropped += log.dropped;
}

StepCount AttentionKernel::count() const {
  StepCount all;
  for (std::int64_t item = 0; item < items(); ++item) {
    const StepCount count = countOf(item);
    all.steps += count.steps;
    all.states += count.states;
    all.pairs += count.pairs;
  }
  all.steps += merges();
  return all;
}

StepCount AttentionKernel::countOf(std::int64_t item) const {
  const ItemTask task = taskOf(item);
  return m_method == Method::kDots ? countDotSteps(m_arguments, task) : countTileSteps(m_arguments, task, m_layout);
}

void AttentionKernel::merge(std::int64_t item) {
  const std::int64_t head = item / m_rows;
  const std::int64_t row = item % m_rows;
  if (m_shape.type == ElementType::kFloat32) mergeRow<float>(head, row);
  if (m_shape.type == ElementType::kBFloat16) mergeRow<BFloat16>(head, row);
  if (m_shape.type == ElementType::kFloat16) mergeRow<Float16>(head, row);
}

TileRecord AttentionKernel::watchedMerge(int worker, std::int64_t item) {
  TileRecord record;
  record.startNs = clockNs();
  merge(item);
  record.endNs = clockNs();
  const std::int64_t head = item / m_rows;
  record.batch = static_cast<std::int32_t>(head / m_shape.keyValueHeads);
  record.keyValueHead = static_cast<std::int32_t>(head % m_shape.keyValueHeads);
  record.firstRow = static_cast<std::int32_t>(item % m_rows);
  record.rows = 1;
  record.firstQuery = static_cast<std::int32_t>(record.firstRow / m_arguments.group);
  record.endQuery = record.firstQuery + 1;
  record.endKey = static_cast<std::int32_t>(m_shape.keyLength);
  record.worker = worker;
  record.step = TileStep::kMerge;
  return record;
}

ItemTask AttentionKernel::taskOf(std::int64_t item) const {
  const std::int64_t split = item % m_splits;
  const auto chunks = static_cast<std::int64_t>(m_chunks.size());
  const RowChunk& chunk = m_chunks[static_cast<std::size_t>(item / m_splits % chunks)];
  const std::int64_t head = item / m_splits / chunks;
  const std::int64_t from = split * m_keysPerSplit;
  ItemTask task;
  task.batch = head / m_shape.keyValueHeads;
  task.keyValueHead = head % m_shape.keyValueHeads;
  task.firstRow = chunk.first;
  task.rows = chunk.rows;
  task.keys = {static_cast<std::int32_t>(from),
               static_cast<std::int32_t>(std::min(from + m_keysPerSplit, m_shape.keyLength))};
  task.sizes = m_sizes;
  if (m_splits > 1) {
    task.partial = m_partials.get() + ((head * m_splits + split) * m_rows + chunk.first) * (m_shape.valueHeadSize + 2);
  }
  return task;
}

void AttentionKernel::runItem(ItemKernel kernel, int worker, std::int64_t item, TileLog* log) {
  ItemTask task = taskOf(item);
  task.buffers = m_buffers[static_cast<std::size_t>(worker)].get();
  task.log = log;
  kernel(m_arguments, task);
}

// The parts of a row, each relative to its own largest score, brought to the largest of all (flash-decoding's merge by
// log-sum-exp). A part that saw nothing has minus infinity there.
template <class T>
void AttentionKernel::mergeRow(std::int64_t head, std::int64_t row) {
  const std::int64_t size = m_shape.valueHeadSize;
  const auto part = [&](std::int64_t split) {
    return m_partials.get() + ((head * m_splits + split) * m_rows + row) * (size + 2);
  };
  float largest = -kInfinity;
  for (std::int64_t split = 0; split < m_splits; ++split) largest = std::max(largest, part(split)[size]);
  float sum = 0;
  float* merged = part(0);
  for (std::int64_t split = 0; split < m_splits; ++split) {
    const float* from = part(split);
    const float weight = from[size] == -kInfinity ? 0 : std::exp2(from[size] - largest);
    sum += weight * from[size + 1];
    for (std::int64_t d = 0; d < size; ++d) merged[d] = (split == 0 ? 0 : merged[d]) + weight * from[d];
  }
  ItemTask task;
  task.batch = head / m_shape.keyValueHeads;
  task.keyValueHead = head % m_shape.keyValueHeads;
  const RowPlace place = placeOf(m_arguments, task, row);
  const float sink = m_shape.sinks.empty() ? -kInfinity : m_shape.sinks[static_cast<std::size_t>(place.head)] * kLog2E;
  const bool nothing = largest == -kInfinity;
  const float all = nothing || m_shape.sinks.empty() ? sum : sum + std::exp2(sink - largest);
  const MutableTensorView& view = m_arguments.tensors.output;
  T* output = static_cast<T*>(view.data) + task.batch * view.batchStride + place.head * view.headStride +
              place.query * view.rowStride;
  for (std::int64_t d = 0; d < size; ++d) narrow(nothing ? 0 : merged[d] / all, output + d);
  if (m_arguments.tensors.logSumExp == nullptr) return;
  m_arguments.tensors.logSumExp[(task.batch * m_shape.heads + place.head) * m_shape.queryLength + place.query] =
      nothing ? sink * kLn2 : (largest + std::log2(all)) * kLn2;
}

}  // namespace attnscope::kernels
