// SPDX-License-Identifier: Apache-2.0
#pragma once

// Session files among the inputs: whether a file is one, and its traces as members `FILE#A-naive.plain.json`.

#include <optional>
#include <string>
#include <vector>

#include "app/cli/Commands.h"
#include "core/session/AttnFile.h"

namespace attnscope::cli {

[[nodiscard]] bool isSessionFile(const std::string& file);
[[nodiscard]] tl::expected<Session, Failure> readSession(const std::string& file);

// "A-naive.plain.json" of "traces/A-naive.plain.json".
[[nodiscard]] std::string memberName(const SessionTrace& trace);
// "x.attn#A-naive.plain.json, x.attn#B-sdpa.flash.json".
[[nodiscard]] std::string membersInWords(const std::string& file, const Session& session);

// An input that is a session file or a member of one.
struct SessionInput {
  std::string file;  // without the member
  Session session;
  std::optional<std::size_t> member;  // into session.traces; none: all of them
};
// None: no session file is meant. A member goes by its name, its implementation's id or its letter.
[[nodiscard]] tl::expected<std::optional<SessionInput>, Failure> sessionInput(const std::string& given);

// Unpacks and reads one trace; its path is `FILE#member`.
[[nodiscard]] tl::expected<std::shared_ptr<const Trace>, Failure> loadMember(const Context& context,
                                                                             const SessionInput& input,
                                                                             const SessionTrace& member);

}  // namespace attnscope::cli
