// SPDX-License-Identifier: Apache-2.0
#pragma once

// attnscope-runner on another machine, over ssh: the same program, the same protocol, its two streams through ssh's.
// Traces are written there, into a folder made for the run, and fetched after it. ATTNSCOPE_SSH names another program
// than ssh that takes the same arguments. One thread.

#include <stop_token>
#include <string>

#include "core/base/Result.h"
#include "core/session/RunController.h"

namespace attnscope::cli {

class RemoteRunner {
 public:
  // "ssh:NAME", or "ssh:NAME:PATH" where the runner is not in the PATH there. A usage error where it is neither.
  [[nodiscard]] static Result<RemoteRunner> of(const std::string& host);

  [[nodiscard]] RunnerCommand command() const;
  // A new folder there.
  [[nodiscard]] Result<std::string> makeFolder(std::stop_token stop) const;
  [[nodiscard]] Result<void> fetch(const std::string& path, const std::string& to, std::stop_token stop) const;
  // With all that is in it, as makeFolder() gave it.
  void removeFolder(const std::string& folder) const;

 private:
  [[nodiscard]] RunnerCommand remotely(const std::string& commandLine) const;
  [[nodiscard]] Result<std::string> answerTo(const std::string& commandLine, std::stop_token stop) const;

  std::string m_name;
  std::string m_runner = "attnscope-runner";
};

}  // namespace attnscope::cli
