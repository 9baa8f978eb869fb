// SPDX-License-Identifier: Apache-2.0
#pragma once

// How timed results are written: by `run` as its answer, by `info` of a session file, and by `compare` where two runs
// are of one measurement.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/JsonWriter.h"
#include "app/cli/Options.h"
#include "core/session/RunResult.h"

namespace attnscope::cli {

// What the timed pairs say of one implementation against another.
struct TimedVerdict {
  PairedComparison pairs;
  std::string figure;    // "thread CPU time per call"
  std::string sentence;  // "B took 43.1 % less ... than A (-45.2 to -41.0 %, 40 pairs)"
  // Shares of change: other less base, over base.
  [[nodiscard]] std::optional<double> change() const { return lessOne(pairs.ratio); }
  [[nodiscard]] std::optional<double> low() const { return lessOne(pairs.lowRatio); }
  [[nodiscard]] std::optional<double> high() const { return lessOne(pairs.highRatio); }

 private:
  [[nodiscard]] static std::optional<double> lessOne(std::optional<double> ratio) {
    return ratio ? std::optional<double>(*ratio - 1) : std::nullopt;
  }
};

struct Contender {
  std::size_t position = 0;  // in the plan
  std::string letter;        // in the answer
};
[[nodiscard]] TimedVerdict timedVerdict(const RunResult& result, const Contender& base, const Contender& other,
                                        double thresholdRatio = kDefaultThresholdRatio);
// "A: drift, times rose by 5.1 % from ...", one a disturbance of the samples; then why the verdict is lowered.
[[nodiscard]] std::vector<std::string> remarksOf(const PairedComparison& pairs, const std::string& base,
                                                 const std::string& other);
// "cpu, 1 thread, AMD EPYC, AVX2, LibTorch 2.11, roof 98.0 GFLOP/s".
[[nodiscard]] std::string environmentLine(const RunResult& result);

// An approximation beside softmax attention: what each computes and what that means; none: both compute the same.
struct FunctionsDiffer {
  std::string base;
  std::string other;
  std::string meaning;
};
[[nodiscard]] std::optional<FunctionsDiffer> functionsDiffer(const std::string& base, const std::string& other);

// Title of the card, or the id where there is none.
[[nodiscard]] std::string titleOf(const std::string& implementation);

// One entry of `verdicts`.
void writeVerdict(JsonWriter& json, const std::string& letter, const TimedVerdict& verdict);
// Its keys about how sure it is: threshold, disturbances, what lowers it.
void writeCertainty(JsonWriter& json, const PairedComparison& pairs);
// problem, environment, implementations, file (null where empty), comparable, verdicts.
void writeMeasurement(JsonWriter& json, const RunResult& result, std::string_view file);
// A table, then what was not run or failed and why, then the verdicts.
void writeMeasurement(Output& output, const RunResult& result);

}  // namespace attnscope::cli
