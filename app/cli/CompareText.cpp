// SPDX-License-Identifier: Apache-2.0
#include <set>

#include <fmt/format.h>

#include "app/cli/CompareAnswer.h"
#include "app/cli/Table.h"

namespace attnscope::cli {

namespace {

Table tableOf(const CompareAnswer& answer) {
  const Comparison& comparison = answer.comparison;
  const std::size_t count = comparison.totals.size();
  const bool device = comparison.byDevice;
  std::vector<Column> columns{{"operator", "operator", CellKind::kText},
                              {"input_shapes", "input shapes", CellKind::kText, false},
                              {"match", "match", CellKind::kText}};
  for (std::size_t run = 0; run < count; ++run) {
    const std::string letter = runLetter(run);
    columns.push_back({"calls_" + letter, "calls " + letter, CellKind::kCount});
    columns.push_back({"host_self_ns_" + letter, "host " + letter, CellKind::kTime, !device});
    columns.push_back({"device_ns_" + letter, "device " + letter, CellKind::kTime, device});
  }
  for (std::size_t run = 1; run < count; ++run) {
    const std::string letter = runLetter(run);
    columns.push_back({"delta_host_self_ns_" + letter, letter + " - A", CellKind::kTime, !device});
    columns.push_back({"delta_device_ns_" + letter, letter + " - A", CellKind::kTime, device});
    columns.push_back({"contribution_ratio_" + letter, "of it", CellKind::kShare});
  }
  Table table(std::move(columns));
  const auto add = [&](const ComparisonGroup& group, bool isRest) {
    std::string name = group.operatorName;
    if (!group.inputShapes.empty() && group.inputShapes != "[]") name += " " + group.inputShapes;
    std::vector<Cell> cells;
    cells.emplace_back(std::move(name));
    cells.emplace_back(group.inputShapes);
    isRest ? cells.emplace_back() : cells.emplace_back(std::string(toString(group.match)));
    for (const RunFigures& figures : group.runs) {
      cells.emplace_back(static_cast<std::int64_t>(figures.calls));
      cells.emplace_back(figures.hostSelfNs);
      cells.emplace_back(figures.deviceNs);
    }
    for (std::size_t run = 1; run < count; ++run) {
      cells.emplace_back(group.hostDeltaNs(run));
      cells.emplace_back(group.deviceDeltaNs(run));
      const auto part = answer.contribution(group, run);
      part ? cells.emplace_back(*part) : cells.emplace_back();
    }
    table.add(std::move(cells));
  };
  for (const std::size_t i : answer.shown) add(comparison.groups[i], false);
  if (answer.rest) add(*answer.rest, true);
  return table;
}

// What one call allocates, where that was measured or predicted.
void writeCallMemory(Output& output, const CompareAnswer& answer, const std::string& item) {
  std::string line;
  for (std::size_t run = 0; run < answer.runs.size(); ++run) {
    const LoadedRun& loaded = answer.runs[run];
    if (!loaded.measured()) continue;
    const auto text = [](std::optional<std::int64_t> bytes) { return bytes ? bytesText(*bytes) : std::string("-"); };
    line += fmt::format("{} {} {} (predicted {})", line.empty() ? "" : ",", runLetter(run),
                        text(loaded.measured()->peakBytes), text(loaded.measured()->predictedPeakBytes));
  }
  if (!line.empty()) output.write(item + "peak memory of one call:" + line + "\n");
}

}  // namespace

void writeCompareText(const Context& context, const CompareAnswer& answer) {
  Output& output = context.output;
  const Comparison& comparison = answer.comparison;
  const bool markdown = context.options.form == OutputForm::kMarkdown;
  const std::string item = markdown ? "- " : "";
  for (std::size_t run = 0; run < answer.runs.size(); ++run) {
    output.write(fmt::format("{}{}: {}\n", item, runLetter(run), oneLine(comparison.titles[run])));
  }
  output.write("\n");
  std::set<std::string> methods;
  for (std::size_t run = 1; run < answer.headline.runs.size(); ++run) {
    const auto& timed = answer.timed[run];
    output.write((timed ? timed->sentence : answer.headline.runs[run].sentence) + (markdown ? "  \n" : "\n"));
    methods.insert(timed ? timed->pairs.method : answer.headline.method);
  }
  for (const std::string& method : methods) output.write(method + (markdown ? "  \n" : "\n"));
  output.write("\n");
  for (const Condition& reason : comparison.reasons) {
    output.write(fmt::format("{}{} (A {}, {} {}): {}\n", item, reason.subject, oneLine(reason.base),
                             runLetter(reason.run), oneLine(reason.other), reason.meaning));
  }
  if (!comparison.reasons.empty()) output.write("\n");
  const Table table = tableOf(answer);
  if (const auto order = table.order({}, {})) table.print(output, context.options.form, *order);
  output.write("\n");
  for (const MemoryComparison& memory : comparison.memory) {
    std::string line = item + "peak memory of " + memory.device + " in the traces:";
    for (std::size_t run = 0; run < memory.peakBytes.size(); ++run) {
      line += fmt::format("{} {} {}", run == 0 ? "" : ",", runLetter(run),
                          memory.peakBytes[run] ? bytesText(*memory.peakBytes[run]) : "-");
    }
    output.write(line + "\n");
  }
  writeCallMemory(output, answer, item);
}

void writeCompareCsv(Output& output, const CompareAnswer& answer) {
  const Table table = tableOf(answer);
  if (const auto order = table.order({}, {})) table.printCsv(output, *order);
}

}  // namespace attnscope::cli
