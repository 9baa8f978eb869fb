// SPDX-License-Identifier: Apache-2.0
// The scanner over text that ends anywhere: no end lies outside, and what a shorter text tells a longer one tells too.
#include <cstring>
#include <string>

#include "core/import/JsonScan.h"
#include "core/trace/ArgsText.h"
#include "tests/fuzz/MemoryFile.h"

using attnscope::fuzz::require;

namespace {

std::ptrdiff_t valueEndIn(const std::string& padded, std::size_t size) {
  const char* const begin = padded.data();
  const char* const end = attnscope::scan::valueEnd(begin, begin + size);
  if (end == nullptr) return -1;
  require(end >= begin && end <= begin + size);
  return end - begin;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string padded = text + std::string(attnscope::scan::kScanPadding, '\0');
  const char* const begin = padded.data();
  const char* const end = begin + size;
  const char* const gap = attnscope::scan::skipSpace(begin, end);
  require(gap >= begin && gap <= end);
  bool escaped = false;
  const char* const quote = attnscope::scan::closingQuote(begin, end, escaped);
  require(quote == nullptr || (quote < end && *quote == '"'));
  require(escaped || quote == nullptr || std::memchr(begin, '\\', static_cast<std::size_t>(quote - begin)) == nullptr);

  const std::ptrdiff_t whole = valueEndIn(padded, size);
  const std::ptrdiff_t half = valueEndIn(padded, size / 2);
  if (half >= 0 && size != 0 && (*begin == '"' || *begin == '{' || *begin == '[')) require(half == whole);
  // The two readers of values agree where brackets and quotes say where a value ends.
  if (whole > 0 && (*begin == '"' || *begin == '{' || *begin == '['))
    require(attnscope::valueEnd(text, 0) == static_cast<std::size_t>(whole));

  std::size_t held = 0;
  for (const attnscope::ArgsMember& member : attnscope::argsMembers(text)) {
    held += member.key.size() + member.value.size();
    require(attnscope::argsValue(text, member.key).has_value());
  }
  require(held <= size);
  (void)attnscope::decodeText(text);
  return 0;
}
