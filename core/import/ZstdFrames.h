// SPDX-License-Identifier: Apache-2.0
#pragma once

// Unpacks zstd, of any number of frames.

#include <cstdint>
#include <functional>
#include <string_view>

#include "core/base/Result.h"
#include "core/import/FileHandle.h"

namespace attnscope {

enum class ZstdEnd : std::uint8_t { kWhole, kCut, kDamaged };

// Whether these first bytes are those of a frame, or of one to be skipped.
[[nodiscard]] bool beginsAsZstd(std::string_view head);

// Gives the text in pieces to `take`, with the packed bytes that it cost; `take` returns an error to stop. Fails for
// frames that need more than 128 MB to be unpacked.
[[nodiscard]] Result<ZstdEnd> unpackZstd(const FileHandle& file,
                                         const std::function<Result<void>(std::string_view, std::uint64_t)>& take);

}  // namespace attnscope
