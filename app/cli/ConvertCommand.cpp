// SPDX-License-Identifier: Apache-2.0
#include "app/cli/Commands.h"

namespace attnscope::cli {

Outcome runConvert(const Context& context) {
  const auto loaded = loadFor(context, context.options.files.front());
  if (!loaded) return tl::unexpected(loaded.error());
  Error error;
  error.kind = ErrorKind::kUsage;
  error.what = "convert is not there yet";
  return failure({}, error);
}

}  // namespace attnscope::cli
