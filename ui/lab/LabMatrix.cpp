// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of the results: LabFigures.h, matrixOf().

#include <algorithm>
#include <cmath>

#include <QCoreApplication>
#include <QStringList>

#include "core/problem/Cards.h"
#include "ui/lab/Choice.h"
#include "ui/lab/LabFigures.h"

namespace attnscope::ui {

namespace {

QString words(const char* text) { return QCoreApplication::translate("LabFigures", text); }

QString stageWords(ImplementationStage stage) {
  switch (stage) {
    case ImplementationStage::kWaiting:
      return words("waiting");
    case ImplementationStage::kAllocating:
      return words("allocating");
    case ImplementationStage::kChecking:
      return words("checking");
    case ImplementationStage::kChecked:
      return words("checked");
    case ImplementationStage::kWarming:
      return words("warming up");
    case ImplementationStage::kReady:
      return words("ready");
    case ImplementationStage::kTiming:
      return words("timing");
    case ImplementationStage::kTimed:
      return words("timed");
    case ImplementationStage::kProfiling:
      return words("profiling");
    case ImplementationStage::kDone:
      return words("done");
    case ImplementationStage::kRefused:
      return words("refused");
    case ImplementationStage::kFailed:
      return words("failed");
  }
  return {};
}

// What came out of a run that was stopped is neither waiting nor timing any more.
QString stateWords(const RunResult& result, const ImplementationResult& implementation, ImplementationStage stage,
                   bool ended) {
  if (implementation.error && !implementation.error->passed()) return words("wrong");
  if (ended && !isOut(stage) && stage != ImplementationStage::kDone) {
    return result.ending == RunEnding::kCancelled || result.ending == RunEnding::kFailed ? words("stopped")
                                                                                         : words("done");
  }
  return stageWords(stage);
}

constexpr double kMilli = 1e3;

struct Units {
  format::TimeUnit time = format::TimeUnit::kUs;
  bool isTera = false;
};

bool isWrong(const ImplementationResult& implementation) {
  return implementation.error && !implementation.error->passed();
}

// One unit a column, by its largest value.
Units unitsOf(const RunResult& result) {
  double largestNs = 0;
  double largestRate = 0;
  for (const ImplementationResult& implementation : result.implementations) {
    if (isWrong(implementation) || implementation.samples.empty()) continue;
    largestNs = std::max(largestNs, timeOf(implementation, result.plan.metric()).medianNs);
    largestRate = std::max(largestRate, flopsPerSecond(implementation, result.plan.metric()).value_or(0));
  }
  Units units;
  if (largestNs > 0) units.time = format::unitFor(static_cast<std::int64_t>(largestNs));
  units.isTera = largestRate >= 1e12;
  return units;
}

MatrixCell mebibytes(const std::optional<std::int64_t>& bytes, RowTone tone) {
  if (!bytes) return {format::unknown(), RowTone::kQuiet};
  return {format::bytesIn(static_cast<double>(*bytes), format::ByteUnit::kMiB), tone};
}

void putTiming(MatrixRow& row, const RunResult& result, std::size_t position, const Units& units) {
  const ImplementationResult& implementation = result.implementations[position];
  const TimeStatistics time = timeOf(implementation, result.plan.metric());
  if (time.n == 0) return;
  row.cells[kTime] = {format::timeIn(time.medianNs, units.time), RowTone::kPlain};
  if (time.lowNs && time.highNs) {
    const double half = (*time.highNs - *time.lowNs) / 2;
    row.cells[kPlusMinus] = {format::timeIn(half, units.time), RowTone::kQuiet};
  }
  if (position == 0) {
    row.cells[kVersus] = {numberText(1, 2) + QChar(0x00D7), RowTone::kPlain};
  } else {
    const PairedComparison paired = comparedWithBaseline(result, position);
    if (paired.ratio && *paired.ratio > 0) {
      const double speed = 1 / *paired.ratio;
      const RowTone tone = paired.verdict == TimingVerdict::kFaster   ? RowTone::kFaster
                           : paired.verdict == TimingVerdict::kSlower ? RowTone::kSlower
                                                                      : RowTone::kPlain;
      row.cells[kVersus] = {numberText(speed, speed < 9.995 ? 2 : 1) + QChar(0x00D7), tone};
    }
  }
  if (const auto rate = flopsPerSecond(implementation, result.plan.metric())) {
    const double value = *rate / (units.isTera ? 1e12 : 1e9);
    row.cells[kRate] = {numberText(value, value < 100 ? 1 : 0), RowTone::kPlain};
  }
  if (const auto share = roofShare(result, implementation)) {
    row.roofShare = *share;
    row.cells[kShare] = {format::percent(*share), RowTone::kPlain};
  }
  if (const auto atBest = predictedNs(result, implementation)) {
    row.cells[kAtBest] = {format::timeIn(*atBest, units.time), RowTone::kQuiet};
  }
  if (implementation.joulesPerCall) {
    row.cells[kEnergy] = {numberText(*implementation.joulesPerCall * kMilli, 2), RowTone::kPlain};
  }
  if (const auto cost = profilerCostRatio(implementation)) {
    row.cells[kProfiled] = {numberText(*cost, 2) + QChar(0x00D7), RowTone::kQuiet};
  }
}

// Columns beyond what every run has are there where something was measured.
void dropUnmeasured(Matrix& matrix) {
  for (const MatrixColumn column : {kResident, kAtBest, kEnergy, kProfiled}) {
    const bool anyKnown = std::any_of(matrix.rows.begin(), matrix.rows.end(), [column](const MatrixRow& row) {
      return row.cells[column].text != format::unknown();
    });
    if (!anyKnown) matrix.heads[column].clear();
  }
}

}  // namespace

QString sentenceOf(const ImplementationResult& implementation) {
  if (!implementation.available) return words("Refused: %1").arg(QString::fromStdString(implementation.reason));
  if (!implementation.failure) return {};
  QString text =
      words("While %1: %2")
          .arg(phaseWord(implementation.failure->phase), QString::fromStdString(implementation.failure->reason));
  if (!text.endsWith(u'.')) text += u'.';
  if (const std::size_t kept = implementation.samples.size(); kept > 0) {
    text += u' ' + words("%1 rounds of it are kept.").arg(kept);
  } else {
    text += u' ' + words("The others are not affected.");
  }
  return text;
}

Matrix matrixOf(const RunResult& result, std::span<const ImplementationStage> stages,
                std::optional<std::size_t> current) {
  const Units units = unitsOf(result);
  Matrix matrix;
  matrix.unit = units.time;
  matrix.heads[kTime] = words("Time %1").arg(format::unitName(units.time));
  matrix.heads[kPlusMinus] = QStringLiteral("±");
  matrix.heads[kVersus] = words("vs A");
  matrix.heads[kPeak] = words("Peak MiB");
  matrix.heads[kPredicted] = words("Predicted");
  matrix.heads[kResident] = words("Resident");
  matrix.heads[kError] = words("Error");
  matrix.heads[kRate] = units.isTera ? words("TFLOP/s") : words("GFLOP/s");
  matrix.heads[kShare] = words("Of roof");
  matrix.heads[kAtBest] = words("At best");
  matrix.heads[kEnergy] = words("mJ a call");
  matrix.heads[kProfiled] = words("Profiled");
  std::size_t rounds = 0;
  const bool ended =
      std::all_of(stages.begin(), stages.end(),
                  [](ImplementationStage stage) { return isOut(stage) || stage == ImplementationStage::kDone; }) ||
      result.ending != RunEnding::kComplete;
  for (std::size_t i = 0; i < result.implementations.size(); ++i) {
    const ImplementationResult& implementation = result.implementations[i];
    const ImplementationStage stage = i < stages.size() ? stages[i] : ImplementationStage::kWaiting;
    MatrixRow row;
    row.letter = labLetter(static_cast<int>(i));
    const Card* card = findCard(implementation.id);
    row.title = card == nullptr ? QString::fromStdString(implementation.id)
                                : QString::fromUtf8(card->title.data(), static_cast<qsizetype>(card->title.size()));
    row.state = stateWords(result, implementation, stage, ended);
    row.isCurrent = current == i && stage != ImplementationStage::kReady;  // warm, and waiting for the first round
    if (stage == ImplementationStage::kDone) row.stateIcon = QStringLiteral("check");
    if (stage == ImplementationStage::kRefused) row.stateIcon = QStringLiteral("refused");
    if (stage == ImplementationStage::kFailed) row.stateIcon = QStringLiteral("problem");
    row.cells.fill({format::unknown(), RowTone::kQuiet});
    row.cells[kPeak] = mebibytes(implementation.peakBytes, RowTone::kPlain);
    row.cells[kPredicted] = mebibytes(implementation.predictedPeakBytes, RowTone::kQuiet);
    row.cells[kResident] = mebibytes(implementation.residentPeakBytes, RowTone::kQuiet);
    if (implementation.error) {
      row.cells[kError] = {format::relativeError(implementation.error->relativeL2),
                           isWrong(implementation) ? RowTone::kWrong : RowTone::kPlain};
    }
    // Correctness first: what is wrong has no time.
    if (!isWrong(implementation)) {
      putTiming(row, result, i, units);
      rounds = std::max(rounds, implementation.samples.size());
    }
    row.sentence = sentenceOf(implementation);
    matrix.rows.push_back(std::move(row));
  }
  dropUnmeasured(matrix);
  if (rounds > 0) {
    matrix.note = rounds < kFewestForInterval ? words("median of %1 rounds, too few for an interval").arg(rounds)
                                              : words("median of %1 rounds, 95 % interval").arg(rounds);
  }
  return matrix;
}

QString columnTip(MatrixColumn column) {
  switch (column) {
    case kTime:
      return words("Median time of a call over the timed rounds");
    case kPlusMinus:
      return words("Half of the 95 % interval of the median");
    case kVersus:
      return words("How many times as fast as A, from the pairs of the same rounds");
    case kPeak:
      return words("Most memory that tensors held at once in a call, MiB");
    case kPredicted:
      return words("The peak by the formula on its card, MiB");
    case kResident:
      return words("How far the process's own memory rose in a warm call, MiB");
    case kError:
      return words("Relative error against float64");
    case kRate:
      return words("Useful floating point operations a second");
    case kShare:
      return words("Of what this machine's measured roofs allow at this problem's intensity");
    case kAtBest:
      return words("The time that the measured roofs allow at best, in the unit of the time");
    case kEnergy:
      return words("Energy of the whole processor in a call, mJ");
    case kProfiled:
      return words("A profiled call over a timed one: what the profiler costs. Times never come from it");
    case kMatrixColumns:
      break;
  }
  return {};
}

QString tabSeparated(const Matrix& matrix) {
  QStringList lines;
  QStringList heads{words("Letter"), words("Implementation"), words("State")};
  for (const QString& head : matrix.heads) {
    if (!head.isEmpty()) heads << (head == QStringLiteral("±") ? QStringLiteral("+-") : head);
  }
  lines << heads.join(u'\t');
  for (const MatrixRow& row : matrix.rows) {
    QStringList cells{row.letter, row.title, row.state};
    for (std::size_t column = 0; column < kMatrixColumns; ++column) {
      if (matrix.heads[column].isEmpty()) continue;
      const MatrixCell& cell = row.cells[column];
      QString text = cell.text == format::unknown() ? QString() : cell.text;
      text.replace(QChar(0x2212), QLatin1Char('-')).remove(QChar(0x202F)).replace(QChar(0x00D7), QLatin1Char('x'));
      cells << text;
    }
    lines << cells.join(u'\t');
  }
  return lines.join(u'\n') + u'\n';
}

}  // namespace attnscope::ui
