// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/CompareRows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include <QCoreApplication>

#include "ui/bridge/Format.h"
#include "ui/bridge/FreedAside.h"
#include "ui/tables/RowParts.h"

namespace attnscope::ui {

namespace {

constexpr std::size_t kChangesNamed = 3;

QString words(const char* text) { return QCoreApplication::translate("Tables", text); }

// "aten::bmm, aten::softmax → aten::scaled_dot_product_attention"; the same names once.
QString titleOf(const ComparisonGroup& group, const std::string& name) {
  if (group.isUnlinked) return words(QT_TRANSLATE_NOOP("Tables", "Device work linked to no operator"));
  if (group.isProfiler) return words(QT_TRANSLATE_NOOP("Tables", "The profiler's own work, not in the verdict"));
  return textOf(std::string_view(name)).replace(QStringLiteral(" -> "), QStringLiteral(" → "));
}

QString kernelsOf(const std::vector<LaunchedKernel>& kernels) {
  if (kernels.empty()) return {};
  const QString first = textOf(std::string_view(kernels.front().shortName));
  return kernels.size() == 1 ? first : QStringLiteral("%1 + %2").arg(first).arg(kernels.size() - 1);
}

// Kernels of the base and of the first other run; one name where both launch the same.
QString kernelWords(const ComparisonGroup& group) {
  const QString base = kernelsOf(group.kernels[0]);
  const QString other = kernelsOf(group.kernels[1]);
  if (base == other || other.isEmpty()) return base;
  return base.isEmpty() ? other : QStringLiteral("%1 → %2").arg(base, other);
}

std::vector<std::vector<SliceId>> slicesByGroup(const RunInput& run, const Comparison& comparison, std::size_t at) {
  std::vector<std::vector<SliceId>> slices(comparison.groups.size());
  const std::vector<std::uint32_t>& groupOfNode = comparison.groupOfNode[at];
  const OperatorTree& tree = run.facts->tree;
  const Trace& trace = *run.facts->trace;
  const TimeRange scope = run.tables->scope;
  for (std::size_t node = 0; node < groupOfNode.size(); ++node) {
    const SliceId slice = tree.nodes[node].slice;
    if (groupOfNode[node] == Comparison::kNoGroup || !scope.contains(trace.slices.startNs[index(slice)])) continue;
    slices[groupOfNode[node]].push_back(slice);
  }
  const auto unlinked = std::find_if(comparison.groups.begin(), comparison.groups.end(),
                                     [](const ComparisonGroup& group) { return group.isUnlinked; });
  for (std::size_t i = 0; i < trace.deviceWork.size(); ++i) {
    const SliceId slice = trace.deviceWork.slice[i];
    if (trace.slices.categoryClass[index(slice)] == CategoryClass::kSynchronisation) continue;
    if (!scope.contains(trace.slices.startNs[index(slice)])) continue;
    const SliceId launcher = trace.deviceWork.launchOperator[i];
    const std::uint32_t node = launcher == kNoSlice ? OperatorNode::kNone : tree.nodeOfSlice[index(launcher)];
    const bool isLinked = node != OperatorNode::kNone && groupOfNode[node] != Comparison::kNoGroup;
    if (!isLinked && unlinked == comparison.groups.end()) continue;
    const auto group = isLinked ? groupOfNode[node] : static_cast<std::size_t>(unlinked - comparison.groups.begin());
    slices[group].push_back(slice);
  }
  for (std::vector<SliceId>& of : slices) {
    std::sort(of.begin(), of.end(), [&](SliceId a, SliceId b) {
      const std::int64_t startA = trace.slices.startNs[index(a)];
      const std::int64_t startB = trace.slices.startNs[index(b)];
      return startA != startB ? startA < startB : a < b;
    });
  }
  return slices;
}

class Maker {
 public:
  Maker(const std::vector<RunInput>& runs, const Comparison& comparison, Normalisation normalisation)
      : m_runs(runs), m_comparison(comparison), m_normalisation(normalisation), m_rows(makeFreedAside<TableRows>()) {}

  std::shared_ptr<TableRows> make(const QStringList& kindTitles) {
    if (m_comparison.byDevice) collectKernels();
    m_rows->rowCount = m_comparison.groups.size() + m_kernelRows.size();
    addColumns();
    for (const ComparisonGroup& group : m_comparison.groups) addRow(group);
    for (const KernelRow& kernel : m_kernelRows) addRow(kernel);
    addDifferences();
    addSlices();
    m_kernelRows.empty() ? groupByKind(*m_rows, kindTitles) : makeTree();
    return m_rows;
  }

 private:
  struct KernelRow {  // what one group's calls launched under one name
    std::size_t group = 0;
    const LaunchedKernel* any = nullptr;  // of the first run that has it
    std::vector<KernelGroup::Figures> ofRun;
  };
  void collectKernels() {
    for (std::size_t group = 0; group < m_comparison.groups.size(); ++group) {
      std::map<std::string_view, std::size_t> known;
      for (std::size_t run = 0; run < m_runs.size(); ++run) {
        for (const LaunchedKernel& kernel : m_comparison.groups[group].kernels[run]) {
          const auto [at, isNew] = known.try_emplace(kernel.name, m_kernelRows.size());
          if (isNew) m_kernelRows.push_back({group, &kernel, std::vector<KernelGroup::Figures>(m_runs.size())});
          KernelGroup::Figures& figures = m_kernelRows[at->second].ofRun[run];
          figures.calls += kernel.calls;  // groups paired by hand may name one twice
          figures.totalNs += kernel.totalNs;
        }
      }
    }
  }
  void makeTree() {
    m_rows->partsFrom = m_comparison.groups.size();
    m_rows->openDepth = 1;
    for (std::size_t i = 0; i < m_comparison.groups.size(); ++i) m_rows->addTreeRow(RowSlices::kNoRow);
    for (const KernelRow& kernel : m_kernelRows) m_rows->addTreeRow(static_cast<std::uint32_t>(kernel.group));
  }
  void addColumns() {
    m_name = m_rows->addColumn(nameColumn(words(QT_TRANSLATE_NOOP("Tables", "Operator")), 240));
    m_kernels = m_rows->addColumn(textColumn(words(QT_TRANSLATE_NOOP("Tables", "Kernels")), 190, 1));
    m_rows->columns.back().description = words(
        QT_TRANSLATE_NOOP("Tables", "What the calls launched, the longest first; of both sides where they differ"));
    m_match = m_rows->addColumn(textColumn(words(QT_TRANSLATE_NOOP("Tables", "Match")), 76, 3));
    m_rows->columns.back().description = words(QT_TRANSLATE_NOOP(
        "Tables", "Exact: same call, same place. Signature: same call elsewhere. Role: same place, other calls"));
    for (const RunInput& run : m_runs) {
      m_calls.push_back(m_rows->addColumn(ofRun(countColumn(words(QT_TRANSLATE_NOOP("Tables", "Calls")), 4), run)));
    }
    for (const RunInput& run : m_runs) {
      Column total = ofRun(timeColumn(timeTitle(), 0), run);
      total.width = 84;
      total.sum = m_normalisation == Normalisation::kCall ? SumRule::kNone : SumRule::kSum;
      m_totals.push_back(m_rows->addColumn(total));
    }
  }
  [[nodiscard]] QString timeTitle() const {
    switch (m_normalisation) {
      case Normalisation::kStep:
        return words(QT_TRANSLATE_NOOP("Tables", "A step"));
      case Normalisation::kCall:
        return words(QT_TRANSLATE_NOOP("Tables", "A call"));
      case Normalisation::kRun:
        break;
    }
    return words(QT_TRANSLATE_NOOP("Tables", "Total"));
  }
  static Column ofRun(Column column, const RunInput& run) {
    column.runNumber = run.runNumber;
    column.runLetter = run.letter;
    return column;
  }
  void addRow(const ComparisonGroup& group) {
    m_rows->texts[at(m_name)].add(titleOf(group, group.operatorName));
    QString full = titleOf(group, group.operatorName);
    if (!group.inputShapes.empty() && group.inputShapes != "[]") {
      full += QLatin1Char(' ') + textOf(std::string_view(group.inputShapes));
    }
    m_rows->fullNames.add(full);
    m_rows->texts[at(m_kernels)].add(kernelWords(group));
    m_rows->kinds.push_back(group.kind);
    std::vector<bool> has;
    for (std::size_t run = 0; run < m_runs.size(); ++run) {
      const RunFigures& figures = group.runs[run];
      has.push_back(figures.calls != 0 || figures.deviceNs != 0 || figures.hostSelfNs != 0);
      m_rows->numbers[at(m_calls[run])].push_back(has.back() ? static_cast<double>(figures.calls) : kUnknownNumber);
      const std::int64_t ns = m_comparison.byDevice ? figures.deviceNs : figures.hostSelfNs;
      const auto divisor = divisorOf(m_comparison, group, run, m_normalisation);
      const bool known = has.back() && divisor;
      m_rows->numbers[at(m_totals[run])].push_back(known ? static_cast<double>(ns) / *divisor : kUnknownNumber);
    }
    QString match = matchText(group.match, m_runs, has);
    if (group.isMadeByHand) match = words(QT_TRANSLATE_NOOP("Tables", "By hand"));
    m_rows->texts[at(m_match)].add(match);
  }
  void addRow(const KernelRow& kernel) {
    m_rows->texts[at(m_name)].add(textOf(std::string_view(kernel.any->shortName)));
    m_rows->fullNames.add(textOf(std::string_view(kernel.any->name)));
    m_rows->texts[at(m_kernels)].add(QString());
    m_rows->kinds.push_back(kernel.any->kind);
    std::vector<bool> has;
    for (std::size_t run = 0; run < m_runs.size(); ++run) {
      const KernelGroup::Figures& launched = kernel.ofRun[run];
      has.push_back(launched.calls != 0);
      const auto divisor = divisorOf(m_comparison, m_comparison.groups[kernel.group], run, m_normalisation);
      const bool known = has.back() && divisor;
      m_rows->numbers[at(m_calls[run])].push_back(has.back() ? static_cast<double>(launched.calls) : kUnknownNumber);
      m_rows->numbers[at(m_totals[run])].push_back(known ? static_cast<double>(launched.totalNs) / *divisor
                                                         : kUnknownNumber);
    }
    m_rows->texts[at(m_match)].add(kernelMatch(has));
  }
  // Kernels are new or gone; of several other runs it is said which have them.
  [[nodiscard]] QString kernelMatch(const std::vector<bool>& has) const {
    if (has.size() == 2 && !has[0]) return words(QT_TRANSLATE_NOOP("Tables", "New"));
    if (has.size() == 2 && !has[1]) return words(QT_TRANSLATE_NOOP("Tables", "Gone"));
    const bool isEverywhere = std::all_of(has.begin(), has.end(), [](bool value) { return value; });
    return isEverywhere ? words(QT_TRANSLATE_NOOP("Tables", "Same")) : matchText(MatchKind::kExact, m_runs, has);
  }
  void addDifferences() {
    chooseTimeUnit(*m_rows, m_totals);
    const QString what = m_comparison.byDevice ? words(QT_TRANSLATE_NOOP("Tables", "Device time"))
                                               : words(QT_TRANSLATE_NOOP("Tables", "Host self time"));
    for (std::size_t run = 1; run < m_runs.size(); ++run) {
      const int delta = addDifference(*m_rows, m_runs[0], m_runs[run], m_totals[0], m_totals[run], what);
      // Of several other runs none leads: the groups stand by the largest difference of any, as they are made.
      if (m_runs.size() == 2) m_rows->sortColumn = delta;
      Column part;
      part.title = words(QT_TRANSLATE_NOOP("Tables", "Of it"));
      part.role = ColumnRole::kDeltaShare;
      part.width = 66;
      part.hideRank = 2;
      part.sum = SumRule::kSum;
      part.description = words(QT_TRANSLATE_NOOP(
          "Tables", "Part of the whole difference; minus works against it, so that others may be over 100 %"));
      const int column = m_rows->addColumn(part);
      for (const ComparisonGroup& group : m_comparison.groups) {
        m_rows->numbers[at(column)].push_back(contributionOf(m_comparison, group, run).value_or(kUnknownNumber));
      }
      const auto whole = static_cast<double>(m_comparison.totalNs(run) - m_comparison.totalNs(0));
      for (const KernelRow& kernel : m_kernelRows) {
        const auto change = static_cast<double>(kernel.ofRun[run].totalNs - kernel.ofRun[0].totalNs);
        m_rows->numbers[at(column)].push_back(whole == 0 ? kUnknownNumber : change / whole);
      }
    }
  }
  void addSlices() {
    for (std::size_t run = 0; run < m_runs.size(); ++run) {
      RowSlices& slices = m_rows->slices.emplace_back(m_runs[run].runNumber, m_runs[run].facts);
      std::vector<std::vector<SliceId>> ofGroups = slicesByGroup(m_runs[run], m_comparison, run);
      std::vector<std::vector<SliceId>> ofKernels = slicesByKernel(run, ofGroups);
      for (std::vector<SliceId>& of : ofGroups) slices.addRow(std::move(of));
      for (std::vector<SliceId>& of : ofKernels) slices.addRow(std::move(of));
      slices.finish();
    }
  }
  // By kernel row, from the slices of the groups.
  [[nodiscard]] std::vector<std::vector<SliceId>> slicesByKernel(
      std::size_t run, const std::vector<std::vector<SliceId>>& ofGroups) const {
    std::vector<std::vector<SliceId>> slices(m_kernelRows.size());
    const Trace& trace = *m_runs[run].facts->trace;
    for (std::size_t first = 0; first < m_kernelRows.size();) {
      const std::size_t group = m_kernelRows[first].group;
      std::map<std::string_view, std::size_t> rowOf;
      std::size_t next = first;
      for (; next < m_kernelRows.size() && m_kernelRows[next].group == group; ++next) {
        rowOf.emplace(m_kernelRows[next].any->name, next);
      }
      for (const SliceId slice : ofGroups[group]) {
        const CategoryClass category = trace.slices.categoryClass[index(slice)];
        const bool isWork = category == CategoryClass::kKernel || category == CategoryClass::kGpuMemcpy ||
                            category == CategoryClass::kGpuMemset;
        if (!isWork) continue;
        if (const auto row = rowOf.find(trace.name(slice)); row != rowOf.end()) slices[row->second].push_back(slice);
      }
      first = next;
    }
    return slices;
  }
  [[nodiscard]] static std::size_t at(int column) { return static_cast<std::size_t>(column); }

  const std::vector<RunInput>& m_runs;
  const Comparison& m_comparison;
  Normalisation m_normalisation;
  std::shared_ptr<TableRows> m_rows;
  std::vector<KernelRow> m_kernelRows;  // by group
  int m_name = 0;
  int m_kernels = 0;
  int m_match = 0;
  std::vector<int> m_calls;
  std::vector<int> m_totals;
};

}  // namespace

SharedRows comparedGroupRows(const std::vector<RunInput>& runs, const Comparison& comparison,
                             Normalisation normalisation, const QStringList& kindTitles) {
  auto rows = Maker(runs, comparison, normalisation).make(kindTitles);
  QStringList lines;
  if (comparison.comparable != Comparable::kNo) {
    const std::size_t each = runs.size() == 2 ? kChangesNamed : 1;
    for (std::size_t run = 1; run < runs.size(); ++run) lines << changeLines(runs, comparison, run, each);
  }
  lines << peakLines(runs, comparison);
  rows->note = lines.join(QLatin1Char('\n'));
  return rows;
}

QStringList changeLines(const std::vector<RunInput>& runs, const Comparison& comparison, std::size_t run,
                        std::size_t count) {
  QStringList lines;
  for (const std::size_t i : largestChanges(comparison, run, count)) {
    const ComparisonGroup& group = comparison.groups[i];
    const auto part = contributionOf(comparison, group, run);
    const std::int64_t delta = comparison.deltaNs(group, run);
    const QString sign = delta < 0 ? QString(QChar(0x2212)) : QStringLiteral("+");
    lines << words(QT_TRANSLATE_NOOP("Tables", "%1%2, %3 of what %4 differs by: %5"))
                 .arg(sign, format::time(std::abs(static_cast<double>(delta))), format::percent(part.value_or(0)),
                      runs[run].letter, titleOf(group, nameBetween(group, run)));
  }
  return lines;
}

QStringList peakLines(const std::vector<RunInput>& runs, const Comparison& comparison) {
  QStringList lines;
  for (const MemoryComparison& memory : comparison.memory) {
    std::int64_t most = 0;
    for (const auto& peak : memory.peakBytes) most = std::max(most, peak.value_or(0));
    const format::ByteUnit unit = format::byteUnitFor(most);
    QStringList peaks;
    for (std::size_t run = 0; run < runs.size(); ++run) {
      const auto& peak = memory.peakBytes[run];
      const QString bytes =
          peak ? QStringLiteral("%1 %2").arg(format::bytesIn(static_cast<double>(*peak), unit), format::unitName(unit))
               : format::unknown();
      peaks << QStringLiteral("%1 %2").arg(runs[run].letter, bytes);
    }
    lines << words(QT_TRANSLATE_NOOP("Tables", "Peak memory of %1: %2"))
                 .arg(textOf(std::string_view(memory.device)), peaks.join(QStringLiteral(", ")));
  }
  return lines;
}

}  // namespace attnscope::ui
