// SPDX-License-Identifier: Apache-2.0
#include "core/base/Result.h"

#include <fmt/format.h>

namespace attnscope {

std::string Error::message() const {
  std::string text = what;
  if (byte) text += fmt::format(" (byte {})", *byte);
  if (!remedy.empty()) text += ": " + remedy;
  return text;
}

tl::unexpected<Error> cancelled() {
  return fail({.kind = ErrorKind::kCancelled, .what = "cancelled", .remedy = {}, .byte = {}, .event = {}});
}

}  // namespace attnscope
