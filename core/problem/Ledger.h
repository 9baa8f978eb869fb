// SPDX-License-Identifier: Apache-2.0
#pragma once

// What one call allocates and frees, in its order, without making it: the peak of operators whose tensors live longer
// than they do, as what autograd saves for backward. O(1) an entry; saturates at the largest int64.

#include <algorithm>
#include <cstdint>

#include "core/problem/Formulas.h"

namespace attnscope {

class Ledger {
 public:
  void take(std::int64_t bytes) {
    m_alive = saturatingSum({m_alive, bytes});
    m_peak = std::max(m_peak, m_alive);
  }
  void free(std::int64_t bytes) { m_alive = std::max<std::int64_t>(0, m_alive - bytes); }
  // An operator whose result takes the place of its input, which is freed when the result is there.
  void replace(std::int64_t input, std::int64_t result) {
    take(result);
    free(input);
  }
  // What an operator needs while it runs, or an operator whose result is as large as the input that it takes the place
  // of.
  void use(std::int64_t bytes) { replace(bytes, bytes); }

  // The end of a function: all but this is freed.
  void keepOnly(std::int64_t bytes) { m_alive = std::min(m_alive, bytes); }

  [[nodiscard]] std::int64_t aliveBytes() const { return m_alive; }
  [[nodiscard]] std::int64_t peakBytes() const { return m_peak; }

 private:
  std::int64_t m_alive = 0;
  std::int64_t m_peak = 0;
};

}  // namespace attnscope
