// SPDX-License-Identifier: Apache-2.0
#include "app/cli/CompareAnswer.h"

namespace attnscope::cli {

Outcome runCompare(const Context& context) {
  const auto answer = makeCompareAnswer(context);
  if (!answer) return tl::unexpected(answer.error());
  switch (context.options.form) {
    case OutputForm::kJson:
      writeCompareJson(context.output, *answer);
      break;
    case OutputForm::kCsv:
      writeCompareCsv(context.output, *answer);
      break;
    default:
      writeCompareText(context, *answer);
  }
  return {};
}

}  // namespace attnscope::cli
