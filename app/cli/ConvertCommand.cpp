// SPDX-License-Identifier: Apache-2.0
#include "app/cli/Commands.h"
#include "core/export/ChromeTraceWriter.h"

namespace attnscope::cli {

Outcome runConvert(const Context& context) {
  const auto loaded = loadFor(context, context.options.files.front());
  if (!loaded) return tl::unexpected(loaded.error());
  const Options& options = context.options;
  WriteOptions write;
  write.keepsPersonal = options.keepPersonal;
  if (options.fromNs || options.toNs)
    write.range = TimeRange{options.fromNs.value_or(INT64_MIN), options.toNs.value_or(INT64_MAX)};
  if (write.range && (write.range->endNs <= write.range->startNs || !(*loaded)->timed ||
                      !write.range->overlaps((*loaded)->range.startNs, (*loaded)->range.endNs + 1)))
    return failure({}, {.kind = ErrorKind::kUsage,
                        .what = "convert: nothing lies between --from and --to",
                        .remedy = "the trace goes from 0 to " + std::to_string((*loaded)->range.endNs) + " ns",
                        .byte = {},
                        .event = {}});
  Progress progress;
  const Result<void> written = writeChromeTrace(**loaded, options.output, write, progress, context.stop);
  if (!written) return failure(context.options.output, written.error());
  return {};
}

}  // namespace attnscope::cli
