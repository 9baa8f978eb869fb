// SPDX-License-Identifier: Apache-2.0
#include "core/engine/kernels/WorkerPool.h"

namespace attnscope::kernels {
namespace {

// Some microseconds: as long as a call takes to prepare the next one. A longer wait would take a core from others.
constexpr int kLooksBeforeSleep = 2000;

}  // namespace

WorkerPool::WorkerPool(int workers) {
  for (int worker = 1; worker < workers; ++worker) m_threads.emplace_back([this, worker] { serve(worker); });
}

WorkerPool::~WorkerPool() {
  m_ending.store(true);
  m_turn.fetch_add(1);
  m_turn.notify_all();
  for (std::thread& thread : m_threads) thread.join();
}

void WorkerPool::run(std::int64_t items, const Item& work) {
  m_items = items;
  m_work = &work;
  m_next.store(0, std::memory_order_relaxed);
  // A run of one item needs no other thread.
  if (m_threads.empty() || items <= 1) {
    takeItems(0);
    return;
  }
  m_busy.store(static_cast<int>(m_threads.size()), std::memory_order_relaxed);
  m_turn.fetch_add(1, std::memory_order_release);
  m_turn.notify_all();
  takeItems(0);
  for (int looks = 0; looks < kLooksBeforeSleep && m_busy.load(std::memory_order_acquire) > 0; ++looks) {
  }
  for (int busy = m_busy.load(std::memory_order_acquire); busy > 0; busy = m_busy.load(std::memory_order_acquire)) {
    m_busy.wait(busy, std::memory_order_acquire);
  }
}

std::uint32_t WorkerPool::nextTurn(std::uint32_t seen) const {
  for (int looks = 0; looks < kLooksBeforeSleep; ++looks) {
    const std::uint32_t turn = m_turn.load(std::memory_order_acquire);
    if (turn != seen) return turn;
  }
  m_turn.wait(seen, std::memory_order_acquire);
  return m_turn.load(std::memory_order_acquire);
}

void WorkerPool::serve(int worker) {
  std::uint32_t seen = 0;
  while (true) {
    seen = nextTurn(seen);
    if (m_ending.load()) return;
    takeItems(worker);
    if (m_busy.fetch_sub(1, std::memory_order_acq_rel) == 1) m_busy.notify_one();
  }
}

void WorkerPool::takeItems(int worker) {
  for (std::int64_t item = m_next.fetch_add(1, std::memory_order_relaxed); item < m_items;
       item = m_next.fetch_add(1, std::memory_order_relaxed)) {
    (*m_work)(worker, item);
  }
}

}  // namespace attnscope::kernels
