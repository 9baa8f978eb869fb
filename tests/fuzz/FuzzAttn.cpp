// SPDX-License-Identifier: Apache-2.0
// A session file: read, told apart, and its session.json written again to the same.
#include <string>

#include "core/session/AttnFile.h"
#include "tests/fuzz/MemoryFile.h"

using namespace attnscope;
using fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::MemoryFile file(data, size);
  (void)looksLikeAttn(file.path());
  AttnLimits limits;
  limits.sessionJsonBytes = 1 << 20;
  const auto session = readAttn(file.path(), limits);
  require(session.has_value() || !session.error().what.empty());
  const auto result = sessionFromJson({reinterpret_cast<const char*>(data), size});
  if (result) {
    const std::string text = sessionJsonOf(result->result, result->pairs);
    const auto again = sessionFromJson(text);
    require(again.has_value() && sessionJsonOf(again->result, again->pairs) == text);
  }
  return 0;
}
