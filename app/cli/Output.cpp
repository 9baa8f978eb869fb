// SPDX-License-Identifier: Apache-2.0
#include "app/cli/Output.h"

namespace attnscope::cli {

void Output::flush() {
  if (m_good && !m_buffer.empty()) {
    m_good = std::fwrite(m_buffer.data(), 1, m_buffer.size(), m_file) == m_buffer.size() && std::fflush(m_file) == 0;
  }
  m_buffer.clear();
}

}  // namespace attnscope::cli
