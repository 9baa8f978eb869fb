// SPDX-License-Identifier: Apache-2.0
#pragma once

// Unpacks gzip, of any number of members, on a thread of its own into reserved address space. The state of the
// inflater is saved every few MB, so that a range of the text can be unpacked again without starting over.

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/import/FileHandle.h"
#include "core/import/TextSource.h"

struct inflate_state;

namespace attnscope {

struct InflateCheckpoint {
  std::uint64_t textOffset = 0;
  std::uint64_t fileOffset = 0;
  std::shared_ptr<const inflate_state> state;
};

[[nodiscard]] Result<std::unique_ptr<TextSource>> openGzip(std::shared_ptr<const FileHandle> file,
                                                           const UnpackLimits& limits, Progress& progress,
                                                           std::stop_token stop);

}  // namespace attnscope
