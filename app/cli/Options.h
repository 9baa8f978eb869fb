// SPDX-License-Identifier: Apache-2.0
#pragma once

// What was asked for on the command line.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/import/TraceLoader.h"
#include "core/session/RunPlan.h"

namespace attnscope::cli {

enum class OutputForm : std::uint8_t { kText, kJson, kCsv, kMarkdown };

struct Options {
  std::string command;
  std::vector<std::string> files;
  OutputForm form = OutputForm::kText;
  bool quiet = false;
  UnpackLimits unpack;

  std::optional<std::string> name;  // a regular expression
  std::optional<std::string> category;
  std::optional<std::uint32_t> track;
  std::optional<std::int64_t> fromNs;
  std::optional<std::int64_t> toNs;
  std::optional<std::uint64_t> limit;

  bool byShape = false;
  bool leaf = false;
  bool byLaunch = false;
  std::optional<std::string> sortColumn;
  std::optional<std::uint64_t> top;
  std::optional<std::uint64_t> seriesPoints;

  std::optional<std::string> rule;
  std::string leastSeverity = "info";

  std::string align = "start";
  std::optional<double> thresholdPercent;
  std::string baseline;           // a letter or a file among the inputs; empty: the first
  std::string normalize = "run";  // "run", "step", "call"
  bool allSteps = false;          // the first step too
  bool force = false;             // figures against a refusal
  std::string output;
  bool keepPersonal = false;

  Problem problem;              // of `run` and `implementations`, validated
  std::string implementations;  // "a,b" as it was given
  std::string device = "cpu";
  int threads = 1;
  std::optional<int> pairs;
  CacheState cache = CacheState::kHot;
  bool noProfile = false;
  bool quick = false;
  std::string script;       // a TorchScript source, or a module (.pt)
  std::string package;      // of AOTInductor
  bool allowCode = false;   // the yes to run them
  bool overBudget = false;  // try what does not fit the memory by what is predicted
  std::vector<int> cpus;    // that the runner may use; empty: all
  std::string host;
};

// Exit codes.
inline constexpr int kDone = 0;
inline constexpr int kWrongUsage = 2;
inline constexpr int kUnreadable = 3;
inline constexpr int kRunFailed = 4;
inline constexpr int kInterrupted = 130;

}  // namespace attnscope::cli
