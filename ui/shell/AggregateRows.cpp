// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/AggregateRows.h"

#include <algorithm>

#include <QCoreApplication>

#include "core/analysis/Kernels.h"
#include "ui/bridge/FreedAside.h"
#include "ui/tables/RowParts.h"

namespace attnscope::ui {

namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(attnscope::ui::SelectionPage)
};

// Spreads beyond this many rows are seen by nobody, and each costs a sort.
constexpr std::size_t kMostSpreads = 500;

QString nameTitle(AggregateBy by) {
  switch (by) {
    case AggregateBy::kName:
      return Words::tr("Name");
    case AggregateBy::kCategory:
      return Words::tr("Category");
    case AggregateBy::kOperator:
      return Words::tr("Operator");
    case AggregateBy::kKernel:
      break;
  }
  return Words::tr("Kernel");
}

QString nameOf(const Trace& trace, const AggregateRow& row, AggregateBy by) {
  if (row.key == kNoString)
    return by == AggregateBy::kOperator ? Words::tr("in no operator") : Words::tr("without one");
  const bool isKernel = trace.slices.categoryClass[index(row.longest)] == CategoryClass::kKernel;
  const bool isName = by == AggregateBy::kName || by == AggregateBy::kKernel;
  return isKernel && isName ? textOf(shortKernelName(trace.strings.view(row.key))) : textOf(trace, row.key);
}

}  // namespace

SharedRows aggregateRows(const SliceAggregate& aggregate, AggregateBy by, int runNumber,
                         const std::shared_ptr<const RunFacts>& facts) {
  const Trace& trace = *facts->trace;
  const std::vector<AggregateRow> groups = aggregate.rows();
  auto rows = makeFreedAside<TableRows>();
  rows->rowCount = groups.size();
  const int name = rows->addColumn(nameColumn(nameTitle(by), 220));
  const int count = rows->addColumn(countColumn(Words::tr("Slices"), 4));
  Column bar = timeColumn(Words::tr("Total"), 0);
  bar.role = ColumnRole::kTimeWithBar;
  bar.width = 120;
  bar.sum = SumRule::kSum;
  const int total = rows->addColumn(bar);
  Column own = timeColumn(Words::tr("Self"), 3);
  own.width = 84;
  own.sum = SumRule::kSum;
  own.description = Words::tr("Without the slices that lie directly inside");
  const int self = rows->addColumn(own);
  const int least = rows->addColumn(timeColumn(Words::tr("Min"), 7));
  const int mean = rows->addColumn(timeColumn(Words::tr("Mean"), 0));
  Column middle = timeColumn(Words::tr("Median"), 8);
  middle.width = 74;
  const int median = rows->addColumn(middle);
  const int p95 = rows->addColumn(timeColumn(QStringLiteral("p95"), 7));
  const int most = rows->addColumn(timeColumn(Words::tr("Max"), 8));
  const auto put = [&](int column, double value) { rows->numbers[static_cast<std::size_t>(column)].push_back(value); };
  RowSlices& slices = rows->slices.emplace_back(runNumber, facts);
  for (std::size_t at = 0; at < groups.size(); ++at) {
    const AggregateRow& row = groups[at];
    rows->texts[static_cast<std::size_t>(name)].add(nameOf(trace, row, by));
    rows->fullNames.add(textOf(trace, row.key));
    rows->kinds.push_back(static_cast<WorkKind>(facts->paintClass[index(row.longest)]));
    put(count, static_cast<double>(row.count));
    put(total, static_cast<double>(row.totalNs));
    put(self, static_cast<double>(row.selfNs));
    put(least, static_cast<double>(row.minNs));
    put(mean, static_cast<double>(row.meanNs));
    put(median, static_cast<double>(row.medianNs));
    put(p95, static_cast<double>(row.p95Ns));
    put(most, static_cast<double>(row.maxNs));
    std::vector<Spread> spreads;
    if (at < kMostSpreads) {
      const std::span<const std::int64_t> durations = aggregate.durations(row.key);
      spreads.push_back(spreadOf(runNumber, {durations.begin(), durations.end()}));
    }
    rows->spreads.push_back(std::move(spreads));
    const std::span<const SliceId> of = aggregate.slices(row.key);
    std::vector<SliceId> byStart(of.begin(), of.end());
    const auto isEarlier = [&](SliceId a, SliceId b) {
      return trace.slices.startNs[index(a)] < trace.slices.startNs[index(b)];
    };
    if (!std::is_sorted(byStart.begin(), byStart.end(), isEarlier)) {
      std::stable_sort(byStart.begin(), byStart.end(), isEarlier);
    }
    slices.addRow(std::move(byStart));
  }
  slices.finish();
  Column distribution;
  distribution.role = ColumnRole::kDistribution;
  distribution.width = 112;
  distribution.hideRank = 1;
  distribution.description = Words::tr("Durations on one scale");
  const int spread = rows->addColumn(distribution);
  scaleSpreads(*rows, spread);
  chooseTimeUnit(*rows, {total, self});
  chooseTimeUnit(*rows, {least, mean, median, p95, most});
  scaleToSum(*rows, total);
  rows->sortColumn = total;
  return rows;
}

}  // namespace attnscope::ui
