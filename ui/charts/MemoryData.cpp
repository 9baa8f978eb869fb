// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/MemoryData.h"

#include <algorithm>
#include <limits>

#include <QCoreApplication>

#include "core/analysis/Memory.h"
#include "ui/bridge/Format.h"
#include "ui/bridge/FreedAside.h"

namespace attnscope::ui {
namespace {

const MemorySeries* seriesOf(const std::vector<MemorySeries>& all, const std::string& device) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const MemorySeries& one) { return one.device == device; });
  return at == all.end() ? nullptr : &*at;
}

std::vector<double> levels(const std::vector<std::int64_t>& bytes) {
  std::vector<double> values;
  values.reserve(bytes.size());
  for (const std::int64_t level : bytes) {
    values.push_back(level == kNoNumber ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(level));
  }
  return values;
}

QString holderWords(const Trace& trace, const MemorySeries& series) {
  if (series.holdersAtPeak.empty()) return {};
  const MemoryHolder& holder = series.holdersAtPeak.front();
  const QString bytes = format::bytes(static_cast<double>(holder.bytes));
  if (holder.operatorName == kNoString) {
    return QCoreApplication::translate("MemoryPage", "%1 outside operators").arg(bytes);
  }
  const std::string_view name = trace.strings.view(holder.operatorName);
  return QCoreApplication::translate("MemoryPage", "most in %1: %2")
      .arg(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())), bytes);
}

}  // namespace

QStringList memoryDevices(const std::vector<MemoryInput>& runs) {
  QStringList devices;
  for (const MemoryInput& run : runs) {
    for (const MemorySeries& series : run.facts->memory) {
      const QString device = QString::fromStdString(series.device);
      if (!series.atNs.empty() && !devices.contains(device)) devices << device;
    }
  }
  std::stable_sort(devices.begin(), devices.end(), [](const QString& a, const QString& b) {
    const QString cpu = QStringLiteral("cpu");
    if ((a == cpu) != (b == cpu)) return a == cpu;
    return a < b;
  });
  return devices;
}

std::shared_ptr<const MemoryRuns> memoryRuns(const std::vector<MemoryInput>& runs, const QString& device) {
  auto result = makeFreedAside<MemoryRuns>();
  const std::string name = device.toStdString();
  for (const MemoryInput& input : runs) {
    const Trace& trace = *input.facts->trace;
    const MemorySeries* whole = seriesOf(input.facts->memory, name);
    if (whole == nullptr || whole->atNs.empty()) continue;
    MemoryRun run;
    run.runNumber = input.runNumber;
    run.letter = input.letter;
    run.title = input.title;
    run.isRelative = !whole->hasTotals;
    if (device == QLatin1String("cpu") && input.predictedPeakBytes) {
      run.predictedBytes = static_cast<double>(*input.predictedPeakBytes);
      run.predictionWords = input.predictionWords;
    }
    if (device == QLatin1String("cpu")) {
      run.measuredBytes = static_cast<double>(input.measuredPeakBytes.value_or(0));
      run.scoreMatrixBytes = static_cast<double>(input.scoreMatrixBytes.value_or(0));
      run.scoreMatrixWords = input.scoreMatrixWords;
    }
    const std::int64_t end = std::max(trace.dense.endNs, whole->atNs.back());
    run.allocated = StepSeries(whole->atNs, levels(whole->allocatedBytes), end);
    if (whole->reservedPeakBytes != kNoNumber && whole->reservedPeakBytes > 0) {
      run.reserved = StepSeries(whole->atNs, levels(whole->reservedBytes), end);
    }
    // The peak is that of the scope; who holds it is found for that moment.
    std::vector<MemorySeries> scoped;
    const MemorySeries* inScope = whole;
    if (input.scope != TimeRange::all()) {
      scoped = memorySeries(trace, input.scope);
      inScope = seriesOf(scoped, name);
    }
    if (inScope != nullptr && !inScope->atNs.empty()) {
      run.hasPeak = true;
      run.peakBytes = static_cast<double>(inScope->peakBytes);
      run.peakAtNs = inScope->peakAtNs;
      run.holder = holderWords(trace, *inScope);
    }
    result->push_back(std::move(run));
  }
  return result;
}

std::optional<MemoryDifference> memoryDifference(const MemoryRuns& runs, int runNumber, int baseNumber,
                                                 const std::vector<MemoryInput>& inputs) {
  const auto find = [](const auto& all, int number) {
    return std::find_if(all.begin(), all.end(), [number](const auto& each) { return each.runNumber == number; });
  };
  const auto other = find(runs, runNumber);
  const auto base = find(runs, baseNumber);
  if (other == runs.end() || base == runs.end() || other == base) return std::nullopt;
  MemoryDifference difference;
  difference.runNumber = runNumber;
  difference.baseNumber = baseNumber;
  difference.words = QStringLiteral("%1 − %2").arg(other->letter, base->letter);
  const std::int64_t shift = find(inputs, runNumber)->anchorNs - find(inputs, baseNumber)->anchorNs;
  difference.series = differenceOf(other->allocated, base->allocated, shift);
  return difference;
}

}  // namespace attnscope::ui
