// SPDX-License-Identifier: Apache-2.0
#include "app/cli/SessionMembers.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "app/cli/CommandLine.h"

namespace attnscope::cli {

namespace {

namespace fs = std::filesystem;

bool isFile(const std::string& name) {
  std::error_code error;
  return fs::is_regular_file(name, error);
}

bool isMeant(const Session& session, const SessionTrace& trace, const std::string& member) {
  return member == memberName(trace) || member == trace.entry ||
         member == session.result.implementations[trace.position].id || member == letterOf(trace.position);
}

}  // namespace

// By its name as well: a cut one is a damaged session, and no zip of something else.
bool isSessionFile(const std::string& file) {
  if (!isFile(file)) return false;
  std::error_code error;
  return looksLikeAttn(file) || (fs::path(file).extension() == ".attn" && fs::file_size(file, error) > 0);
}

tl::expected<Session, Failure> readSession(const std::string& file) {
  auto session = readAttn(file);
  if (!session) return failure(file, session.error());
  return std::move(*session);
}

std::string memberName(const SessionTrace& trace) { return trace.entry.substr(trace.entry.find_last_of('/') + 1); }

std::string membersInWords(const std::string& file, const Session& session) {
  std::string words;
  for (const SessionTrace& trace : session.traces) {
    words += fmt::format("{}{}#{}", words.empty() ? "" : ", ", file, memberName(trace));
  }
  return words;
}

tl::expected<std::optional<SessionInput>, Failure> sessionInput(const std::string& given) {
  SessionInput input;
  std::string member;
  if (isSessionFile(given)) {
    input.file = given;
  } else {
    const std::size_t hash = given.find_last_of('#');
    if (hash == std::string::npos || isFile(given) || !isSessionFile(given.substr(0, hash))) return std::nullopt;
    input.file = given.substr(0, hash);
    member = given.substr(hash + 1);
  }
  auto session = readSession(input.file);
  if (!session) return tl::unexpected(session.error());
  input.session = std::move(*session);
  if (input.file == given) return input;

  const auto& traces = input.session.traces;
  const auto found = std::find_if(traces.begin(), traces.end(),
                                  [&](const SessionTrace& trace) { return isMeant(input.session, trace, member); });
  if (found != traces.end()) {
    input.member = static_cast<std::size_t>(found - traces.begin());
    return input;
  }
  Error error;
  error.kind = ErrorKind::kUsage;
  error.what = fmt::format("it has no trace \"{}\"", member);
  error.remedy = traces.empty() ? "it has none at all: it was run without profiling"
                                : "use one of " + membersInWords(input.file, input.session);
  return failure(input.file, std::move(error));
}

tl::expected<std::shared_ptr<const Trace>, Failure> loadMember(const Context& context, const SessionInput& input,
                                                               const SessionTrace& member) {
  const std::string name = fmt::format("{}#{}", input.file, memberName(member));
  const auto folder = context.scratch.newFolder();
  if (!folder) return failure(name, folder.error());
  const fs::path target = *folder / memberName(member);
  if (const Result<void> done = extractTrace(input.file, member.entry, target); !done) {
    return failure(name, done.error());
  }
  return loadFileFor(context, target.string(), name);
}

}  // namespace attnscope::cli
