// SPDX-License-Identifier: Apache-2.0
#pragma once

// The two builds of the kernels' templates: NoWatch is empty and leaves no instruction; StampWatch ends each step with
// a look at the clock, where the next one begins, so that the steps of an item leave no time between them.

#include <time.h>  // NOLINT: clock_gettime

#include "core/engine/kernels/KernelTypes.h"
#include "core/engine/kernels/TileWatch.h"

namespace attnscope::kernels {
namespace {

struct NoWatch {
  static constexpr bool kOn = false;
  KERNEL_INLINE explicit NoWatch(const ItemTask&) {}
};

class StampWatch {
 public:
  static constexpr bool kOn = true;

  explicit StampWatch(const ItemTask& task) : m_task(task), m_last(now()) {}

  // A step of rows [firstRow, firstRow + rows) of the item with keys [from, to).
  void end(const KernelArguments& arguments, TileStep step, Index firstRow, Index rows, Index from, Index to) {
    const std::int64_t start = m_last;
    m_last = now();
    TileLog& log = *m_task.log;
    if (log.next == log.end) {
      ++log.dropped;
      return;
    }
    TileRecord& record = *log.next++;
    record.startNs = start;
    record.endNs = m_last;
    record.batch = static_cast<std::int32_t>(m_task.batch);
    record.keyValueHead = static_cast<std::int32_t>(m_task.keyValueHead);
    record.firstRow = static_cast<std::int32_t>(m_task.firstRow + firstRow);
    record.rows = static_cast<std::int32_t>(rows);
    record.firstQuery = static_cast<std::int32_t>(placeOf(arguments, m_task, firstRow).query);
    record.endQuery = static_cast<std::int32_t>(placeOf(arguments, m_task, firstRow + rows - 1).query + 1);
    record.firstKey = static_cast<std::int32_t>(from);
    record.endKey = static_cast<std::int32_t>(to);
    record.states = -1;
    record.step = step;
  }

  // The rows of the step that ended last, after it. factor: ScoreScale's.
  void keepStates(const float* largest, const float* sums, Index rows, float factor) {
    TileLog& log = *m_task.log;
    if (log.dropped > 0 || log.nextState + rows > log.endState) return;
    log.next[-1].states = log.nextState;
    for (Index row = 0; row < rows; ++row) {
      const bool nothing = largest[row] == kLowest;
      log.states[log.nextState++] = {nothing ? -kInfinity : largest[row] * factor * kLn2, sums[row]};
    }
    m_last = now();
  }

 private:
  static std::int64_t now() {
    timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  }

  const ItemTask& m_task;
  std::int64_t m_last;
};

}  // namespace
}  // namespace attnscope::kernels
