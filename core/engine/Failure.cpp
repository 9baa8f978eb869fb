// SPDX-License-Identifier: Apache-2.0
#include "core/engine/Failure.h"

namespace attnscope::engine {

std::string firstLine(const std::exception& exception) {
  const std::string text = exception.what();
  return text.substr(0, text.find('\n'));
}

}  // namespace attnscope::engine
