// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/TimedVerdict.h"

#include <algorithm>
#include <cmath>

#include <QCoreApplication>
#include <QLocale>

#include "ui/bridge/Format.h"

namespace attnscope::ui {
namespace {

constexpr std::size_t kMostMorePairs = 400;  // that are offered at once: some minutes

QString words(const char* text) { return QCoreApplication::translate("VerdictStrip", text); }

// Pairs of `other` against `base`, whichever of the plan they are.
PairedComparison paired(const RunResult& result, const TimedRun& base, const TimedRun& other) {
  RunResult pair = result;
  pair.implementations = {result.implementations[base.position], result.implementations[other.position]};
  return comparedWithBaseline(pair, 1);
}

VerdictTone toneOf(TimingVerdict verdict) {
  if (verdict == TimingVerdict::kFaster) return VerdictTone::kFaster;
  return verdict == TimingVerdict::kSlower ? VerdictTone::kSlower : VerdictTone::kPlain;
}

// "2.31× faster", "4.2 % slower": how many times the slower takes the time of the faster.
QString timesFaster(const PairedComparison& comparison) {
  const bool faster = comparison.verdict == TimingVerdict::kFaster;
  const QString amount = format::ratio(faster ? 1 / *comparison.ratio : *comparison.ratio);
  return faster ? words(QT_TRANSLATE_NOOP("VerdictStrip", "%1 faster")).arg(amount)
                : words(QT_TRANSLATE_NOOP("VerdictStrip", "%1 slower")).arg(amount);
}

// "95 % interval 2.28 to 2.34, 40 pairs, noise floor 0.6 %".
QString intervalWords(const PairedComparison& comparison) {
  QStringList parts;
  if (comparison.lowRatio && comparison.highRatio) {
    const bool faster = *comparison.ratio < 1;
    const double low = faster ? 1 / *comparison.highRatio : *comparison.lowRatio;
    const double high = faster ? 1 / *comparison.lowRatio : *comparison.highRatio;
    parts << words(QT_TRANSLATE_NOOP("VerdictStrip", "95 % interval %1 to %2"))
                 .arg(QLocale().toString(low, 'f', 2), QLocale().toString(high, 'f', 2));
  } else {
    parts << words(QT_TRANSLATE_NOOP("VerdictStrip", "Under 6 rounds: no interval"));
  }
  parts << words(QT_TRANSLATE_NOOP("VerdictStrip", "%1 pairs"))
               .arg(format::count(static_cast<std::int64_t>(comparison.pairs)));
  if (comparison.noiseFloorRatio) {
    parts
        << words(QT_TRANSLATE_NOOP("VerdictStrip", "noise floor %1")).arg(format::percent(*comparison.noiseFloorRatio));
  }
  if (comparison.pairsNeeded) {
    parts << words(QT_TRANSLATE_NOOP("VerdictStrip", "about %1 pairs would settle it"))
                 .arg(format::count(static_cast<std::int64_t>(*comparison.pairsNeeded)));
  }
  return parts.join(QStringLiteral(", "));
}

QString disturbanceName(DisturbanceKind kind) {
  switch (kind) {
    case DisturbanceKind::kDrift:
      return words(QT_TRANSLATE_NOOP("VerdictStrip", "drift"));
    case DisturbanceKind::kThrottling:
      return words(QT_TRANSLATE_NOOP("VerdictStrip", "slow-down"));
    case DisturbanceKind::kOutliers:
      return words(QT_TRANSLATE_NOOP("VerdictStrip", "outliers"));
    case DisturbanceKind::kTwoModes:
      return words(QT_TRANSLATE_NOOP("VerdictStrip", "two modes"));
  }
  return {};
}

// "A: drift; B: outliers, two modes": what was found in the samples; empty: nothing.
QString disturbanceWords(const PairedComparison& comparison, const QString& a, const QString& b) {
  QStringList sides;
  const auto add = [&sides](const QString& letter, const std::vector<Disturbance>& disturbances) {
    QStringList names;
    for (const Disturbance& each : disturbances) names << disturbanceName(each.kind);
    if (!names.isEmpty()) sides << QStringLiteral("%1: %2").arg(letter, names.join(QStringLiteral(", ")));
  };
  add(a, comparison.ofBase);
  add(b, comparison.ofOther);
  return sides.join(QStringLiteral("; "));
}

void twoRunSentence(Verdict& verdict, const PairedComparison& comparison, const QString& a, const QString& b) {
  switch (comparison.verdict) {
    case TimingVerdict::kFaster:
    case TimingVerdict::kSlower:
      verdict.sentence = {
          {words(QT_TRANSLATE_NOOP("VerdictStrip", "%1 is")).arg(b) + QLatin1Char(' '), VerdictTone::kPlain},
          {timesFaster(comparison), toneOf(comparison.verdict)},
          {QLatin1Char(' ') + words(QT_TRANSLATE_NOOP("VerdictStrip", "than %1")).arg(a), VerdictTone::kPlain}};
      return;
    case TimingVerdict::kWithinNoise:
      verdict.sentence = {{words(QT_TRANSLATE_NOOP("VerdictStrip", "No difference seen between %1 and %2")).arg(a, b),
                           VerdictTone::kPlain}};
      return;
    case TimingVerdict::kInconclusive: {
      const double change = std::abs(*comparison.ratio - 1);
      const double half =
          comparison.lowRatio && comparison.highRatio ? (*comparison.highRatio - *comparison.lowRatio) / 2 : 0;
      const QString text = *comparison.ratio < 1
                               ? words(QT_TRANSLATE_NOOP("VerdictStrip", "%1 may be faster: %2 ± %3"))
                               : words(QT_TRANSLATE_NOOP("VerdictStrip", "%1 may be slower: %2 ± %3"));
      verdict.sentence = {{text.arg(b, format::percent(change), format::percent(half)), VerdictTone::kPlain}};
      verdict.noteSign = VerdictSign::kInfo;
      return;
    }
    case TimingVerdict::kNone:
      verdict.sentence = {
          {comparison.pairs == 0
               ? words(QT_TRANSLATE_NOOP("VerdictStrip", "No verdict: %1 and %2 were not both timed")).arg(a, b)
               : words(QT_TRANSLATE_NOOP("VerdictStrip", "No verdict yet between %1 and %2")).arg(a, b),
           VerdictTone::kPlain}};
      verdict.noteSign = VerdictSign::kInfo;
      return;
  }
}

// The run whose pairs with the baseline show the most gain, or the baseline where none shows any.
void manyRunsSentence(Verdict& verdict, const std::vector<TimedRun>& runs,
                      const std::vector<PairedComparison>& comparisons) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    if (comparisons[i].verdict != TimingVerdict::kFaster) continue;
    if (best == 0 || *comparisons[i].ratio < *comparisons[best].ratio) best = i;
  }
  if (best == 0) {
    const bool timed = std::any_of(comparisons.begin() + 1, comparisons.end(),
                                   [](const PairedComparison& each) { return each.verdict != TimingVerdict::kNone; });
    verdict.sentence = {{timed
                             ? words(QT_TRANSLATE_NOOP("VerdictStrip", "No run is faster than %1")).arg(runs[0].letter)
                             : words(QT_TRANSLATE_NOOP("VerdictStrip", "No verdict yet")),
                         VerdictTone::kPlain}};
    return;
  }
  verdict.sentence = {
      {words(QT_TRANSLATE_NOOP("VerdictStrip", "%1 is the fastest")).arg(runs[best].letter) + QStringLiteral(", "),
       VerdictTone::kPlain},
      {timesFaster(comparisons[best]), VerdictTone::kFaster},
      {QLatin1Char(' ') + words(QT_TRANSLATE_NOOP("VerdictStrip", "than %1")).arg(runs[0].letter),
       VerdictTone::kPlain}};
  verdict.note = intervalWords(comparisons[best]);
}

// One unit for all runs; the second's change where there are two.
template <class Number, class Text>
VerdictFigure figureOf(const QString& title, const RunResult& result, const std::vector<TimedRun>& runs, Number number,
                       const QString& unit, Text text) {
  VerdictFigure figure;
  figure.title = title;
  figure.unit = unit;
  std::vector<std::optional<double>> values;
  for (const TimedRun& run : runs) {
    values.push_back(number(result.implementations[run.position]));
    const QString shown = values.back() ? text(*values.back()) : format::unknown();
    const bool withUnit = values.back() && !unit.isEmpty();
    figure.values.push_back({run.runNumber, run.letter, withUnit ? shown + QLatin1Char(' ') + unit : shown, shown});
  }
  return figure;
}

void setChange(VerdictFigure& figure, std::optional<double> base, std::optional<double> other, bool lessIsBetter) {
  if (!base || !other || *base <= 0) return;
  const double change = (*other - *base) / *base;
  figure.change = format::signedPercent(change);
  if (std::abs(change) < 0.0005) return;
  figure.tone = (change < 0) == lessIsBetter ? VerdictTone::kFaster : VerdictTone::kSlower;
}

void addFigures(Verdict& verdict, const RunResult& result, const std::vector<TimedRun>& runs) {
  const TimeMetric metric = result.plan.metric();
  const auto median = [metric](const ImplementationResult& each) -> std::optional<double> {
    const TimeStatistics time = timeOf(each, metric);
    return time.n > 0 ? std::optional(time.medianNs) : std::nullopt;
  };
  const auto peak = [](const ImplementationResult& each) -> std::optional<double> {
    return each.peakBytes ? std::optional(static_cast<double>(*each.peakBytes)) : std::nullopt;
  };
  const auto error = [](const ImplementationResult& each) -> std::optional<double> {
    return each.error ? std::optional(each.error->relativeL2) : std::nullopt;
  };
  const auto speed = [metric](const ImplementationResult& each) -> std::optional<double> {
    return flopsPerSecond(each, metric);
  };
  double mostNs = 0;
  double mostBytes = 0;
  for (const TimedRun& run : runs) {
    mostNs = std::max(mostNs, median(result.implementations[run.position]).value_or(0));
    mostBytes = std::max(mostBytes, peak(result.implementations[run.position]).value_or(0));
  }
  const format::TimeUnit timeUnit = format::unitFor(static_cast<std::int64_t>(mostNs));
  const format::ByteUnit byteUnit = format::byteUnitFor(static_cast<std::int64_t>(mostBytes));
  const bool two = runs.size() == 2;
  const ImplementationResult& first = result.implementations[runs[0].position];
  const ImplementationResult& second = result.implementations[runs[1].position];

  VerdictFigure time =
      figureOf(words(QT_TRANSLATE_NOOP("VerdictStrip", "Call, median")), result, runs, median,
               format::unitName(timeUnit), [timeUnit](double ns) { return format::timeIn(ns, timeUnit); });
  if (two) setChange(time, median(first), median(second), true);
  verdict.figures.push_back(std::move(time));

  VerdictFigure memory =
      figureOf(words(QT_TRANSLATE_NOOP("VerdictStrip", "Peak of a call")), result, runs, peak,
               format::unitName(byteUnit), [byteUnit](double bytes) { return format::bytesIn(bytes, byteUnit); });
  if (two) setChange(memory, peak(first), peak(second), true);
  verdict.figures.push_back(std::move(memory));

  verdict.figures.push_back(figureOf(words(QT_TRANSLATE_NOOP("VerdictStrip", "Error, relative L2")), result, runs,
                                     error, {}, format::relativeError));
  verdict.figures.push_back(figureOf(words(QT_TRANSLATE_NOOP("VerdictStrip", "Useful speed")), result, runs, speed,
                                     QStringLiteral("GFLOP/s"),
                                     [](double value) { return QLocale().toString(value / 1e9, 'f', 1); }));
}

// A pair that is within noise or open says so instead of a figure.
PairCell cellOf(const PairedComparison& comparison) {
  switch (comparison.verdict) {
    case TimingVerdict::kFaster:
    case TimingVerdict::kSlower:
      return {*comparison.ratio < 2 ? format::signedPercent(*comparison.ratio - 1) : format::ratio(*comparison.ratio),
              toneOf(comparison.verdict)};
    case TimingVerdict::kWithinNoise:
      return {words(QT_TRANSLATE_NOOP("VerdictStrip", "same")), VerdictTone::kPlain};
    case TimingVerdict::kInconclusive:
      return {words(QT_TRANSLATE_NOOP("VerdictStrip", "open")), VerdictTone::kPlain};
    case TimingVerdict::kNone:
      break;
  }
  return {format::unknown(), VerdictTone::kPlain};
}

std::vector<std::vector<PairCell>> everyPairOf(const RunResult& result, const std::vector<TimedRun>& runs) {
  std::vector<std::vector<PairCell>> rows;
  for (const TimedRun& base : runs) {
    std::vector<PairCell>& row = rows.emplace_back();
    for (const TimedRun& other : runs) {
      row.push_back(base.position == other.position ? PairCell{format::unknown(), VerdictTone::kPlain}
                                                    : cellOf(paired(result, base, other)));
    }
  }
  return rows;
}

}  // namespace

Verdict timedVerdict(const RunResult& result, const std::vector<TimedRun>& runs) {
  Verdict verdict;
  std::vector<PairedComparison> comparisons{PairedComparison{}};
  for (std::size_t i = 1; i < runs.size(); ++i) comparisons.push_back(paired(result, runs[0], runs[i]));
  if (runs.size() == 2) {
    verdict.note = intervalWords(comparisons[1]);
    verdict.morePairs = static_cast<int>(std::min<std::size_t>(comparisons[1].pairsNeeded.value_or(0), kMostMorePairs));
    twoRunSentence(verdict, comparisons[1], runs[0].letter, runs[1].letter);
  } else {
    manyRunsSentence(verdict, runs, comparisons);
    verdict.everyPair = everyPairOf(result, runs);
    for (std::size_t i = 1; i < runs.size(); ++i) {
      VerdictFigure figure;
      figure.title = words(QT_TRANSLATE_NOOP("VerdictStrip", "Against %1")).arg(runs[0].letter);
      figure.values.push_back({runs[i].runNumber, runs[i].letter, {}, {}});
      figure.change = comparisons[i].ratio ? format::signedPercent(*comparisons[i].ratio - 1) : format::unknown();
      figure.tone = toneOf(comparisons[i].verdict);
      verdict.figures.push_back(std::move(figure));
    }
  }
  addFigures(verdict, result, runs);
  const bool allRight = std::all_of(runs.begin(), runs.end(), [&result](const TimedRun& run) {
    const ImplementationResult& each = result.implementations[run.position];
    return each.error && each.error->passed();
  });
  verdict.badge = allRight ? VerdictSign::kOk : VerdictSign::kWarning;
  verdict.badgeText = allRight ? words(QT_TRANSLATE_NOOP("VerdictStrip", "Comparable"))
                               : words(QT_TRANSLATE_NOOP("VerdictStrip", "Not all checked"));
  verdict.badgeDetail = words(QT_TRANSLATE_NOOP("VerdictStrip", "Same inputs, type, mask and machine, timed in turns"));
  QStringList disturbed;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const QString found = disturbanceWords(comparisons[i], runs[0].letter, runs[i].letter);
    if (!found.isEmpty() && !disturbed.contains(found)) disturbed << found;
  }
  for (std::size_t i = 1; i < runs.size(); ++i) {
    verdict.remarks << QStringLiteral("%1: %2").arg(runs[i].letter, QString::fromStdString(comparisons[i].method));
    if (!comparisons[i].lowered.empty()) verdict.remarks << QString::fromStdString(comparisons[i].lowered);
    for (const auto* side : {&comparisons[i].ofBase, &comparisons[i].ofOther}) {
      const QString& letter = side == &comparisons[i].ofBase ? runs[0].letter : runs[i].letter;
      for (const Disturbance& each : *side) {
        const QString remark = QStringLiteral("%1: %2").arg(letter, QString::fromStdString(each.words));
        if (!verdict.remarks.contains(remark)) verdict.remarks << remark;
      }
    }
  }
  if (!disturbed.isEmpty()) {
    verdict.badge = VerdictSign::kWarning;
    if (allRight) verdict.badgeText = words(QT_TRANSLATE_NOOP("VerdictStrip", "Disturbed samples"));
    verdict.badgeDetail = disturbed.join(QStringLiteral("; "));
  }
  return verdict;
}

}  // namespace attnscope::ui
