// SPDX-License-Identifier: Apache-2.0
// What reading events by their layouts has in common, whatever the instruction set.
#include <algorithm>
#include <cstring>

#include "core/import/EventParser.h"
#include "core/import/JsonScan.h"
#include "core/import/WideBytes.h"

namespace attnscope {

bool supported(ReadWith what) {
  switch (what) {
    case ReadWith::kGrammar:
    case ReadWith::kSse:
      return true;
    case ReadWith::kAvx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
             __builtin_cpu_supports("pclmul");
    case ReadWith::kAvx512:
      return supported(ReadWith::kAvx2) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512vl");
  }
  return false;
}

ReadWith fastest() {
  static const ReadWith what = supported(ReadWith::kAvx512) ? ReadWith::kAvx512
                               : supported(ReadWith::kAvx2) ? ReadWith::kAvx2
                                                            : ReadWith::kSse;
  return what;
}

EventParser::ShapedReader EventParser::shapedReader(ReadWith what) {
  switch (what) {
    case ReadWith::kGrammar:
      return &EventParser::readNothing;
    case ReadWith::kSse:
      return &EventParser::readShaped<SseBytes>;
    case ReadWith::kAvx2:
      return &EventParser::readShaped<Avx2Bytes>;
    case ReadWith::kAvx512:
      return &EventParser::readShaped<Avx512Bytes>;
  }
  return nullptr;
}

// Words, long texts, escapes: as the grammar takes them.
const char* EventParser::unusualValue(const char* p, bool& escaped) const {
  if (*p == '"') {
    const char* const quote = scan::closingQuote(p + 1, m_end, escaped);
    return quote == nullptr ? nullptr : quote + 1;
  }
  if (*p == '[' || *p == '{') {
    bool mixed = false;
    const char* const end = scan::containerEnd(p, usualContainerEnd(p), mixed);
    return mixed ? nullptr : end;
  }
  const char* const end = scan::scalarEnd(p, m_end);
  if (end == nullptr || end == p) return nullptr;
  const char digit = *p == '-' ? p[1] : *p;
  if (digit >= '0' && digit <= '9') return end;
  const std::string_view word(p, static_cast<std::size_t>(end - p));
  return word == "true" || word == "false" || word == "null" ? end : nullptr;
}

void EventParser::takeArgs() {
  for (std::size_t i = 0; i < m_argCount; ++i) takeArg(m_args[i].key, m_args[i].value);
}

}  // namespace attnscope
