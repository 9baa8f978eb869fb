// SPDX-License-Identifier: Apache-2.0
#pragma once

// The catalogue of rules and how they are run.

#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/findings/Finding.h"
#include "core/findings/Metrics.h"

namespace attnscope {

struct NotApplicable {
  std::string reason;  // "no device work in this trace"
};
using RuleAnswer = std::variant<NotApplicable, std::vector<Finding>>;  // no findings: clean

struct Rule {
  std::string_view id;     // "device.idle"
  std::string_view fires;  // "fires where the device works less than {} of the time", {} is the threshold in words
  double threshold = 0;    // what it is without a person's choice
  bool isShare = false;    // the threshold is written as per cent
  RuleAnswer (*check)(const Metrics& metrics, double threshold) = nullptr;

  [[nodiscard]] std::string thresholdWords(double value) const;
};

// In the order of the catalogue; ids are unique.
[[nodiscard]] const std::vector<Rule>& allRules();
[[nodiscard]] const Rule* findRule(std::string_view id);

using Thresholds = std::map<std::string, double, std::less<>>;  // by rule id: what a person chose

struct RuleReason {
  std::string_view rule;
  std::string reason;
};

struct FindingsReport {
  std::vector<Finding> findings;  // problems, warnings, notes; in each by saving downwards, then as in the catalogue
  std::vector<RuleReason> notApplicable;
  std::vector<std::string_view> clean;
  std::vector<RuleReason> failed;  // a fault of a rule: the others stand
};
// `only`: one rule alone.
[[nodiscard]] FindingsReport findAll(const Metrics& metrics, const Thresholds& thresholds = {},
                                     std::optional<std::string_view> only = {}, const std::stop_token& stop = {});

}  // namespace attnscope
