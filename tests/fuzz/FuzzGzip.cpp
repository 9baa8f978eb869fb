// SPDX-License-Identifier: Apache-2.0
// Whatever follows the mark of gzip: unpacking ends, and each range of the text can be read again.
#include <cstring>
#include <string>

#include "core/import/FileHandle.h"
#include "core/import/TextSource.h"
#include "core/import/TraceLoader.h"
#include "tests/fuzz/MemoryFile.h"

using namespace attnscope;
using fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2 || data[0] != 0x1f || data[1] != 0x8b) return 0;
  const fuzz::MemoryFile memory(data, size);
  const auto file = FileHandle::open(memory.path());
  require(file.has_value());
  Progress progress;
  const auto source = openText(*file, {}, progress, {});
  require(source.has_value());
  const TextSource::Available all = (*source)->waitFor(UINT64_MAX);
  require(all.final);
  const std::string text((*source)->data(), all.bytes);
  (*source)->finish();
  if (!(*source)->intact()) return 0;
  TraceHealth health;
  (*source)->report(health);
  const auto args = (*source)->argsSource("appended");
  for (const std::uint64_t begin : {std::uint64_t{0}, all.bytes / 3, all.bytes / 2}) {
    const auto length = static_cast<std::uint32_t>(std::min<std::uint64_t>(1000, all.bytes - begin));
    if (length == 0) continue;
    const auto again = args->read({begin, length});
    require(again.has_value() && *again == text.substr(begin, length));
  }
  const auto behind = args->read({all.bytes, 8});
  require(behind.has_value() && *behind == "appended");
  return 0;
}
