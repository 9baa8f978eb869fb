// SPDX-License-Identifier: Apache-2.0
#pragma once

// The unpacked text of a file as one range of addresses: mapped, or unpacked by a thread of its own while others
// read its beginning. kScanPadding readable bytes follow what is there.
//
// waitFor() may be called by any thread; the rest by the one that made it.

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/import/FileHandle.h"
#include "core/import/TraceLoader.h"
#include "core/trace/Trace.h"

namespace attnscope {

class TextSource {
 public:
  struct Available {
    std::uint64_t bytes = 0;
    bool final = false;  // no more will come
  };

  virtual ~TextSource() = default;
  [[nodiscard]] virtual const char* data() const = 0;
  // Returns when at least `bytes` are there, or all that will come, or a stop is requested.
  [[nodiscard]] virtual Available waitFor(std::uint64_t bytes) = 0;
  // Bytes before `offset` will not be read again while the file is loaded.
  virtual void release(std::uint64_t offset) = 0;
  // Ends unpacking; the text is final afterwards.
  virtual void finish() = 0;
  // Whether all that was handed out was the file's.
  [[nodiscard]] virtual Result<void> intact() const { return {}; }
  // What unpacking met. After finish().
  virtual void report(TraceHealth& health) const = 0;
  // Reads ranges of the text later; `appended` lies behind it. After finish().
  [[nodiscard]] virtual std::shared_ptr<const ArgsSource> argsSource(std::string appended) = 0;
  [[nodiscard]] virtual std::uint64_t fileBytes() const = 0;
};

// Plain text or gzip, by its first bytes. The source tells `progress` the bytes of the file that it is done with.
[[nodiscard]] Result<std::unique_ptr<TextSource>> openText(std::shared_ptr<const FileHandle> file,
                                                           const UnpackLimits& limits, Progress& progress,
                                                           std::stop_token stop);

}  // namespace attnscope
