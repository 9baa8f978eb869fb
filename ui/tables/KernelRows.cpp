// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/KernelRows.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>

#include <QCoreApplication>

#include "core/analysis/KernelLaunches.h"
#include "ui/bridge/FreedAside.h"
#include "ui/tables/RowParts.h"

namespace attnscope::ui {
namespace {

QString words(const char* text) { return QCoreApplication::translate("Tables", text); }

QString shape(const std::array<std::int32_t, 3>& of) {
  if (of[0] <= 0) return {};
  return QStringLiteral("%1 × %2 × %3").arg(of[0]).arg(of[1]).arg(of[2]);
}

QString launchedBy(const Trace& trace, const std::vector<LaunchingOperator>& operators) {
  if (operators.empty()) return {};
  const QString first = textOf(trace, operators.front().name);
  if (operators.size() == 1) return first;
  return QStringLiteral("%1 + %2").arg(first).arg(operators.size() - 1);
}

Column distributionColumn() {
  Column column;
  column.title = {};
  column.role = ColumnRole::kDistribution;
  column.width = 112;
  column.hideRank = 1;
  column.description =
      words(QT_TRANSLATE_NOOP("Tables",
                              "Duration of the calls on one scale: each call below 20 calls, else 5th to 95th "
                              "percentile, quartiles and median"));
  return column;
}

Column totalColumn(const QString& title, ColumnRole role, int width) {
  Column column = timeColumn(title, 0);
  column.role = role;
  column.width = width;
  column.sum = SumRule::kSum;
  return column;
}

double orUnknown(std::int64_t value) { return value < 0 ? kUnknownNumber : static_cast<double>(value); }

// Calls, total, share and the five figures of the durations: the same for kernels and for leaf operators.
struct TimedRow {
  std::uint64_t calls;
  std::int64_t totalNs;
  double share;
  std::int64_t minNs, meanNs, medianNs, p95Ns, maxNs;
};

struct TimedColumns {
  int calls, total, share, min, mean, median, p95, max;
};

TimedColumns addTimedColumns(TableRows& rows, const QString& totalTitle) {
  TimedColumns at{};
  at.calls = rows.addColumn(countColumn(words(QT_TRANSLATE_NOOP("Tables", "Calls")), 9));
  at.total = rows.addColumn(totalColumn(totalTitle, ColumnRole::kTimeWithBar, 120));
  Column share;
  share.title = words(QT_TRANSLATE_NOOP("Tables", "Share"));
  share.role = ColumnRole::kShare;
  share.width = 66;
  share.sum = SumRule::kSum;
  at.share = rows.addColumn(share);
  at.min = rows.addColumn(timeColumn(words(QT_TRANSLATE_NOOP("Tables", "Min")), 7));
  at.mean = rows.addColumn(timeColumn(words(QT_TRANSLATE_NOOP("Tables", "Mean")), 0));
  at.median = rows.addColumn(timeColumn(words(QT_TRANSLATE_NOOP("Tables", "Median")), 8));
  rows.columns.back().width = 74;
  at.p95 = rows.addColumn(timeColumn(QStringLiteral("p95"), 7));
  at.max = rows.addColumn(timeColumn(words(QT_TRANSLATE_NOOP("Tables", "Max")), 8));
  return at;
}

void addTimedCells(TableRows& rows, const TimedColumns& at, const TimedRow& row) {
  const auto put = [&](int column, double value) { rows.numbers[static_cast<std::size_t>(column)].push_back(value); };
  put(at.calls, static_cast<double>(row.calls));
  put(at.total, static_cast<double>(row.totalNs));
  put(at.share, row.share);
  put(at.min, static_cast<double>(row.minNs));
  put(at.mean, static_cast<double>(row.meanNs));
  put(at.median, static_cast<double>(row.medianNs));
  put(at.p95, static_cast<double>(row.p95Ns));
  put(at.max, static_cast<double>(row.maxNs));
}

void finishTimed(TableRows& rows, const TimedColumns& at) {
  chooseTimeUnit(rows, {at.total});
  chooseTimeUnit(rows, {at.min, at.mean, at.median, at.p95, at.max});
  scaleToSum(rows, at.total);
  rows.sortColumn = at.total;
}

// One row of the compared form, of kernels or of leaf operators alike.
struct ComparedLine {
  struct Side {
    bool has = false;
    std::uint64_t calls = 0;
    std::int64_t totalNs = 0;
    std::vector<std::int64_t> durations;
    std::vector<SliceId> slices;
  };
  QString name;
  QString fullName;
  QString launchedBy;
  WorkKind kind = WorkKind::kUnknown;
  MatchKind match = MatchKind::kExact;
  std::vector<Side> sides;
};

SharedRows comparedRows(const std::vector<RunInput>& runs, std::vector<ComparedLine> lines, const QString& nameTitle,
                        const QString& callerTitle, const QString& what, const QStringList& kindTitles) {
  auto rows = makeFreedAside<TableRows>();
  rows->rowCount = lines.size();
  const int name = rows->addColumn(nameColumn(nameTitle, 220));
  const int caller = rows->addColumn(textColumn(callerTitle, 166, 2));
  const int match =
      rows->addColumn(textColumn(words(QT_TRANSLATE_NOOP("Tables", "Match")), runs.size() > 2 ? 84 : 66, 3));
  std::vector<int> calls;
  std::vector<int> totals;
  const auto ofRun = [](Column column, const RunInput& run) {
    column.runNumber = run.runNumber;
    column.runLetter = run.letter;
    return column;
  };
  for (const RunInput& run : runs) {
    calls.push_back(rows->addColumn(ofRun(countColumn(words(QT_TRANSLATE_NOOP("Tables", "Calls")), 4), run)));
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    // With three or more runs a total stands beside its difference; those columns are added below.
    if (i < 2) {
      totals.push_back(rows->addColumn(
          ofRun(totalColumn(words(QT_TRANSLATE_NOOP("Tables", "Total")), ColumnRole::kTime, 84), runs[i])));
    }
    rows->slices.emplace_back(runs[i].runNumber, runs[i].facts);
  }
  const auto number = [&](int column) -> std::vector<double>& {
    return rows->numbers[static_cast<std::size_t>(column)];
  };
  std::vector<std::vector<double>> laterTotals(runs.size());
  for (ComparedLine& line : lines) {
    rows->texts[static_cast<std::size_t>(name)].add(line.name);
    rows->fullNames.add(line.fullName);
    rows->texts[static_cast<std::size_t>(caller)].add(line.launchedBy);
    rows->kinds.push_back(line.kind);
    std::vector<bool> has;
    std::vector<Spread> spreads;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      ComparedLine::Side& side = line.sides[i];
      has.push_back(side.has);
      number(calls[i]).push_back(side.has ? static_cast<double>(side.calls) : kUnknownNumber);
      const double total = side.has ? static_cast<double>(side.totalNs) : kUnknownNumber;
      if (i < 2) {
        number(totals[i]).push_back(total);
      } else {
        laterTotals[i].push_back(total);
      }
      if (!side.durations.empty()) spreads.push_back(spreadOf(runs[i].runNumber, std::move(side.durations)));
      rows->slices[i].addRow(std::move(side.slices));
    }
    rows->texts[static_cast<std::size_t>(match)].add(matchText(line.match, runs, has));
    rows->spreads.push_back(std::move(spreads));
  }
  // One unit for the totals of all runs and their differences.
  std::int64_t most = 0;
  for (const ComparedLine& line : lines) {
    for (const ComparedLine::Side& side : line.sides) most = std::max(most, side.totalNs);
  }
  const format::TimeUnit unit = format::unitFor(most);
  for (const int column : totals) rows->columns[static_cast<std::size_t>(column)].timeUnit = unit;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    if (i >= 2) {
      Column total = ofRun(totalColumn(words(QT_TRANSLATE_NOOP("Tables", "Total")), ColumnRole::kTime, 84), runs[i]);
      total.timeUnit = unit;
      totals.push_back(rows->addColumn(total));
      number(totals[i]) = std::move(laterTotals[i]);
    }
    const int delta = addDifference(*rows, runs[0], runs[i], totals[0], totals[i], what);
    if (i == 1) rows->sortColumn = delta;
  }
  const int spread = rows->addColumn(distributionColumn());
  scaleSpreads(*rows, spread);
  for (RowSlices& slices : rows->slices) slices.finish();
  groupByKind(*rows, kindTitles);
  return rows;
}

std::vector<std::int64_t> durationsOf(const Trace& trace, const std::vector<SliceId>& slices) {
  std::vector<std::int64_t> durations;
  durations.reserve(slices.size());
  for (const SliceId slice : slices) durations.push_back(trace.slices.durationNs[index(slice)]);
  return durations;
}

// What the calculator and the name say of a launch.
struct LaunchColumns {
  int occupancy, limit, reported, waves, lastWave, launch, queue, tensor, family;
};

LaunchColumns addLaunchColumns(TableRows& rows) {
  const auto column = [](const QString& title, ColumnRole role, int width, int hideRank, const QString& description) {
    Column made;
    made.title = title;
    made.role = role;
    made.width = width;
    made.hideRank = hideRank;
    made.description = description;
    return made;
  };
  const auto extra = [&](Column made) {
    made.isExtra = true;
    return rows.addColumn(std::move(made));
  };
  LaunchColumns at{};
  at.occupancy = rows.addColumn(
      column(words(QT_TRANSLATE_NOOP("Tables", "Occupancy")), ColumnRole::kShare, 90, 6,
             words(QT_TRANSLATE_NOOP("Tables",
                                     "Threads that fit on a multiprocessor, of the most it holds: worked out from "
                                     "registers, shared memory and block"))));
  at.limit = rows.addColumn(column(words(QT_TRANSLATE_NOOP("Tables", "Limit")), ColumnRole::kText, 104, 4,
                                   words(QT_TRANSLATE_NOOP("Tables", "What keeps more blocks from a multiprocessor"))));
  at.reported = extra(column(words(QT_TRANSLATE_NOOP("Tables", "Reported")), ColumnRole::kShare, 90, 0,
                             words(QT_TRANSLATE_NOOP("Tables", "Occupancy as the trace estimates it"))));
  at.waves = extra(column(words(QT_TRANSLATE_NOOP("Tables", "Waves")), ColumnRole::kNumber, 64, 0,
                          words(QT_TRANSLATE_NOOP("Tables", "Blocks of the grid over those that run at once"))));
  at.lastWave = extra(column(words(QT_TRANSLATE_NOOP("Tables", "Last wave")), ColumnRole::kShare, 88, 0,
                             words(QT_TRANSLATE_NOOP("Tables", "How full the last wave is: a low one is a tail"))));
  at.launch =
      extra(column(words(QT_TRANSLATE_NOOP("Tables", "Launch")), ColumnRole::kTime, 84, 0,
                   words(QT_TRANSLATE_NOOP("Tables", "Median from the start of the call to the start of the kernel"))));
  at.queue = extra(column(
      words(QT_TRANSLATE_NOOP("Tables", "Queue")), ColumnRole::kTime, 84, 0,
      words(QT_TRANSLATE_NOOP("Tables", "Median from when call and stream were free to the start of the kernel"))));
  at.tensor = rows.addColumn(column(words(QT_TRANSLATE_NOOP("Tables", "Tensor")), ColumnRole::kText, 92, 5,
                                    words(QT_TRANSLATE_NOOP("Tables", "Tensor core instructions, by its name"))));
  at.family = extra(column(words(QT_TRANSLATE_NOOP("Tables", "Family")), ColumnRole::kText, 104, 0,
                           words(QT_TRANSLATE_NOOP("Tables", "What it computes, by its name"))));
  return at;
}

QString limitText(OccupancyLimit limit) {
  switch (limit) {
    case OccupancyLimit::kRegisters:
      return words(QT_TRANSLATE_NOOP("Tables", "registers"));
    case OccupancyLimit::kSharedMemory:
      return words(QT_TRANSLATE_NOOP("Tables", "shared memory"));
    case OccupancyLimit::kThreads:
      return words(QT_TRANSLATE_NOOP("Tables", "threads"));
    case OccupancyLimit::kBlocks:
      return words(QT_TRANSLATE_NOOP("Tables", "blocks"));
  }
  return {};
}

QString tensorText(const KernelRow& kernel, const KernelLaunches& launches) {
  if (!launches.tensorCoreFamily.empty()) return textOf(launches.tensorCoreFamily);
  return kernel.tensorCores == TensorCores::kNo ? words(QT_TRANSLATE_NOOP("Tables", "no")) : QString();
}

void addLaunchCells(TableRows& rows, const LaunchColumns& at, const KernelRow& kernel, const KernelLaunches& launches) {
  const auto put = [&](int column, double value) { rows.numbers[static_cast<std::size_t>(column)].push_back(value); };
  const auto write = [&](int column, const QString& text) { rows.texts[static_cast<std::size_t>(column)].add(text); };
  const auto& fits = launches.occupancy;
  const bool hasWaves = fits && fits->waves > 0;
  put(at.occupancy, fits ? fits->theoretical : kUnknownNumber);
  write(at.limit, fits ? limitText(fits->limitedBy) : QString());
  put(at.reported, kernel.occupancyReported < 0 ? kUnknownNumber : static_cast<double>(kernel.occupancyReported));
  put(at.waves, hasWaves ? fits->waves : kUnknownNumber);
  put(at.lastWave, hasWaves ? fits->lastWaveFill : kUnknownNumber);
  put(at.launch, orUnknown(launches.launchMedianNs));
  put(at.queue, orUnknown(launches.queueMedianNs));
  write(at.tensor, tensorText(kernel, launches));
  write(at.family, textOf(kernel.family));
}

}  // namespace

SharedRows kernelRows(const RunInput& run, KernelGrouping grouping, const QStringList& kindTitles) {
  const Trace& trace = *run.facts->trace;
  KernelTable byLaunch;
  if (grouping == KernelGrouping::kByLaunch) byLaunch = kernelTable(trace, grouping, run.tables->scope);
  const std::vector<KernelRow>& kernels =
      grouping == KernelGrouping::kByLaunch ? byLaunch.rows : run.tables->kernels.rows;
  auto rows = makeFreedAside<TableRows>();
  rows->rowCount = kernels.size();
  const int name = rows->addColumn(nameColumn(words(QT_TRANSLATE_NOOP("Tables", "Kernel")), 260));
  const int caller = rows->addColumn(textColumn(words(QT_TRANSLATE_NOOP("Tables", "Launched by")), 180, 2));
  const TimedColumns timed = addTimedColumns(*rows, words(QT_TRANSLATE_NOOP("Tables", "Total")));
  const int spread = rows->addColumn(distributionColumn());
  const int grid = rows->addColumn(textColumn(words(QT_TRANSLATE_NOOP("Tables", "Grid")), 96, 3));
  const int block = rows->addColumn(textColumn(words(QT_TRANSLATE_NOOP("Tables", "Block")), 90, 3));
  Column registers = countColumn(words(QT_TRANSLATE_NOOP("Tables", "Registers")), 4);
  registers.sum = SumRule::kNone;
  registers.width = 70;
  registers.description = words(QT_TRANSLATE_NOOP("Tables", "Registers a thread"));
  const int register_ = rows->addColumn(registers);
  Column shared;
  shared.title = words(QT_TRANSLATE_NOOP("Tables", "Shared"));
  shared.role = ColumnRole::kBytes;
  shared.width = 82;
  shared.hideRank = 4;
  shared.description = words(QT_TRANSLATE_NOOP("Tables", "Shared memory a block"));
  const int sharedAt = rows->addColumn(shared);
  const LaunchColumns launch = addLaunchColumns(*rows);
  rows->slices.emplace_back(run.runNumber, run.facts);
  const auto texts = [&](int column) -> TextCells& { return rows->texts[static_cast<std::size_t>(column)]; };
  const auto numbers = [&](int column) -> std::vector<double>& {
    return rows->numbers[static_cast<std::size_t>(column)];
  };
  const std::vector<KernelLaunches> launches = kernelLaunches(trace, kernels);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const KernelRow& kernel = kernels[i];
    texts(name).add(textOf(std::string_view(kernel.shortName)));
    rows->fullNames.add(textOf(std::string_view(demangledName(trace.strings.view(kernel.name)))));
    texts(caller).add(launchedBy(trace, kernel.operators));
    rows->kinds.push_back(kernel.kind);
    addTimedCells(*rows, timed,
                  {kernel.calls, kernel.totalNs, kernel.totalShare, kernel.minNs, kernel.meanNs, kernel.medianNs,
                   kernel.p95Ns, kernel.maxNs});
    rows->spreads.push_back({spreadOf(run.runNumber, durationsOf(trace, kernel.slices))});
    texts(grid).add(shape(kernel.grid));
    texts(block).add(shape(kernel.block));
    numbers(register_).push_back(orUnknown(kernel.registersPerThread));
    numbers(sharedAt).push_back(orUnknown(kernel.sharedMemoryBytes));
    addLaunchCells(*rows, launch, kernel, launches[i]);
    rows->slices[0].addRow(kernel.slices);
  }
  finishTimed(*rows, timed);
  chooseTimeUnit(*rows, {launch.launch, launch.queue});
  chooseByteUnit(*rows, sharedAt);
  scaleSpreads(*rows, spread);
  rows->slices[0].finish();
  groupByKind(*rows, kindTitles);
  return rows;
}

SharedRows leafOperatorRows(const RunInput& run, const QStringList& kindTitles) {
  const Trace& trace = *run.facts->trace;
  const std::vector<WorkingOperator> operators = workingOperators(run, workingNames(run));
  auto rows = makeFreedAside<TableRows>();
  rows->rowCount = operators.size();
  rows->note =
      words(QT_TRANSLATE_NOOP("Tables", "No device kernels: leaf operators of the CPU and those that work themselves"));
  const int name = rows->addColumn(nameColumn(words(QT_TRANSLATE_NOOP("Tables", "Operator")), 260));
  const int caller = rows->addColumn(textColumn(words(QT_TRANSLATE_NOOP("Tables", "Called by")), 180, 2));
  const TimedColumns timed = addTimedColumns(*rows, words(QT_TRANSLATE_NOOP("Tables", "Host self")));
  const int spread = rows->addColumn(distributionColumn());
  rows->slices.emplace_back(run.runNumber, run.facts);
  double sum = 0;
  for (const WorkingOperator& row : operators) sum += static_cast<double>(row.selfNs);
  for (const WorkingOperator& row : operators) {
    std::vector<std::int64_t> times = selfTimes(run, row.nodes);
    const Spread figures = spreadOf(run.runNumber, times);
    std::sort(times.begin(), times.end());
    const std::size_t n = times.size();
    TimedRow cells{row.nodes.size(), row.selfNs, sum > 0 ? static_cast<double>(row.selfNs) / sum : 0, 0, 0, 0, 0, 0};
    if (n > 0) {
      // The mean is half up and the median that of the middle two, as for kernels.
      cells.minNs = times.front();
      cells.maxNs = times.back();
      cells.meanNs = (2 * row.selfNs + static_cast<std::int64_t>(n)) / (2 * static_cast<std::int64_t>(n));
      cells.medianNs = n % 2 == 1 ? times[n / 2] : (times[n / 2 - 1] + times[n / 2] + 1) / 2;
      cells.p95Ns = figures.p95;
    }
    rows->texts[static_cast<std::size_t>(name)].add(textOf(trace, row.name));
    rows->texts[static_cast<std::size_t>(caller)].add(mostCallers(run, row.nodes));
    rows->kinds.push_back(row.kind);
    addTimedCells(*rows, timed, cells);
    rows->spreads.push_back({figures});
    rows->slices[0].addRow(slicesOfNodes(run, row.nodes));
  }
  finishTimed(*rows, timed);
  scaleSpreads(*rows, spread);
  rows->slices[0].finish();
  groupByKind(*rows, kindTitles);
  return rows;
}

SharedRows comparedKernelRows(const std::vector<RunInput>& runs, const Comparison& comparison,
                              const QStringList& kindTitles) {
  std::vector<std::unordered_map<std::string_view, const KernelRow*>> byName(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const KernelRow& row : runs[i].tables->kernels.rows) {
      byName[i].emplace(runs[i].facts->trace->strings.view(row.name), &row);
    }
  }
  std::vector<ComparedLine> lines;
  lines.reserve(comparison.kernels.size());
  for (const KernelGroup& group : comparison.kernels) {
    ComparedLine line;
    line.name = textOf(std::string_view(group.shortName));
    line.fullName = textOf(std::string_view(demangledName(group.name)));
    line.launchedBy = textOf(std::string_view(group.launchedBy));
    line.kind = group.kind;
    line.match = group.match;
    line.sides.resize(runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
      ComparedLine::Side& side = line.sides[i];
      side.has = group.runs[i].calls > 0;
      side.calls = group.runs[i].calls;
      side.totalNs = group.runs[i].totalNs;
      const auto row = byName[i].find(group.name);
      if (row == byName[i].end()) continue;
      side.slices = row->second->slices;
      side.durations = durationsOf(*runs[i].facts->trace, side.slices);
    }
    lines.push_back(std::move(line));
  }
  return comparedRows(runs, std::move(lines), words(QT_TRANSLATE_NOOP("Tables", "Kernel")),
                      words(QT_TRANSLATE_NOOP("Tables", "Launched by")),
                      words(QT_TRANSLATE_NOOP("Tables", "Kernel time")), kindTitles);
}

SharedRows comparedLeafRows(const std::vector<RunInput>& runs, const QStringList& kindTitles) {
  std::map<std::string_view, std::size_t> places;
  std::vector<ComparedLine> lines;
  std::set<std::string_view> names;
  for (const RunInput& run : runs) names.merge(workingNames(run));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const WorkingOperator& row : workingOperators(runs[i], names)) {
      const std::string_view name = runs[i].facts->trace->strings.view(row.name);
      const auto [at, added] = places.try_emplace(name, lines.size());
      if (added) {
        ComparedLine line;
        line.name = textOf(name);
        line.fullName = line.name;
        line.kind = row.kind;
        line.sides.resize(runs.size());
        lines.push_back(std::move(line));
      }
      ComparedLine& line = lines[at->second];
      if (line.launchedBy.isEmpty()) line.launchedBy = mostCallers(runs[i], row.nodes);
      // Names that differ only in being an annotation meet in one row: their figures add up.
      ComparedLine::Side& side = line.sides[i];
      side.has = true;
      side.calls += row.nodes.size();
      side.totalNs += row.selfNs;
      const std::vector<std::int64_t> times = selfTimes(runs[i], row.nodes);
      side.durations.insert(side.durations.end(), times.begin(), times.end());
      const std::vector<SliceId> slices = slicesOfNodes(runs[i], row.nodes);
      side.slices.insert(side.slices.end(), slices.begin(), slices.end());
    }
  }
  const auto amount = [](const ComparedLine& line) {
    std::int64_t most = 0;
    for (const ComparedLine::Side& side : line.sides) {
      most = std::max(most, std::abs(side.totalNs - line.sides.front().totalNs));
    }
    return most;
  };
  std::stable_sort(lines.begin(), lines.end(),
                   [&](const ComparedLine& a, const ComparedLine& b) { return amount(a) > amount(b); });
  auto rows = comparedRows(runs, std::move(lines), words(QT_TRANSLATE_NOOP("Tables", "Operator")),
                           words(QT_TRANSLATE_NOOP("Tables", "Called by")),
                           words(QT_TRANSLATE_NOOP("Tables", "Host self time")), kindTitles);
  auto noted = makeFreedAside<TableRows>(*rows);
  QStringList without;
  for (const RunInput& run : runs) {
    if (!run.facts->trace->hasDeviceWork()) without << run.letter;
  }
  noted->note =
      words(QT_TRANSLATE_NOOP(
                "Tables",
                "No device kernels in %1: leaf operators of the CPU and those that work themselves, host self time"))
          .arg(without.join(QStringLiteral(", ")));
  return noted;
}

}  // namespace attnscope::ui
