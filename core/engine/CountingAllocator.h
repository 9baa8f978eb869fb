// SPDX-License-Identifier: Apache-2.0
#pragma once

// Counts what tensors allocate on the CPU, on all threads, while it lives: LibTorch's allocator is wrapped and put
// back afterwards. What oneDNN takes from it for a product (packed operands) is left out, and what MKL takes never
// comes from it. Tensors may outlive it. One at a time in a process; made and destroyed while no other thread allocates
// tensors. Some 100 ns and 16 bytes an allocation since the restart: nothing is timed while it lives.

#include <cstdint>
#include <memory>

namespace attnscope::engine {

// kPoison fills new memory with bytes that are NaN in every floating type, so that what is never written shows.
enum class FreshMemory : std::uint8_t { kAsItIs, kPoison };

class CountingAllocator {
 public:
  explicit CountingAllocator(FreshMemory fresh = FreshMemory::kAsItIs);
  CountingAllocator(const CountingAllocator&) = delete;
  CountingAllocator& operator=(const CountingAllocator&) = delete;
  ~CountingAllocator();

  // From here on peakBytes() counts from what is allocated now.
  void restart();
  // Most bytes that were alive at once, less those alive at the restart.
  [[nodiscard]] std::int64_t peakBytes() const;
  // Alive now, less those alive at the restart; what was allocated before this object is not counted.
  [[nodiscard]] std::int64_t aliveBytes() const;
  [[nodiscard]] std::int64_t allocations() const;  // since the restart

 private:
  class Wrapper;
  std::shared_ptr<Wrapper> m_wrapper;
};

}  // namespace attnscope::engine
