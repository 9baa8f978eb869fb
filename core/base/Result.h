// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a file, a device or a user can cause to fail is a Result<T>; our own mistakes are assertions.
// Immutable values, any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace attnscope {

enum class ErrorKind : std::uint8_t {
  kUsage,      // the caller asked for something that does not exist
  kInput,      // an input could not be read at all
  kCancelled,  // a stop was requested
  kInternal,   // a limit of ours, or a fault of ours that was caught at a room's border
};

// One sentence each: what happened to which thing (`what`), and what to do about it (`remedy`).
struct Error {
  ErrorKind kind = ErrorKind::kInput;
  std::string what;
  std::string remedy;
  std::optional<std::uint64_t> byte;   // offset in the unpacked text where it happened
  std::optional<std::uint64_t> event;  // elements of traceEvents read before it

  // "what happened (byte N): what to do", as the command line prints it after the file's name.
  [[nodiscard]] std::string message() const;
};

template <class T>
using Result = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }
[[nodiscard]] tl::unexpected<Error> cancelled();

}  // namespace attnscope
