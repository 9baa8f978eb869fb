// SPDX-License-Identifier: Apache-2.0
#include "app/cli/Commands.h"
#include "core/export/ChromeTraceWriter.h"

namespace attnscope::cli {

Outcome runConvert(const Context& context) {
  const auto loaded = loadFor(context, context.options.files.front());
  if (!loaded) return tl::unexpected(loaded.error());
  Progress progress;
  const Result<void> written = writeChromeTrace(**loaded, context.options.output, progress, context.stop);
  if (!written) return failure(context.options.output, written.error());
  return {};
}

}  // namespace attnscope::cli
