// SPDX-License-Identifier: Apache-2.0
#include "core/import/BlockReader.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/import/EventParser.h"
#include "core/import/JsonScan.h"

namespace attnscope {

namespace {

constexpr std::uint64_t kSlack = 256 << 10;  // text behind a border that its event usually ends within
constexpr std::uint64_t kLargestReserve = 64 << 20;
constexpr std::size_t kAhead = 64;  // blocks read before the first of them was taken

struct ReadBlock {
  std::uint64_t from = 0;
  std::uint64_t limit = 0;
  RawBlock block;
  ParseResult result;
  std::optional<Int128> outOfRange;
};

// What a thread that reads blocks learns from each for the next.
class Worker {
 public:
  EventShapes shapes;

  // Room for as many rows as the last block had for its length, and some more.
  void reserve(RawBlock& block, std::uint64_t bytes) const {
    const auto room = [&](double each) {
      return static_cast<std::size_t>(each * 1.1 * static_cast<double>(bytes)) + 16;
    };
    block.slices.reserve(room(m_slices));
    block.points.reserve(room(m_points));
    block.deviceFacts.reserve(room(m_deviceFacts));
    block.memory.reserve(room(m_memory));
  }

  void learn(const RawBlock& block, std::uint64_t bytes) {
    const auto each = [bytes](std::size_t rows) { return static_cast<double>(rows) / static_cast<double>(bytes); };
    m_slices = each(block.slices.size());
    m_points = each(block.points.size());
    m_deviceFacts = each(block.deviceFacts.size());
    m_memory = each(block.memory.size());
  }

 private:
  double m_slices = 1.0 / 512;  // a byte of text
  double m_points = 0;
  double m_deviceFacts = 0;
  double m_memory = 0;
};

// Hands out blocks to workers and takes what they read.
class Blocks {
 public:
  Blocks(TextSource& source, std::uint64_t begin, std::uint64_t blockBytes, Int128 clockOrigin, std::stop_token stop)
      : m_source(source),
        m_blockBytes(std::max<std::uint64_t>(blockBytes, 64)),
        m_clockOrigin(clockOrigin),
        m_stop(std::move(stop)) {
    m_next = begin;
  }

  void work() {
    try {
      Worker worker;
      while (readOne(worker)) {
      }
    } catch (...) {
      const std::lock_guard lock(m_mutex);
      m_failure = std::current_exception();
    }
    const std::lock_guard lock(m_mutex);
    m_taken.notify_all();
    m_ready.notify_all();
  }

  // The block that was handed out as number `number`, or nullopt where there is none.
  std::optional<ReadBlock> take(std::size_t number) {
    std::unique_lock lock(m_mutex);
    m_ready.wait(lock, [&] {
      return m_failure || m_done.count(number) != 0 || (m_noMore && number >= m_handedOut) || m_stop.stop_requested();
    });
    if (m_failure) std::rethrow_exception(m_failure);
    const auto place = m_done.find(number);
    if (place == m_done.end()) return std::nullopt;
    ReadBlock block = std::move(place->second);
    m_done.erase(place);
    ++m_takenCount;
    m_taken.notify_all();
    return block;
  }

  void end() {
    const std::lock_guard lock(m_mutex);
    m_noMore = true;
    m_taken.notify_all();
    m_ready.notify_all();
  }

  // Parses [from, limit) here and now, waiting for text as needed. `worker`: of the thread that reads.
  ReadBlock read(std::uint64_t from, std::uint64_t limit, Worker& worker) {
    ReadBlock read;
    read.from = from;
    read.limit = limit;
    const bool usual = limit - from < kLargestReserve;
    if (usual) worker.reserve(read.block, limit - from);
    EventParser parser(read.block, worker.shapes, m_clockOrigin);
    for (std::uint64_t slack = kSlack;; slack *= 4) {
      const std::uint64_t wanted = limit > UINT64_MAX - slack ? UINT64_MAX : limit + slack;
      const TextSource::Available text = m_source.waitFor(wanted);
      const TextWindow window{m_source.data(), text.bytes};
      read.result = parser.parse(window, from, limit, m_stop);
      while (text.final && read.result.end == ParseEnd::kTextEnd && read.result.insideElement) {
        const auto resume = parser.skipUnfinished(window, read.result.at);
        if (!resume) break;
        read.result = parser.parse(window, *resume, limit, m_stop);
      }
      if (read.result.end != ParseEnd::kTextEnd || text.final) break;
      if (read.result.at >= limit) {
        read.result.end = ParseEnd::kLimit;
        break;
      }
      from = read.result.at;
    }
    if (parser.outOfRange()) read.outOfRange = parser.firstOutOfRange();
    if (usual) worker.learn(read.block, limit - from);
    return read;
  }

 private:
  bool readOne(Worker& worker) {
    std::uint64_t from = 0;
    std::uint64_t limit = 0;
    std::size_t number = 0;
    {
      std::unique_lock lock(m_mutex);
      m_taken.wait(lock, [&] { return m_noMore || m_stop.stop_requested() || m_handedOut < m_takenCount + kAhead; });
      if (m_noMore || m_stop.stop_requested()) return false;
      from = m_next;
      limit = borderAfter(from + m_blockBytes);
      number = m_handedOut++;
      m_next = limit;
      if (limit == UINT64_MAX) m_noMore = true;
    }
    ReadBlock read = this->read(from, limit, worker);
    const std::lock_guard lock(m_mutex);
    m_done.emplace(number, std::move(read));
    m_ready.notify_all();
    return true;
  }

  // First event that seems to begin at or behind `at`; UINT64_MAX where the text ends before one does.
  std::uint64_t borderAfter(std::uint64_t at) {
    for (std::uint64_t slack = kSlack;; slack *= 4) {
      const TextSource::Available text = m_source.waitFor(at + slack);
      if (text.bytes > at) {
        GuessBudget budget;
        const std::uint64_t border = guessEventStart({m_source.data(), std::min(text.bytes, at + slack)}, at, budget);
        if (border < std::min(text.bytes, at + slack)) return border;
      }
      if ((text.final && at + slack >= text.bytes) || m_stop.stop_requested()) return UINT64_MAX;
    }
  }

  TextSource& m_source;
  std::uint64_t m_blockBytes;
  Int128 m_clockOrigin;
  std::stop_token m_stop;
  std::mutex m_mutex;
  std::condition_variable m_ready;
  std::condition_variable m_taken;
  std::map<std::size_t, ReadBlock> m_done;
  std::exception_ptr m_failure;
  std::uint64_t m_next = 0;
  std::size_t m_handedOut = 0;
  std::size_t m_takenCount = 0;
  bool m_noMore = false;
};

}  // namespace

Result<BlocksRead> BlockReader::run(std::uint64_t begin, RawTrace& raw, std::function<void()> onBeginning) {
  const unsigned threads =
      m_options.threads != 0 ? m_options.threads : std::clamp(std::thread::hardware_concurrency(), 1u, 8u);
  m_progress.enter("Parse", m_source.fileBytes());
  Blocks blocks(m_source, begin, m_options.blockBytes, m_clockOrigin, m_stop);
  std::vector<std::thread> workers;
  struct Joiner {
    Blocks& blocks;
    std::vector<std::thread>& workers;
    ~Joiner() {
      blocks.end();
      for (std::thread& worker : workers) worker.join();
    }
  } joiner{blocks, workers};
  for (unsigned t = 0; t < threads; ++t) workers.emplace_back([&] { blocks.work(); });

  BlocksRead read;
  std::uint64_t at = begin;
  const auto append = [&](ReadBlock part) {
    m_progress.addEvents(part.block.events);
    at = part.result.at;
    if (part.outOfRange && !read.outOfRange) read.outOfRange = part.outOfRange;
    raw.blocks.push_back(std::move(part.block));
    m_source.release(at);
    if (part.result.end != ParseEnd::kLimit) return false;
    if (onBeginning && at - begin >= m_options.beginningBytes) std::exchange(onBeginning, nullptr)();
    return true;
  };
  ParseResult last;
  Worker worker;
  for (std::size_t number = 0;; ++number) {
    std::optional<ReadBlock> next = blocks.take(number);
    if (m_stop.stop_requested()) return cancelled();
    if (!next) break;
    if (at > next->from) {
      // What came before reaches into this block: its beginning was guessed wrong.
      if (at >= next->limit) continue;
      ReadBlock again = blocks.read(at, next->limit, worker);
      last = again.result;
      if (!append(std::move(again))) break;
      continue;
    }
    last = next->result;
    if (!append(std::move(*next))) break;
  }
  if (m_stop.stop_requested()) return cancelled();
  read.at = at;
  read.closed = last.end == ParseEnd::kClosed;
  read.insideElement = last.insideElement;
  return read;
}

}  // namespace attnscope
