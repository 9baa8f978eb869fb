// SPDX-License-Identifier: Apache-2.0
#pragma once

// From a name to the file that holds a trace's text. What a file is, its first bytes say and not its name. Pipes and
// what is packed with zstd or zip are written to a temporary file first (Spool); gzip is not, it is unpacked while it
// is read. Names of members are compared and shown, and never used as paths.

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/import/FileHandle.h"
#include "core/import/TraceLoader.h"
#include "core/trace/TraceHealth.h"

namespace attnscope {

struct Input {
  std::shared_ptr<const FileHandle> file;  // plain text or gzip
  std::uint64_t fileBytes = 0;             // of what was named, as it lies on the disk or came through the pipe
  TraceHealth health;                      // what unpacking met
};

// `name`: a file, `FILE#member` of a zip archive, a pipe, or "-" for standard input. A pipe is waited for until its
// writer ends, or a stop. kUsage: an archive of several traces, without a member or with one that it does not have.
[[nodiscard]] Result<Input> openInput(const std::string& name, const UnpackLimits& limits, Progress& progress,
                                      const std::stop_token& stop);

// `packed` bytes may become as many of text as this.
[[nodiscard]] std::uint64_t mostText(const UnpackLimits& limits, std::uint64_t packed);
// That text was left out there for it.
void noteLimit(TraceHealth& health, std::uint64_t byte);

}  // namespace attnscope
