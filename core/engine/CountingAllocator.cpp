// SPDX-License-Identifier: Apache-2.0
#include "core/engine/CountingAllocator.h"

#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace attnscope::engine {
namespace {

constexpr int kNanByte = 0xFF;
// LibTorch keeps the allocator of the highest priority that was ever set; equal ones replace one another.
constexpr std::uint8_t kPriority = 1;

}  // namespace

class CountingAllocator::Wrapper final : public c10::Allocator, public std::enable_shared_from_this<Wrapper> {
 public:
  explicit Wrapper(FreshMemory fresh) : m_inner(c10::GetCPUAllocator()), m_fresh(fresh) {}

  c10::DataPtr allocate(size_t bytes) override {
    if (bytes == 0) return m_inner->allocate(0);
    c10::DataPtr inner = m_inner->allocate(bytes + kHeaderBytes);
    const c10::Device device = inner.device();
    void* memory = inner.get();
    auto* header = new (memory) Header{.inner = std::move(inner),
                                       .wrapper = shared_from_this(),
                                       .bytes = static_cast<std::int64_t>(bytes),
                                       .block = 0,
                                       .generation = 0};
    void* data = reinterpret_cast<std::byte*>(header) + kHeaderBytes;
    if (m_fresh == FreshMemory::kPoison) std::memset(data, kNanByte, bytes);
    add(*header);
    return {data, data, &Wrapper::releaseTensor, device};
  }
  // oneDNN takes its memory through this: without it LibTorch would take other ways while it is counted.
  c10::DeleterFnPtr raw_deleter() const override { return &Wrapper::releaseScratch; }
  void copy_data(void* target, const void* source, std::size_t bytes) const override {
    default_copy_data(target, source, bytes);
  }

  void restart() {
    const std::lock_guard lock(m_mutex);
    m_changes.clear();
    m_isScratch.clear();
    ++m_generation;
  }
  [[nodiscard]] c10::Allocator* inner() const { return m_inner; }
  [[nodiscard]] std::int64_t peak() const {
    const std::lock_guard lock(m_mutex);
    std::int64_t now = 0;
    std::int64_t most = 0;
    for (const Change& change : m_changes) {
      if (change.block != kEarlier && m_isScratch[change.block]) continue;
      now += change.bytes;
      most = std::max(most, now);
    }
    return most;
  }
  [[nodiscard]] std::int64_t alive() const {
    const std::lock_guard lock(m_mutex);
    std::int64_t now = 0;
    for (const Change& change : m_changes) now += change.bytes;
    return now;
  }
  [[nodiscard]] std::int64_t allocations() const {
    const std::lock_guard lock(m_mutex);
    return std::count(m_isScratch.begin(), m_isScratch.end(), false);
  }

 private:
  static constexpr std::size_t kEarlier = ~std::size_t{0};  // allocated before the restart

  // Lies before each block's bytes, in the same memory. A storage keeps a pointer to its allocator, so the wrapper
  // lives as long as any of its blocks.
  struct Header {
    c10::DataPtr inner;  // of the memory that this header lies in
    std::shared_ptr<Wrapper> wrapper;
    std::int64_t bytes;
    std::uint32_t block;
    std::uint32_t generation;
  };
  static constexpr std::size_t kHeaderBytes = 128;  // keeps the alignment that LibTorch promises
  static_assert(sizeof(Header) <= kHeaderBytes);

  struct Change {
    std::int64_t bytes;  // negative where a block was freed
    std::size_t block;
  };
  enum class Kind : std::uint8_t { kTensor, kScratch };

  static void releaseTensor(void* data) { release(data, Kind::kTensor); }
  static void releaseScratch(void* data) { release(data, Kind::kScratch); }
  static void release(void* data, Kind kind) {
    if (data == nullptr) return;
    auto* header = reinterpret_cast<Header*>(static_cast<std::byte*>(data) - kHeaderBytes);
    header->wrapper->remove(*header, kind);
    const Header taken = std::move(*header);  // its memory goes with `taken`
    std::destroy_at(header);
  }

  void add(Header& header) {
    const std::lock_guard lock(m_mutex);
    header.block = static_cast<std::uint32_t>(m_isScratch.size());
    header.generation = m_generation;
    m_isScratch.push_back(false);
    m_changes.push_back({.bytes = header.bytes, .block = header.block});
  }
  // Only when it is freed does a block show whether it was a tensor's or a library's.
  void remove(const Header& header, Kind kind) {
    const std::lock_guard lock(m_mutex);
    const bool earlier = header.generation != m_generation;
    if (!earlier && kind == Kind::kScratch) m_isScratch[header.block] = true;
    m_changes.push_back({.bytes = -header.bytes, .block = earlier ? kEarlier : header.block});
  }

  c10::Allocator* m_inner;
  FreshMemory m_fresh;
  mutable std::mutex m_mutex;
  std::vector<Change> m_changes;  // in order of time, since the restart
  std::vector<bool> m_isScratch;  // by block
  std::uint32_t m_generation = 0;
};

CountingAllocator::CountingAllocator(FreshMemory fresh) : m_wrapper(std::make_shared<Wrapper>(fresh)) {
  c10::SetCPUAllocator(m_wrapper.get(), kPriority);
}

CountingAllocator::~CountingAllocator() { c10::SetCPUAllocator(m_wrapper->inner(), kPriority); }

void CountingAllocator::restart() { m_wrapper->restart(); }
std::int64_t CountingAllocator::peakBytes() const { return m_wrapper->peak(); }
std::int64_t CountingAllocator::aliveBytes() const { return m_wrapper->alive(); }
std::int64_t CountingAllocator::allocations() const { return m_wrapper->allocations(); }

}  // namespace attnscope::engine
