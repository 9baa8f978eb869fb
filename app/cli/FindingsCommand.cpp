// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "app/cli/CommandLine.h"
#include "app/cli/Commands.h"
#include "app/cli/Table.h"
#include "app/cli/TraceJson.h"
#include "core/findings/Rules.h"
#include "core/findings/Words.h"

namespace attnscope::cli {

namespace {

constexpr std::size_t kMostSlices = 100;  // of one piece of evidence, in JSON; the count stands beside them
constexpr std::size_t kLineWidth = 100;

void writeEvidence(JsonWriter& json, const Trace& trace, const Evidence& evidence) {
  const auto begin = [&] {
    json.beginObject();
    json.text("title", evidence.title);
  };
  if (evidence.range) {
    begin();
    json.key("range");
    json.beginArray();
    json.integer(evidence.range->startNs);
    json.integer(evidence.range->endNs);
    json.endArray();
    json.endObject();
  } else if (evidence.kernel != kNoString) {
    begin();
    json.text("kernel", trace.strings.view(evidence.kernel));
    json.count("of", evidence.slices.size());
    json.endObject();
  } else {
    for (std::size_t i = 0; i < std::min(evidence.slices.size(), kMostSlices); ++i) {
      begin();
      json.count("slice", index(evidence.slices[i]));
      json.count("of", evidence.slices.size());
      json.endObject();
    }
  }
}

void writeFinding(JsonWriter& json, const Trace& trace, const Finding& finding) {
  json.beginObject();
  json.text("rule", finding.rule);
  json.text("severity", toString(finding.severity));
  json.text("confidence", toString(finding.confidence));
  json.text("headline", finding.headline);
  json.text("why", finding.why);
  json.text("change", finding.change);
  json.integer("saving_ns", finding.savingNs);
  json.textOrNull("saving_formula", finding.savingFormula);
  json.key("evidence");
  json.beginArray();
  for (const Evidence& evidence : finding.evidence) writeEvidence(json, trace, evidence);
  json.endArray();
  json.key("caveats");
  json.beginArray();
  for (const std::string& caveat : finding.caveats) json.text(caveat);
  json.endArray();
  json.endObject();
}

void writeReasons(JsonWriter& json, std::string_view key, const std::vector<RuleReason>& reasons) {
  json.key(key);
  json.beginArray();
  for (const RuleReason& each : reasons) {
    json.beginObject();
    json.text("rule", each.rule);
    json.text("reason", each.reason);
    json.endObject();
  }
  json.endArray();
}

void writeJson(Output& output, const Trace& trace, const FindingsReport& report) {
  JsonWriter json(output);
  json.beginDocument();
  writeOrigin(json, trace);
  json.key("findings");
  json.beginArray();
  for (const Finding& finding : report.findings) writeFinding(json, trace, finding);
  json.endArray();
  writeReasons(json, "not_applicable", report.notApplicable);
  json.key("clean");
  json.beginArray();
  for (const std::string_view rule : report.clean) json.text(rule);
  json.endArray();
  writeReasons(json, "failed", report.failed);
  json.endDocument();
}

// Words of `text` in lines of a bounded width, each after `indent`.
std::string wrapped(std::string_view text, std::string_view indent) {
  std::string lines;
  std::string line(indent);
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    if (line.size() > indent.size() && line.size() + 1 + word.size() > kLineWidth) {
      lines += line + '\n';
      line = indent;
    }
    if (line.size() > indent.size()) line += ' ';
    line += word;
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  return lines + line + '\n';
}

void writeText(Output& output, const FindingsReport& report) {
  for (const Finding& finding : report.findings) {
    output.write(fmt::format("{}: {}\n", toString(finding.severity), finding.headline));
    output.write(wrapped(finding.why, "    "));
    output.write(wrapped("Change: " + finding.change, "    "));
    if (finding.savingNs) {
      output.write(
          wrapped(fmt::format("Saves at most {}: {}.", words::time(*finding.savingNs), finding.savingFormula), "    "));
    }
    for (const std::string& caveat : finding.caveats) output.write(wrapped("But: " + caveat, "    "));
    std::string evidence;
    for (const Evidence& each : finding.evidence) {
      evidence += (evidence.empty() ? "Evidence: " : "; ") + oneLine(each.title);
      if (each.range) evidence += fmt::format(" from {} ns", each.range->startNs);
      if (!each.slices.empty()) evidence += fmt::format(" (first: slice {})", index(each.slices.front()));
    }
    if (!evidence.empty()) output.write(wrapped(evidence, "    "));
    output.write(fmt::format("    {}, {}\n\n", finding.rule, toString(finding.confidence)));
  }
  for (const RuleReason& each : report.failed) output.write(fmt::format("{} failed: {}\n", each.rule, each.reason));
  output.write(fmt::format("{} {}, {} rules clean, {} not applicable\n", report.findings.size(),
                           report.findings.size() == 1 ? "finding" : "findings", report.clean.size(),
                           report.notApplicable.size()));
}

Error unknownRule(const std::string& name) {
  std::vector<std::string> ids;
  for (const Rule& rule : allRules()) ids.emplace_back(rule.id);
  const std::string nearest = nearestWord(name, ids);
  return {
      ErrorKind::kUsage,
      fmt::format("findings: there is no rule {}", name),
      nearest.empty() ? fmt::format("name one of {}", fmt::join(ids, ", ")) : fmt::format("did you mean {}?", nearest),
      {},
      {}};
}

FindingSeverity leastOf(const std::string& word) {
  if (word == "problem") return FindingSeverity::kProblem;
  return word == "warning" ? FindingSeverity::kWarning : FindingSeverity::kInfo;
}

}  // namespace

Outcome runFindings(const Context& context) {
  const Options& options = context.options;
  if (options.rule && findRule(*options.rule) == nullptr) return failure({}, unknownRule(*options.rule));
  const auto loaded = loadFor(context, options.files.front());
  if (!loaded) return tl::unexpected(loaded.error());
  const Trace& trace = **loaded;
  const OperatorTree tree = buildOperatorTree(trace, context.stop);
  if (context.stop.stop_requested()) return failure(trace.path, cancelled().value());
  const std::vector<MemorySeries> memory = memorySeries(trace);
  const Metrics metrics = metricsOf(trace, tree, memory, TimeRange::all(), context.stop);
  if (context.stop.stop_requested()) return failure(trace.path, cancelled().value());
  std::optional<std::string_view> only;
  if (options.rule) only = *options.rule;
  FindingsReport report = findAll(metrics, {}, only, context.stop);
  const FindingSeverity least = leastOf(options.leastSeverity);
  std::erase_if(report.findings, [least](const Finding& finding) { return finding.severity < least; });
  if (options.form == OutputForm::kJson) {
    writeJson(context.output, trace, report);
  } else {
    writeText(context.output, report);
  }
  return {};
}

}  // namespace attnscope::cli
