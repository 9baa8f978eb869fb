// SPDX-License-Identifier: Apache-2.0
#pragma once

// The engine's border: what LibTorch throws inside becomes an Error.

#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/base/Result.h"

namespace attnscope::engine {

// What a person's own code does wrong, in words for that person: shown whole, with its lines.
struct UserCodeError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The first line of what LibTorch says, without its back-trace.
[[nodiscard]] std::string firstLine(const std::exception& exception);

// Calls `work`, which returns a Result; an exception is an error that says `doing` could not be done.
template <class Work>
[[nodiscard]] auto guarded(const char* doing, Work&& work) -> decltype(work()) {
  try {
    return std::forward<Work>(work)();
  } catch (const std::exception& exception) {
    Error error;
    error.kind = ErrorKind::kInternal;
    error.what = std::string(doing) + " failed: " + firstLine(exception);
    return fail(std::move(error));
  }
}

}  // namespace attnscope::engine
