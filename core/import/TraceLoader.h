// SPDX-License-Identifier: Apache-2.0
#pragma once

// Opens a Chrome trace (JSON, plain or packed with gzip, zstd or zip, from a file or a pipe) and makes a complete Trace
// of it. Synchronous; call it from any thread. A stop is noticed within 64k events and leaves nothing behind. Throws
// nothing.

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/trace/Trace.h"

namespace attnscope {

// How much text packed bytes may become: `always`, or `ratio` times as many bytes where that is more. What lies beyond
// is left out, with `unpack.limit` under health. Traces pack to a tenth or a thirtieth.
struct UnpackLimits {
  std::uint64_t ratio = 200;
  std::uint64_t always = std::uint64_t{1} << 30;
};

struct LoadOptions {
  unsigned threads = 0;                 // 0: as many as the machine has, at most 8
  std::uint64_t blockBytes = 4u << 20;  // of text, parsed by one thread at a time
  UnpackLimits limits;
  // Gets a Trace of the file's beginning (Trace::partial) while the rest is read, at most once, on the thread that
  // loads. Its args cannot be read yet. Of a file that is nearly read by then it gets none.
  std::function<void(std::shared_ptr<const Trace>)> onBeginning;
  std::uint64_t beginningBytes = 24u << 20;  // of text
};

// Errors name what the file is instead, where (byte, event) and what to do. `path` may be "-" for standard input, a
// pipe, or `FILE#member` of a zip archive; an archive of several traces without a member is kUsage and lists them.
[[nodiscard]] Result<std::shared_ptr<const Trace>> loadTrace(const std::string& path, const LoadOptions& options,
                                                             Progress& progress, std::stop_token stop);

// The traces of a zip archive as loadTrace() takes them, `FILE#member`; empty for a file that is no archive.
[[nodiscard]] Result<std::vector<std::string>> tracesInside(const std::string& path);

}  // namespace attnscope
