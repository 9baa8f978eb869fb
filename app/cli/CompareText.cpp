// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "app/cli/CompareAnswer.h"
#include "app/cli/Table.h"

namespace attnscope::cli {

namespace {

// Times of the runs and their differences stand side by side: in one unit.
constexpr int kHostUnit = 1;
constexpr int kDeviceUnit = 2;

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
    columns.push_back({"host_self_ns_" + letter, "host " + letter, CellKind::kTime, !device, kHostUnit});
    columns.push_back({"device_ns_" + letter, "device " + letter, CellKind::kTime, device, kDeviceUnit});
  }
  for (std::size_t run = 1; run < count; ++run) {
    const std::string letter = runLetter(run);
    columns.push_back({"delta_host_self_ns_" + letter, letter + " - A", CellKind::kTime, !device, kHostUnit});
    columns.push_back({"delta_device_ns_" + letter, letter + " - A", CellKind::kTime, device, kDeviceUnit});
    columns.push_back({"contribution_ratio_" + letter, "of it", CellKind::kShare});
  }
  Table table(std::move(columns));
  const auto normalised = [&](const ComparisonGroup& group, std::size_t run, std::int64_t ns) {
    if (answer.normalisation == Normalisation::kRun) return Cell(ns);
    const auto divisor = divisorOf(comparison, group, run, answer.normalisation);
    return divisor ? Cell(std::llround(static_cast<double>(ns) / *divisor)) : Cell();
  };
  const auto difference = [&](const ComparisonGroup& group, std::size_t run, std::int64_t RunFigures::*figure) {
    const auto base = divisorOf(comparison, group, 0, answer.normalisation);
    const auto other = divisorOf(comparison, group, run, answer.normalisation);
    if (answer.normalisation == Normalisation::kRun) return Cell(group.runs[run].*figure - group.runs[0].*figure);
    if (!base || !other) return Cell();
    return Cell(std::llround(static_cast<double>(group.runs[run].*figure) / *other -
                             static_cast<double>(group.runs[0].*figure) / *base));
  };
  const auto add = [&](const ComparisonGroup& group, bool isRest) {
    std::string name = group.operatorName;
    if (!group.inputShapes.empty() && group.inputShapes != "[]") name += " " + group.inputShapes;
    std::vector<Cell> cells;
    cells.emplace_back(std::move(name));
    cells.emplace_back(group.inputShapes);
    isRest ? cells.emplace_back() : cells.emplace_back(std::string(toString(group.match)));
    for (std::size_t run = 0; run < count; ++run) {
      cells.emplace_back(static_cast<std::int64_t>(group.runs[run].calls));
      cells.push_back(normalised(group, run, group.runs[run].hostSelfNs));
      cells.push_back(normalised(group, run, group.runs[run].deviceNs));
    }
    for (std::size_t run = 1; run < count; ++run) {
      cells.push_back(difference(group, run, &RunFigures::hostSelfNs));
      cells.push_back(difference(group, run, &RunFigures::deviceNs));
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

// What a reader of a pull request needs to believe the figures, or to repeat them.
class Lines {
 public:
  Lines(Output& output, bool markdown) : m_output(output), m_markdown(markdown) {}
  void heading(const char* words) {
    m_output.write(m_markdown ? fmt::format("**{}**\n\n", words) : fmt::format("{}:\n", words));
  }
  void item(const std::string& text) { m_output.write((m_markdown ? "- " : "  ") + text + "\n"); }
  void plain(const std::string& text) { m_output.write((m_markdown ? "- " : "") + text + "\n"); }
  void sentence(const std::string& text) { m_output.write(m_markdown ? "**" + text + "**  \n" : text + "\n"); }
  void gap() { m_output.write("\n"); }

 private:
  Output& m_output;
  bool m_markdown;
};

std::string changeText(const Comparison& comparison, const ComparisonGroup& group, std::size_t run) {
  const std::int64_t delta = comparison.deltaNs(group, run);
  const auto share = contributionOf(comparison, group, run);
  return fmt::format("{}{} {}{}", delta < 0 ? "-" : "+", timeText(delta < 0 ? -delta : delta),
                     oneLine(nameBetween(group, run)),
                     share ? fmt::format(" ({:.0f} % of the difference)", 100 * *share) : "");
}

void writeVerdicts(Lines& lines, const CompareAnswer& answer) {
  constexpr std::size_t kChangesNamed = 3;
  for (std::size_t run = 1; run < answer.headline.runs.size(); ++run) {
    const auto& timed = answer.timed[run];
    lines.sentence(timed ? timed->sentence : answer.headline.runs[run].sentence);
  }
  lines.gap();
  for (std::size_t run = 1; run < answer.headline.runs.size(); ++run) {
    if (!answer.headline.runs[run].changeRatio) continue;  // refused: no figure beside the refusal
    const auto largest = largestChanges(answer.comparison, run, kChangesNamed);
    if (largest.empty()) continue;
    lines.heading(fmt::format("What {} - A is made of", runLetter(run)).c_str());
    for (const std::size_t i : largest) lines.item(changeText(answer.comparison, answer.comparison.groups[i], run));
    lines.gap();
  }
}

void writeReasons(Lines& lines, const Comparison& comparison) {
  if (comparison.comparable == Comparable::kYes) {
    lines.plain("Comparable: yes, no differing condition was found");
    lines.gap();
    return;
  }
  lines.heading(comparison.comparable == Comparable::kNo ? "Not comparable" : "Comparable with reservations");
  for (const Condition& reason : comparison.reasons) {
    lines.item(fmt::format("{} (A {}, {} {}): {}", reason.subject, oneLine(reason.base), runLetter(reason.run),
                           oneLine(reason.other), reason.meaning));
  }
  lines.gap();
}

void writeMethod(Lines& lines, const CompareAnswer& answer) {
  lines.heading("Method");
  for (std::size_t run = 1; run < answer.headline.runs.size(); ++run) {
    const auto& timed = answer.timed[run];
    lines.item(fmt::format("{} against A: {}", runLetter(run),
                           timed ? timed->pairs.method : answer.headline.runs[run].method));
    const auto& steps = answer.headline.runs[run].steps;
    const PairedComparison* pairs = timed ? &timed->pairs : steps ? &*steps : nullptr;
    if (!pairs) continue;
    for (const std::string& remark : remarksOf(*pairs, "A", runLetter(run))) lines.item(oneLine(remark));
  }
  for (std::size_t run = 0; run < answer.runs.size(); ++run) {
    const LoadedRun& loaded = answer.runs[run];
    const std::string letter = runLetter(run);
    if (loaded.aligned.stepsLeftOut != 0) {
      lines.item(fmt::format("{}: the first step is left out, {} are compared", letter, answer.comparison.steps[run]));
    }
    const std::int64_t profiler = answer.comparison.totals[run].profilerNs;
    if (profiler != 0) {
      lines.item(fmt::format("{}: {} of the profiler's own work are a row of the table and not in the sentence above",
                             letter, timeText(profiler)));
    }
  }
  const auto byHand = std::count_if(answer.comparison.groups.begin(), answer.comparison.groups.end(),
                                    [](const ComparisonGroup& group) { return group.isMadeByHand; });
  if (byHand != 0) lines.item(fmt::format("{} rows are paired or cut by hand, as their session keeps it", byHand));
  if (answer.normalisation != Normalisation::kRun) {
    lines.item(fmt::format("times are of one {}", toString(answer.normalisation)));
  }
  std::set<const RunResult*> told;
  for (std::size_t run = 0; run < answer.runs.size(); ++run) {
    const auto& measurement = answer.runs[run].measurement;
    if (!measurement || !told.insert(measurement.get()).second) continue;
    lines.item(
        fmt::format("measured: {}; {}", describe(measurement->plan.problem), oneLine(environmentLine(*measurement))));
  }
  lines.gap();
}

}  // namespace

void writeCompareText(const Context& context, const CompareAnswer& answer) {
  Output& output = context.output;
  const Comparison& comparison = answer.comparison;
  const bool markdown = context.options.form == OutputForm::kMarkdown;
  const std::string item = markdown ? "- " : "";
  Lines lines(output, markdown);
  for (std::size_t run = 0; run < answer.runs.size(); ++run) {
    lines.plain(fmt::format("{}: {}", runLetter(run), oneLine(comparison.titles[run])));
  }
  lines.gap();
  writeVerdicts(lines, answer);
  if (!markdown) writeReasons(lines, comparison);
  const Table table = tableOf(answer);
  if (const auto order = table.order({}, {})) table.print(output, context.options.form, *order);
  lines.gap();
  for (const MemoryComparison& memory : comparison.memory) {
    std::string line = item + "peak memory of " + memory.device + " in the traces:";
    for (std::size_t run = 0; run < memory.peakBytes.size(); ++run) {
      line += fmt::format("{} {} {}", run == 0 ? "" : ",", runLetter(run),
                          memory.peakBytes[run] ? bytesText(*memory.peakBytes[run]) : "-");
    }
    output.write(line + "\n");
  }
  writeCallMemory(output, answer, item);
  lines.gap();
  if (markdown) writeReasons(lines, comparison);
  writeMethod(lines, answer);
}

void writeCompareCsv(Output& output, const CompareAnswer& answer) {
  const Table table = tableOf(answer);
  if (const auto order = table.order({}, {})) table.printCsv(output, *order);
}

}  // namespace attnscope::cli
