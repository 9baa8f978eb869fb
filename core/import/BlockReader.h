// SPDX-License-Identifier: Apache-2.0
#pragma once

// Parses an array of events in blocks side by side. Where a block begins is guessed; the guess holds only if the
// reading of everything before it leads exactly there, else the part is read again from where the reading led.

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/import/TextSource.h"
#include "core/import/TraceLoader.h"
#include "core/trace/RawEvents.h"

namespace attnscope {

struct BlocksRead {
  std::uint64_t at = 0;              // behind the closing bracket, or where the text ended
  bool closed = false;               // the closing bracket was read
  bool insideElement = false;        // the text ended inside an event, which begins at `at`
  std::optional<Int128> outOfRange;  // a time too far from the clock's origin for 64 bits
};

class BlockReader {
 public:
  BlockReader(TextSource& source, const LoadOptions& options, Int128 clockOrigin, Progress& progress,
              std::stop_token stop)
      : m_source(source),
        m_options(options),
        m_clockOrigin(clockOrigin),
        m_progress(progress),
        m_stop(std::move(stop)) {}

  // From behind the opening bracket; blocks are appended to raw.blocks in order. `onBeginning` is called once, when
  // they hold LoadOptions::beginningBytes of text.
  Result<BlocksRead> run(std::uint64_t begin, RawTrace& raw, std::function<void()> onBeginning);

 private:
  TextSource& m_source;
  const LoadOptions& m_options;
  Int128 m_clockOrigin;
  Progress& m_progress;
  std::stop_token m_stop;
};

}  // namespace attnscope
