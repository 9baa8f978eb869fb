// SPDX-License-Identifier: Apache-2.0
#include "core/findings/Rules.h"

#include <algorithm>
#include <exception>

#include <fmt/format.h>

#include "core/findings/Words.h"

namespace attnscope {

std::string_view toString(FindingSeverity severity) {
  switch (severity) {
    case FindingSeverity::kInfo:
      return "info";
    case FindingSeverity::kWarning:
      return "warning";
    case FindingSeverity::kProblem:
      return "problem";
  }
  return "info";
}

std::string_view toString(Confidence confidence) {
  switch (confidence) {
    case Confidence::kMeasured:
      return "measured";
    case Confidence::kInferred:
      return "inferred";
    case Confidence::kNamed:
      return "named";
  }
  return "measured";
}

std::string Rule::thresholdWords(double value) const {
  return fmt::format(fmt::runtime(fires), isShare ? words::percent(value) : fmt::format("{:g}", value));
}

const Rule* findRule(std::string_view id) {
  const std::vector<Rule>& rules = allRules();
  const auto found = std::find_if(rules.begin(), rules.end(), [id](const Rule& rule) { return rule.id == id; });
  return found == rules.end() ? nullptr : &*found;
}

FindingsReport findAll(const Metrics& metrics, const Thresholds& thresholds, std::optional<std::string_view> only,
                       const std::stop_token& stop) {
  FindingsReport report;
  for (const Rule& rule : allRules()) {
    if (stop.stop_requested()) return report;
    if (only && rule.id != *only) continue;
    const auto chosen = thresholds.find(rule.id);
    try {
      RuleAnswer answer = rule.check(metrics, chosen == thresholds.end() ? rule.threshold : chosen->second);
      if (NotApplicable* reason = std::get_if<NotApplicable>(&answer)) {
        report.notApplicable.push_back({rule.id, std::move(reason->reason)});
        continue;
      }
      auto& found = std::get<std::vector<Finding>>(answer);
      if (found.empty()) report.clean.push_back(rule.id);
      for (Finding& finding : found) {
        finding.rule = rule.id;
        report.findings.push_back(std::move(finding));
      }
    } catch (const std::exception& error) {
      report.failed.push_back({rule.id, error.what()});
    }
  }
  std::stable_sort(report.findings.begin(), report.findings.end(), [](const Finding& a, const Finding& b) {
    if (a.severity != b.severity) return a.severity > b.severity;
    return a.savingNs.value_or(-1) > b.savingNs.value_or(-1);
  });
  return report;
}

}  // namespace attnscope
