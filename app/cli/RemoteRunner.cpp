// SPDX-License-Identifier: Apache-2.0
#include "app/cli/RemoteRunner.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/cli/ProcessOutput.h"
#include "core/problem/ProblemOptions.h"

namespace attnscope::cli {

namespace {

constexpr std::string_view kScheme = "ssh:";
constexpr std::size_t kLargestTraceBytes = 1u << 30;
constexpr std::string_view kFolderBegins = "/tmp/attnscope-";

tl::unexpected<Error> wrongHost(const std::string& host) {
  Error error;
  error.kind = ErrorKind::kUsage;
  error.what = fmt::format("--host {}: this names no machine", host);
  error.remedy = "use ssh:NAME, or ssh:NAME:/path/to/attnscope-runner";
  return fail(std::move(error));
}

// As one word of the shell there.
std::string quoted(const std::string& word) { return joinForShell(std::vector<std::string>{word}); }

std::string findProgram(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/bin:/bin" : path;
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const std::filesystem::path candidate = std::filesystem::path(rest.substr(0, colon)) / name;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(candidate, ignored)) return candidate.string();
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return name;
}

}  // namespace

Result<RemoteRunner> RemoteRunner::of(const std::string& host) {
  if (host.substr(0, kScheme.size()) != kScheme) return wrongHost(host);
  const std::string rest = host.substr(kScheme.size());
  const std::size_t colon = rest.find(':');
  RemoteRunner remote;
  remote.m_name = rest.substr(0, colon);
  // A name that begins with a dash would be an option of ssh.
  if (remote.m_name.empty() || remote.m_name.front() == '-') return wrongHost(host);
  if (colon != std::string::npos) remote.m_runner = rest.substr(colon + 1);
  return remote.m_runner.empty() ? Result<RemoteRunner>(wrongHost(host)) : remote;
}

RunnerCommand RemoteRunner::remotely(const std::string& commandLine) const {
  const char* named = std::getenv("ATTNSCOPE_SSH");
  const std::string ssh = findProgram(named != nullptr && *named != '\0' ? named : "ssh");
  // No question can be answered here: without a key the run fails at once and says so.
  return {{ssh, "-T", "-o", "BatchMode=yes", m_name, commandLine}, {}};
}

RunnerCommand RemoteRunner::command() const { return remotely(quoted(m_runner) + " run"); }

Result<std::string> RemoteRunner::answerTo(const std::string& commandLine, std::stop_token stop) const {
  Result<ProcessOutput> said = outputOf(remotely(commandLine), kLargestTraceBytes, stop);
  if (!said) return tl::unexpected<Error>(std::move(said.error()));
  if (said->exitCode == 0) return std::move(said->output);
  Error error;
  error.what = fmt::format("{} did not do what it was asked{}{}", m_name, said->log.empty() ? "" : ": ",
                           said->log.substr(0, said->log.find('\n')));
  error.remedy = fmt::format("check that ssh {} works without a question and that the runner is there", m_name);
  return fail(std::move(error));
}

Result<std::string> RemoteRunner::makeFolder(std::stop_token stop) const {
  Result<std::string> answer = answerTo(fmt::format("mktemp -d {}XXXXXXXX", kFolderBegins), stop);
  if (!answer) return answer;
  std::string folder = answer->substr(0, answer->find('\n'));
  if (folder.substr(0, kFolderBegins.size()) == kFolderBegins) return folder;
  Error error;
  error.what = fmt::format("{} answered \"{}\" where the name of a folder was expected", m_name, folder);
  error.remedy = "see that its shell prints nothing by itself";
  return fail(std::move(error));
}

Result<void> RemoteRunner::fetch(const std::string& path, const std::string& to, std::stop_token stop) const {
  const Result<std::string> bytes = answerTo("cat " + quoted(path), stop);
  if (!bytes) return tl::unexpected<Error>(bytes.error());
  std::ofstream file(to, std::ios::binary);
  file << *bytes;
  file.close();
  if (file) return {};
  Error error;
  error.what = fmt::format("{} could not be written", to);
  error.remedy = "free some space in the temporary folder";
  return fail(std::move(error));
}

void RemoteRunner::removeFolder(const std::string& folder) const {
  if (folder.substr(0, kFolderBegins.size()) != kFolderBegins) return;
  // Where it cannot be removed nothing is lost but space there.
  static_cast<void>(answerTo("rm -r -- " + quoted(folder), {}));
}

}  // namespace attnscope::cli
