// SPDX-License-Identifier: Apache-2.0
#pragma once

// A few threads that take numbered items from one counter, so that a worker which is held up takes fewer. The caller is
// worker 0. Used by one thread at a time; the workers sleep between runs, after a short wait for the next one.

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace attnscope::kernels {

class WorkerPool {
 public:
  using Item = std::function<void(int worker, std::int64_t item)>;

  explicit WorkerPool(int workers);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  ~WorkerPool();

  [[nodiscard]] int workers() const { return static_cast<int>(m_threads.size()) + 1; }
  // Calls work(worker, item) once for each item of [0, items) and returns when all are done. `work` must not throw.
  void run(std::int64_t items, const Item& work);

 private:
  void serve(int worker);
  void takeItems(int worker);
  [[nodiscard]] std::uint32_t nextTurn(std::uint32_t seen) const;

  std::vector<std::thread> m_threads;
  std::atomic<std::uint32_t> m_turn{0};  // rises with each run
  std::atomic<bool> m_ending{false};
  std::atomic<int> m_busy{0};  // threads that have not finished this turn
  std::atomic<std::int64_t> m_next{0};
  std::int64_t m_items = 0;
  const Item* m_work = nullptr;
};

}  // namespace attnscope::kernels
