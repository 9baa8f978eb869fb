// SPDX-License-Identifier: Apache-2.0
#pragma once

// The way of most events through EventParser: one whose layout is known is read by comparing. Whatever is unusual ends
// it with nothing done, and the event is read again by the grammar. Ends of values are found without branches on
// their length, which nothing foretells.
//
// Included by one translation unit for each instruction set. What is used here and is no template of `Bytes` must not
// be an inline function that the compiler may leave out of line: the linker would take one for all.

#include "core/import/EventParser.h"
#include "core/import/JsonScan.h"
#include "core/import/WideBytes.h"

namespace attnscope {

namespace shaped {

inline constexpr std::ptrdiff_t kReach = 256;  // of a step, and of what is looked at behind it

// nullptr where the usual look does not show the end: another one is needed then.
template <class Bytes>
const char* stringEnd(const char* p) {
  const Bytes bytes = Bytes::load(p + 1);
  const std::uint64_t marks = bytes.equal('"') | bytes.equal('\\');
  const char* const at = p + 1 + __builtin_ctzll(marks | 1ull << 63);
  return *at == '"' ? at + 1 : nullptr;
}

// Where that is wrong no step stands there, for a step begins with a byte that ends a scalar.
template <class Bytes>
const char* scalarEnd(const char* p) {
  const Bytes bytes = Bytes::load(p);
  const std::uint64_t marks = bytes.atMost(' ') | bytes.equal(',') | bytes.equalFolded('}');
  return p + __builtin_ctzll(marks | 1ull << 63);
}

// Of a list without objects: braces outside of strings are unusual, and so need not be told from brackets here.
template <class Bytes>
const char* listEnd(const char* p, const char* end) {
  std::int64_t depth = 0;
  std::uint64_t inString = 0;  // all bits, where the last 64 bytes ended in one
  for (; end - p >= kReach; p += 64) {
    const Bytes bytes = Bytes::load(p);
    if (bytes.equal('\\') != 0) return nullptr;
    const std::uint64_t strings = Bytes::parity(bytes.equal('"')) ^ inString;
    inString = static_cast<std::uint64_t>(static_cast<std::int64_t>(strings) >> 63);
    const std::uint64_t open = bytes.equal('[') & ~strings;
    std::uint64_t close = bytes.equal(']') & ~strings;
    const std::uint64_t braces = (bytes.equal('{') | bytes.equal('}')) & ~strings;
    if (__builtin_popcountll(close) >= depth) {
      std::int64_t closed = depth;
      for (; close != 0; close &= close - 1) {
        --closed;
        const std::uint64_t before = (close & (0 - close)) - 1;
        if (closed + __builtin_popcountll(open & before) != 0) continue;
        return (braces & before) == 0 ? p + __builtin_ctzll(close) + 1 : nullptr;
      }
      depth = closed + __builtin_popcountll(open);
    } else {
      depth += __builtin_popcountll(open) - __builtin_popcountll(close);
    }
    if (braces != 0) return nullptr;
  }
  return nullptr;
}

}  // namespace shaped

template <class Bytes>
const char* EventParser::shapedValue(const char* p) const {
  const char first = *p;
  if (first == '"') return shaped::stringEnd<Bytes>(p);
  if (first == '[') return shaped::listEnd<Bytes>(p, usualContainerEnd(p));
  const char digit = first == '-' ? p[1] : first;
  return digit >= '0' && digit <= '9' ? shaped::scalarEnd<Bytes>(p) : nullptr;
}

template <class Bytes>
const char* EventParser::readShaped(const char* p) {
  clearEvent();
  const char* argsBegin = nullptr;
  if (m_end - p < shaped::kReach) return nullptr;
  const EventShapes::StepId first = m_shapes.first<Bytes>(m_firstStep, p);
  for (EventShapes::StepId at = first;; at = m_shapes.follow<Bytes>(at, p)) {
    if (at == EventShapes::kRoot) return nullptr;
    EventShapes::Step& step = m_shapes.step(at);
    if (step.holdsMore) {
      for (std::size_t i = 0; i < step.fixedCount; ++i) {
        const EventShapes::FixedValue& fixed = step.fixed[i];
        m_fields[static_cast<std::size_t>(fixed.key)] = {p + fixed.begin, fixed.length, false};
      }
      if (step.holdsCategory) m_categoryOfStep = &step.category;
      if (step.holdsThread) m_threadOfStep = &step.thread;
      if (step.argsBegin != EventShapes::kNowhere) argsBegin = p + step.argsBegin;
      if (step.argsEnd != EventShapes::kNowhere) {
        const char* const argsEnd = p + step.argsEnd;
        m_fields[kArgsField] = {argsBegin, static_cast<std::uint32_t>(argsEnd - argsBegin), false};
      }
    }
    p += step.length;
    if (step.ends) break;
    bool escaped = false;
    const char* const begin = p;
    p = shapedValue<Bytes>(begin);
    if (p == nullptr) p = unusualValue(begin, escaped);
    if (p == nullptr || m_end - p < shaped::kReach) return nullptr;
    const Token value{begin, static_cast<std::uint32_t>(p - begin), escaped};
    const std::size_t slot = step.slot;
    if (slot < EventShapes::kFirstArg) {
      if (slot == kArgsField && *begin == '{') return nullptr;  // its members are of interest
      m_fields[slot] = value;
    } else {
      if (m_argCount == m_args.size()) return nullptr;
      m_args[m_argCount++] = {static_cast<ArgKey>(slot - EventShapes::kFirstArg), value};
    }
  }
  m_firstStep = first;
  takeArgs();
  return p;
}

}  // namespace attnscope
