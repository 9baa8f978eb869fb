// SPDX-License-Identifier: Apache-2.0
#include "core/import/ZstdFrames.h"

#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <memory>
#include <string>

namespace attnscope {

bool beginsAsZstd(std::string_view head) {
  if (head.size() < 4) return false;
  const bool skippable = (static_cast<unsigned char>(head[0]) & 0xF0) == 0x50 && head.substr(1, 3) == "\x2A\x4D\x18";
  return skippable || head.substr(0, 4) == "\x28\xB5\x2F\xFD";
}

Result<ZstdEnd> unpackZstd(const FileHandle& file,
                           const std::function<Result<void>(std::string_view, std::uint64_t)>& take) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), &ZSTD_freeDCtx);
  std::string packed(ZSTD_DStreamInSize(), '\0');
  std::string text(ZSTD_DStreamOutSize(), '\0');
  std::size_t wanted = 0;  // by the frame that is open; 0 between frames
  for (std::uint64_t at = 0; at < file.bytes();) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(packed.size(), file.bytes() - at));
    if (auto got = file.read(packed.data(), at, count); !got) return tl::unexpected<Error>(got.error());
    at += count;
    ZSTD_inBuffer in{packed.data(), count, 0};
    bool full = false;  // the output was, so more may wait inside
    while (in.pos < in.size || full) {
      const std::size_t before = in.pos;
      ZSTD_outBuffer out{text.data(), text.size(), 0};
      wanted = ZSTD_decompressStream(context.get(), &out, &in);
      if (ZSTD_isError(wanted) != 0) {
        if (ZSTD_getErrorCode(wanted) == ZSTD_error_frameParameter_windowTooLarge)
          return fail({.kind = ErrorKind::kInput,
                       .what = "this is compressed with a zstd window of more than 128 MB",
                       .remedy = "unpack it with zstd -d --long=31",
                       .byte = {},
                       .event = {}});
        return ZstdEnd::kDamaged;
      }
      if (auto taken = take({text.data(), out.pos}, in.pos - before); !taken)
        return tl::unexpected<Error>(taken.error());
      full = out.pos == out.size;
    }
  }
  return wanted == 0 ? ZstdEnd::kWhole : ZstdEnd::kCut;
}

}  // namespace attnscope
