// SPDX-License-Identifier: Apache-2.0
#pragma once

// How far a long task is, written by the worker and read by anybody. Lock-free; values only grow
// within a stage. Percentages are shown only where `total` is real (not 0).

#include <atomic>
#include <cstdint>

namespace attnscope {

class Progress {
 public:
  void enter(const char* stage, std::uint64_t total) {  // `stage` has static storage
    m_done.store(0, std::memory_order_relaxed);
    m_total.store(total, std::memory_order_relaxed);
    m_stage.store(stage, std::memory_order_release);
  }
  void advance(std::uint64_t by) { m_done.fetch_add(by, std::memory_order_relaxed); }
  void addEvents(std::uint64_t by) { m_events.fetch_add(by, std::memory_order_relaxed); }

  [[nodiscard]] const char* stage() const { return m_stage.load(std::memory_order_acquire); }
  [[nodiscard]] std::uint64_t done() const { return m_done.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t total() const { return m_total.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t events() const { return m_events.load(std::memory_order_relaxed); }

 private:
  std::atomic<const char*> m_stage{""};
  std::atomic<std::uint64_t> m_done{0};
  std::atomic<std::uint64_t> m_total{0};
  std::atomic<std::uint64_t> m_events{0};
};

}  // namespace attnscope
