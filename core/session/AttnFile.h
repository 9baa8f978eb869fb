// SPDX-License-Identifier: Apache-2.0
#pragma once

// The session file, `.attn`: a zip with `session.json` (plan, environment, results with all samples, notes of the
// schema) and `traces/A-naive.plain.json`..., which any zip program and trace viewer open. Any thread; synchronous.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/Result.h"
#include "core/session/PairRule.h"
#include "core/session/RunResult.h"

namespace attnscope {

inline constexpr std::string_view kSessionSchema = "attnscope-session/1";

struct SessionTrace {
  std::size_t position = 0;  // of its implementation in the plan
  std::string entry;         // "traces/A-naive.plain.json"
  std::uint64_t bytes = 0;   // unpacked
};

struct Session {
  RunResult result;  // traceFile of each is the entry's name
  std::vector<SessionTrace> traces;
  std::vector<PairRule> pairs;       // made and cut by hand between its runs
  std::vector<std::string> remarks;  // what of the file could not be read; empty for a whole one
};

// Largest that is read, against files made to fill the memory.
struct AttnLimits {
  std::uint64_t sessionJsonBytes = 256ull << 20;
  std::uint64_t traceBytes = 8ull << 30;
  std::size_t entries = 1000;
};

// Whether a session could be written there now: nothing or a file of ours lies there, and its folder takes a new file
// (made and removed again). Asked before minutes are spent on what is to be kept.
[[nodiscard]] Result<void> canWriteAttn(const std::filesystem::path& file);
// Packs the result and the trace files that it names into a temporary file beside `file`, which is then renamed.
[[nodiscard]] Result<void> writeAttn(const std::filesystem::path& file, const RunResult& result,
                                     const std::vector<PairRule>& pairs = {});
// Puts these pairs in the place of those that the session has, through a temporary file. All else stays as it is:
// traces are copied packed, keys and pairs of a newer version are kept.
[[nodiscard]] Result<void> rewritePairs(const std::filesystem::path& file, const std::vector<PairRule>& pairs,
                                        const AttnLimits& limits = {});

// Reads session.json and lists the traces. A session whose traces are damaged opens with remarks; one whose
// session.json is damaged or of a newer schema is refused in words that say what could be read.
[[nodiscard]] Result<Session> readAttn(const std::filesystem::path& file, const AttnLimits& limits = {});
// Unpacks one trace into `target`, through a temporary file beside it.
[[nodiscard]] Result<void> extractTrace(const std::filesystem::path& file, const std::string& entry,
                                        const std::filesystem::path& target, const AttnLimits& limits = {});
// Whether the file begins as a zip does and has a session.json: what `open` asks before it chooses a reader.
[[nodiscard]] bool looksLikeAttn(const std::filesystem::path& file);

// session.json's text and back, without the zip.
[[nodiscard]] std::string sessionJsonOf(const RunResult& result, const std::vector<PairRule>& pairs = {});
struct SessionText {
  RunResult result;
  std::vector<PairRule> pairs;
  std::size_t unreadPairs = 0;  // of a newer version, or damaged
};
[[nodiscard]] Result<SessionText> sessionFromJson(std::string_view text);
// The text with these pairs, and everything else that it says.
[[nodiscard]] Result<std::string> sessionJsonWithPairs(std::string_view text, const std::vector<PairRule>& pairs);

}  // namespace attnscope
