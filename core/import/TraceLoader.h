// SPDX-License-Identifier: Apache-2.0
#pragma once

// Opens a Chrome trace (JSON, plain or gzip) and makes a complete Trace of it. Synchronous; call it from any thread.
// A stop is noticed within 64k events and leaves nothing behind. Throws nothing.

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/trace/Trace.h"

namespace attnscope {

struct LoadOptions {
  unsigned threads = 0;                 // 0: as many as the machine has, at most 8
  std::uint64_t blockBytes = 4u << 20;  // of text, parsed by one thread at a time
};

// Errors name what the file is instead, where (byte, event) and what to do.
[[nodiscard]] Result<std::shared_ptr<const Trace>> loadTrace(const std::string& path, const LoadOptions& options,
                                                             Progress& progress, std::stop_token stop);

}  // namespace attnscope
