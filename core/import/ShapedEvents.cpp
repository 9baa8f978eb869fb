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

void EventParser::takeFixed(EventShapes::Step& step, const char* p) {
  for (const EventShapes::FixedValue& fixed : step.fixed) m_fields[fixed.key] = {p + fixed.begin, fixed.length, false};
  if (step.holdsCategory) m_categoryOfStep = &step.category;
  if (step.holdsThread) m_threadOfStep = &step.thread;
}

// Words, long texts, escapes: as the grammar takes them.
const char* EventParser::unusualValue(const char* p, bool& escaped) const {
  if (*p == '"') {
    const char* const quote = scan::closingQuote(p + 1, m_end, escaped);
    return quote == nullptr ? nullptr : quote + 1;
  }
  if (*p == '[' || *p == '{') return scan::containerEnd(p, usualContainerEnd(p));
  const char* const end = scan::scalarEnd(p, m_end);
  if (end == nullptr || end == p) return nullptr;
  const char digit = *p == '-' ? p[1] : *p;
  if (digit >= '0' && digit <= '9') return end;
  const std::string_view word(p, static_cast<std::size_t>(end - p));
  return word == "true" || word == "false" || word == "null" ? end : nullptr;
}

// False: not by its layout.
bool EventParser::takeValue(const EventShapes::Step& step, const Token& value) {
  if (!step.inArgs) {
    if (step.key.event == EventKey::kArgs && *value.begin == '{') return false;  // its members are of interest
    m_fields[step.key.event] = value;
  } else if (step.key.arg != ArgKey::kOther) {
    if (m_argCount == m_args.size()) return false;
    m_args[m_argCount++] = {step.key.arg, value};
  }
  return true;
}

void EventParser::takeArgs() {
  for (std::size_t i = 0; i < m_argCount; ++i) takeArg(m_args[i].key, m_args[i].value);
}

}  // namespace attnscope
