// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/Verdict.h"

#include <algorithm>
#include <cmath>

#include <QCoreApplication>

#include "ui/bridge/Format.h"

namespace attnscope::ui {
namespace {

QString words(const char* text) { return QCoreApplication::translate("VerdictStrip", text); }

// A change that one decimal of a per cent cannot show is none.
bool isSame(double change) { return std::abs(change) < 0.0005; }

VerdictTone toneOf(double change) {
  if (isSame(change)) return VerdictTone::kPlain;
  return change < 0 ? VerdictTone::kFaster : VerdictTone::kSlower;
}

QString figureName(const Comparison& comparison) {
  return comparison.byDevice ? words(QT_TRANSLATE_NOOP("VerdictStrip", "kernel time"))
                             : words(QT_TRANSLATE_NOOP("VerdictStrip", "host time of operators"));
}

// "in one step", "in 5 steps", "in the whole trace", "in this range".
QString scopePhrase(const Comparison& comparison, VerdictScope scope) {
  if (scope == VerdictScope::kRange) return words(QT_TRANSLATE_NOOP("VerdictStrip", "in this range"));
  const std::vector<std::uint64_t>& steps = comparison.steps;
  const bool same = std::all_of(steps.begin(), steps.end(), [&](std::uint64_t n) { return n == steps.front(); });
  if (steps.empty() || !same || steps.front() == 0) {
    return words(QT_TRANSLATE_NOOP("VerdictStrip", "in the whole trace"));
  }
  if (steps.front() == 1) return words(QT_TRANSLATE_NOOP("VerdictStrip", "in one step"));
  return words(QT_TRANSLATE_NOOP("VerdictStrip", "in %1 steps"))
      .arg(format::count(static_cast<std::int64_t>(steps.front())));
}

QString intervalNote(const Comparison& comparison, VerdictScope scope) {
  if (scope == VerdictScope::kRange) {
    return words(QT_TRANSLATE_NOOP("VerdictStrip", "One range each: no interval"));
  }
  const std::vector<std::uint64_t>& steps = comparison.steps;
  const bool same = std::all_of(steps.begin(), steps.end(), [&](std::uint64_t n) { return n == steps.front(); });
  if (steps.empty() || !same || steps.front() == 0) {
    return words(QT_TRANSLATE_NOOP("VerdictStrip", "One profiled trace each: no interval"));
  }
  if (steps.front() == 1) return words(QT_TRANSLATE_NOOP("VerdictStrip", "One step each: no interval"));
  return words(QT_TRANSLATE_NOOP("VerdictStrip", "%1 profiled steps a side: no interval"))
      .arg(format::count(static_cast<std::int64_t>(steps.front())));
}

// "56.8 % less", "18.0 % more", "3.20×".
QString changeWords(double change) {
  if (change >= 1) return format::ratio(1 + change);
  return change < 0 ? words(QT_TRANSLATE_NOOP("VerdictStrip", "%1 less")).arg(format::percent(-change))
                    : words(QT_TRANSLATE_NOOP("VerdictStrip", "%1 more")).arg(format::percent(change));
}

void twoRunSentence(Verdict& verdict, const CompareInput& input, const Comparison& comparison, double change) {
  const QString& a = input.runs[0].letter;
  const QString& b = input.runs[1].letter;
  const QString figure = figureName(comparison);
  const QString scope = scopePhrase(comparison, input.scope);
  if (isSame(change)) {
    verdict.sentence = {
        {words(QT_TRANSLATE_NOOP("VerdictStrip", "%1 took the same %2 as %3 %4")).arg(b, figure, a, scope),
         VerdictTone::kPlain}};
    return;
  }
  const bool asRatio = change >= 1;
  verdict.sentence.push_back(
      {words(QT_TRANSLATE_NOOP("VerdictStrip", "%1 took")).arg(b) + QLatin1Char(' '), VerdictTone::kPlain});
  verdict.sentence.push_back({changeWords(change), toneOf(change)});
  verdict.sentence.push_back(
      {QLatin1Char(' ') + (asRatio ? words(QT_TRANSLATE_NOOP("VerdictStrip", "the %1 of %2 %3")).arg(figure, a, scope)
                                   : QStringLiteral("%1 %2").arg(figure, scope)),
       VerdictTone::kPlain});
}

// What each sample is of: "time a call", "kernel time a step", or of another run "kernel time of A a step".
QString sampleFigure(const Comparison& comparison, const QString& of = {}) {
  const QString name = comparison.isTimed() ? words(QT_TRANSLATE_NOOP("VerdictStrip", "time")) : figureName(comparison);
  const QString whose = of.isEmpty() ? name : words(QT_TRANSLATE_NOOP("VerdictStrip", "%1 of %2")).arg(name, of);
  return (comparison.isTimed() ? words(QT_TRANSLATE_NOOP("VerdictStrip", "%1 a call"))
                               : words(QT_TRANSLATE_NOOP("VerdictStrip", "%1 a step")))
      .arg(whose);
}

// Timed calls or steps of both runs are samples: the sentence is a verdict, and the note its interval.
void samplesSentence(Verdict& verdict, const CompareInput& input, const Comparison& comparison,
                     const PairedComparison& steps) {
  const QString& a = input.runs[0].letter;
  const QString& b = input.runs[1].letter;
  const double change = *steps.ratio - 1;
  switch (steps.verdict) {
    case TimingVerdict::kFaster:
    case TimingVerdict::kSlower:
      verdict.sentence = {
          {words(QT_TRANSLATE_NOOP("VerdictStrip", "%1 took")).arg(b) + QLatin1Char(' '), VerdictTone::kPlain},
          {changeWords(change), toneOf(change)},
          {QLatin1Char(' ') + (change >= 1
                                   ? words(QT_TRANSLATE_NOOP("VerdictStrip", "the %1")).arg(sampleFigure(comparison, a))
                                   : sampleFigure(comparison)),
           VerdictTone::kPlain}};
      break;
    case TimingVerdict::kWithinNoise:
      verdict.sentence = {{words(QT_TRANSLATE_NOOP("VerdictStrip", "No difference seen between %1 and %2")).arg(a, b),
                           VerdictTone::kPlain}};
      break;
    default:
      verdict.sentence = {{(comparison.isTimed()
                                ? words(QT_TRANSLATE_NOOP("VerdictStrip", "The timed calls of %1 and %2 leave it open"))
                                : words(QT_TRANSLATE_NOOP("VerdictStrip", "The steps of %1 and %2 leave it open")))
                               .arg(a, b),
                           VerdictTone::kPlain}};
  }
  verdict.note =
      (comparison.isTimed()
           ? words(QT_TRANSLATE_NOOP("VerdictStrip", "95 % interval %1 to %2, %3 and %4 timed calls, not in turns"))
           : words(QT_TRANSLATE_NOOP("VerdictStrip", "95 % interval %1 to %2, %3 and %4 steps, not in turns")))
          .arg(format::signedPercent(*steps.lowRatio - 1), format::signedPercent(*steps.highRatio - 1),
               format::count(static_cast<std::int64_t>(comparison.sampleCount(0))),
               format::count(static_cast<std::int64_t>(comparison.sampleCount(1))));
  if (!comparison.isTimed() && comparison.steps[1] > comparison.stepNs[1].size()) {
    verdict.note += words(QT_TRANSLATE_NOOP("VerdictStrip", ", the first left out"));
  }
}

void manyRunsSentence(Verdict& verdict, const CompareInput& input, const Comparison& comparison,
                      const std::vector<std::optional<double>>& changes) {
  // The baseline counts as a change of nothing: it may be the best.
  std::size_t best = 0;
  double least = 0;
  for (std::size_t i = 1; i < changes.size(); ++i) {
    if (changes[i] && *changes[i] < least && !isSame(*changes[i])) {
      least = *changes[i];
      best = i;
    }
  }
  const QString& letter = input.runs[best].letter;
  verdict.sentence.push_back(
      {comparison.isTimed()
           ? words(QT_TRANSLATE_NOOP("VerdictStrip", "%1 took the least %2")).arg(letter, sampleFigure(comparison))
           : words(QT_TRANSLATE_NOOP("VerdictStrip", "%1 took the least %2 %3"))
                 .arg(letter, figureName(comparison), scopePhrase(comparison, input.scope)),
       VerdictTone::kPlain});
  if (best == 0) return;
  verdict.sentence.push_back({QStringLiteral(", "), VerdictTone::kPlain});
  verdict.sentence.push_back({changeWords(least), VerdictTone::kFaster});
  verdict.sentence.push_back(
      {QLatin1Char(' ') + words(QT_TRANSLATE_NOOP("VerdictStrip", "than %1")).arg(input.runs[0].letter),
       VerdictTone::kPlain});
}

// One unit for the values of all runs.
VerdictFigure timeFigure(const QString& title, const std::vector<VerdictRun>& runs, std::int64_t VerdictRun::*field) {
  VerdictFigure figure;
  figure.title = title;
  std::int64_t most = 0;
  for (const VerdictRun& run : runs) most = std::max(most, run.*field);
  const format::TimeUnit unit = format::unitFor(most);
  figure.unit = format::unitName(unit);
  for (const VerdictRun& run : runs) {
    const QString number = format::timeIn(static_cast<double>(run.*field), unit);
    figure.values.push_back({run.runNumber, run.letter, number + QLatin1Char(' ') + figure.unit, number});
  }
  if (runs.size() == 2 && runs[0].*field > 0) {
    const double change = static_cast<double>(runs[1].*field - runs[0].*field) / static_cast<double>(runs[0].*field);
    figure.change = format::signedPercent(change);
    figure.tone = toneOf(change);
  }
  return figure;
}

VerdictFigure countFigure(const QString& title, const std::vector<VerdictRun>& runs) {
  VerdictFigure figure;
  figure.title = title;
  for (const VerdictRun& run : runs) {
    const QString number = format::count(static_cast<std::int64_t>(run.workCount));
    figure.values.push_back({run.runNumber, run.letter, number, number});
  }
  if (runs.size() == 2) {
    const auto change = static_cast<double>(runs[1].workCount) - static_cast<double>(runs[0].workCount);
    figure.change = format::signedNumber(change, 0);
    figure.tone = change == 0 ? VerdictTone::kPlain : change < 0 ? VerdictTone::kFaster : VerdictTone::kSlower;
  }
  return figure;
}

VerdictFigure peakFigure(const QString& title, const std::vector<VerdictRun>& runs) {
  VerdictFigure figure;
  figure.title = title;
  std::int64_t most = 0;
  for (const VerdictRun& run : runs) most = std::max(most, run.peakBytes.value_or(0));
  const format::ByteUnit unit = format::byteUnitFor(most);
  figure.unit = format::unitName(unit);
  for (const VerdictRun& run : runs) {
    const QString number =
        run.peakBytes ? format::bytesIn(static_cast<double>(*run.peakBytes), unit) : format::unknown();
    figure.values.push_back(
        {run.runNumber, run.letter, run.peakBytes ? number + QLatin1Char(' ') + figure.unit : number, number});
  }
  if (runs.size() == 2 && runs[0].peakBytes && runs[1].peakBytes && *runs[0].peakBytes > 0) {
    const auto base = static_cast<double>(*runs[0].peakBytes);
    const double change = (static_cast<double>(*runs[1].peakBytes) - base) / base;
    figure.change = format::signedPercent(change);
    figure.tone = toneOf(change);
  }
  return figure;
}

QString durationTitle(VerdictScope scope) {
  switch (scope) {
    case VerdictScope::kStep:
      return words(QT_TRANSLATE_NOOP("VerdictStrip", "Step, profiled"));
    case VerdictScope::kRange:
      return words(QT_TRANSLATE_NOOP("VerdictStrip", "Range"));
    case VerdictScope::kTrace:
      break;
  }
  return words(QT_TRANSLATE_NOOP("VerdictStrip", "Trace"));
}

// Of the timed calls, for which the durations of `runs` make way.
VerdictFigure callFigure(std::vector<VerdictRun> runs, const Comparison& comparison) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].durationNs = std::llround(medianOf(comparison.callNs[i]));
  }
  return timeFigure(words(QT_TRANSLATE_NOOP("VerdictStrip", "Call, median")), runs, &VerdictRun::durationNs);
}

void addFigures(Verdict& verdict, const std::vector<VerdictRun>& runs, VerdictScope scope, bool byDevice) {
  const bool anyPeak =
      std::any_of(runs.begin(), runs.end(), [](const VerdictRun& run) { return run.peakBytes.has_value(); });
  verdict.figures.push_back(timeFigure(byDevice ? words(QT_TRANSLATE_NOOP("VerdictStrip", "Kernel time"))
                                                : words(QT_TRANSLATE_NOOP("VerdictStrip", "Host self time")),
                                       runs, &VerdictRun::workNs));
  if (anyPeak) verdict.figures.push_back(peakFigure(words(QT_TRANSLATE_NOOP("VerdictStrip", "Peak memory")), runs));
  verdict.figures.push_back(timeFigure(durationTitle(scope), runs, &VerdictRun::durationNs));
  verdict.figures.push_back(countFigure(byDevice ? words(QT_TRANSLATE_NOOP("VerdictStrip", "Kernels"))
                                                 : words(QT_TRANSLATE_NOOP("VerdictStrip", "Operator calls")),
                                        runs));
}

void addBadge(Verdict& verdict, const Comparison& comparison) {
  const auto count = static_cast<int>(comparison.reasons.size());
  switch (comparison.comparable) {
    case Comparable::kYes:
      verdict.badge = VerdictSign::kOk;
      verdict.badgeText = words(QT_TRANSLATE_NOOP("VerdictStrip", "Comparable"));
      verdict.badgeDetail = words(QT_TRANSLATE_NOOP("VerdictStrip", "No differing condition found"));
      return;
    case Comparable::kReservations: {
      verdict.badge = VerdictSign::kWarning;
      verdict.badgeText = count == 1
                              ? words(QT_TRANSLATE_NOOP("VerdictStrip", "1 difference"))
                              : words(QT_TRANSLATE_NOOP("VerdictStrip", "%1 differences")).arg(format::count(count));
      QStringList subjects;
      for (const Condition& reason : comparison.reasons) {
        const QString subject = QString::fromStdString(reason.subject);
        if (!subjects.contains(subject)) subjects << subject;
      }
      verdict.badgeDetail = subjects.join(QStringLiteral(", "));
      return;
    }
    case Comparable::kNo:
      verdict.badge = VerdictSign::kRefused;
      verdict.badgeText = words(QT_TRANSLATE_NOOP("VerdictStrip", "No verdict"));
      verdict.badgeDetail = words(QT_TRANSLATE_NOOP("VerdictStrip", "Show the conditions"));
      return;
  }
}

}  // namespace

QString Verdict::sentenceText() const {
  QString text;
  for (const SentencePart& part : sentence) text += part.text;
  return text;
}

Verdict compareVerdict(const CompareInput& input, const Comparison& comparison) {
  Verdict verdict;
  addBadge(verdict, comparison);
  if (comparison.comparable == Comparable::kNo) {
    // Not one figure: a number beside a refusal would be read as the verdict.
    QStringList letters;
    for (const VerdictRun& run : input.runs) letters << run.letter;
    const QString last = letters.takeLast();
    const bool wrongResult = std::any_of(comparison.reasons.begin(), comparison.reasons.end(),
                                         [](const Condition& c) { return c.refuses && c.subject == "outputs"; });
    const QString sentence =
        wrongResult ? words(QT_TRANSLATE_NOOP("VerdictStrip", "No verdict: the results of %1 and %2 are not all right"))
                    : words(QT_TRANSLATE_NOOP("VerdictStrip", "No verdict: %1 and %2 do different work"));
    verdict.sentence = {{sentence.arg(letters.join(QStringLiteral(", ")), last), VerdictTone::kPlain}};
    QStringList subjects;
    for (const Condition& reason : comparison.reasons) {
      const QString subject = QString::fromStdString(reason.subject);
      if (reason.refuses && !subjects.contains(subject)) subjects << subject;
    }
    verdict.note = words(QT_TRANSLATE_NOOP("VerdictStrip", "Differs: %1. Timelines and tables still open."))
                       .arg(subjects.join(QStringLiteral(", ")));
    verdict.noteSign = VerdictSign::kNone;
    return verdict;
  }
  const Headline headline = headlineOf(comparison);
  verdict.note = intervalNote(comparison, input.scope);
  verdict.noteSign = VerdictSign::kInfo;
  std::vector<std::optional<double>> changes;
  for (const RunHeadline& run : headline.runs) changes.push_back(run.changeRatio);
  if (input.runs.size() == 2) {
    const auto& steps = headline.runs[1].steps;
    const bool areOfScope = comparison.isTimed() || input.scope != VerdictScope::kRange;
    if (areOfScope && steps && steps->verdict != TimingVerdict::kNone) {
      samplesSentence(verdict, input, comparison, *steps);
    } else if (changes.size() > 1 && changes[1]) {
      twoRunSentence(verdict, input, comparison, *changes[1]);
    } else {
      verdict.sentence = {{words(QT_TRANSLATE_NOOP("VerdictStrip", "No verdict: %1 has no %2"))
                               .arg(input.runs[0].letter, figureName(comparison)),
                           VerdictTone::kPlain}};
    }
  } else {
    manyRunsSentence(verdict, input, comparison, changes);
    for (std::size_t i = 1; i < input.runs.size() && i < changes.size(); ++i) {
      VerdictFigure figure;
      figure.title = words(QT_TRANSLATE_NOOP("VerdictStrip", "Against %1")).arg(input.runs[0].letter);
      const QString text = changes[i] ? format::signedPercent(*changes[i]) : format::unknown();
      figure.values.push_back({input.runs[i].runNumber, input.runs[i].letter, {}, {}});
      figure.change = text;
      figure.tone = changes[i] ? toneOf(*changes[i]) : VerdictTone::kPlain;
      verdict.figures.push_back(std::move(figure));
    }
  }
  if (comparison.isTimed()) verdict.figures.push_back(callFigure(input.runs, comparison));
  addFigures(verdict, input.runs, input.scope, comparison.byDevice);
  return verdict;
}

Verdict summaryVerdict(const SummaryInput& input) {
  Verdict verdict;
  const QString of =
      input.scopeWords.isEmpty() ? words(QT_TRANSLATE_NOOP("VerdictStrip", "the trace")) : input.scopeWords;
  if (input.hasDeviceWork) {
    const QString who = input.devices > 1 ? words(QT_TRANSLATE_NOOP("VerdictStrip", "Busiest of %1 GPUs busy %2 of %3"))
                                                .arg(format::count(static_cast<std::int64_t>(input.devices)))
                                          : words(QT_TRANSLATE_NOOP("VerdictStrip", "GPU busy %1 of %2"));
    verdict.sentence = {{who.arg(format::percent(input.busyShare), of), VerdictTone::kPlain}};
  } else if (input.operators > 0) {
    verdict.sentence = {{words(QT_TRANSLATE_NOOP("VerdictStrip", "CPU trace: %1 in %2 operators"))
                             .arg(format::time(static_cast<double>(input.run.workNs)),
                                  format::count(static_cast<std::int64_t>(input.operators))),
                         VerdictTone::kPlain}};
  } else {
    verdict.sentence = {{words(QT_TRANSLATE_NOOP("VerdictStrip", "%1 without operators or kernels"))
                             .arg(format::time(static_cast<double>(input.run.durationNs))),
                         VerdictTone::kPlain}};
  }
  const std::vector<VerdictRun> runs{input.run};
  if (input.hasDeviceWork || input.operators > 0) {
    VerdictFigure duration =
        timeFigure(input.scope == VerdictScope::kStep ? words(QT_TRANSLATE_NOOP("VerdictStrip", "Step"))
                                                      : durationTitle(input.scope),
                   runs, &VerdictRun::durationNs);
    duration.values.front().text = format::time(static_cast<double>(input.run.durationNs));
    verdict.figures.push_back(std::move(duration));
  }
  if (input.hasDeviceWork) {
    VerdictFigure kernels =
        timeFigure(words(QT_TRANSLATE_NOOP("VerdictStrip", "Kernel time")), runs, &VerdictRun::workNs);
    kernels.values.front().text = format::time(static_cast<double>(input.run.workNs));
    verdict.figures.push_back(std::move(kernels));
  }
  if (input.hasDeviceWork || input.operators > 0) {
    verdict.figures.push_back(countFigure(input.hasDeviceWork
                                              ? words(QT_TRANSLATE_NOOP("VerdictStrip", "Kernels"))
                                              : words(QT_TRANSLATE_NOOP("VerdictStrip", "Operator calls")),
                                          runs));
  }
  if (input.attentionNs > 0 && input.run.workNs > 0) {
    const QString share =
        format::percent(static_cast<double>(input.attentionNs) / static_cast<double>(input.run.workNs));
    VerdictFigure figure;
    figure.title = words(QT_TRANSLATE_NOOP("VerdictStrip", "Fused attention"));
    figure.values.push_back({input.run.runNumber, input.run.letter, share, share});
    verdict.figures.push_back(std::move(figure));
  }
  if (input.run.peakBytes) {
    verdict.figures.push_back(peakFigure(words(QT_TRANSLATE_NOOP("VerdictStrip", "Peak memory")), runs));
  }
  QStringList health;
  if (input.lost > 0) {
    health << words(QT_TRANSLATE_NOOP("VerdictStrip", "%1 lost"))
                  .arg(format::count(static_cast<std::int64_t>(input.lost)));
  }
  if (input.repaired > 0) {
    health << words(QT_TRANSLATE_NOOP("VerdictStrip", "%1 repaired"))
                  .arg(format::count(static_cast<std::int64_t>(input.repaired)));
  }
  verdict.badge = input.lost > 0 ? VerdictSign::kWarning : input.repaired > 0 ? VerdictSign::kInfo : VerdictSign::kOk;
  verdict.badgeText =
      health.isEmpty() ? words(QT_TRANSLATE_NOOP("VerdictStrip", "Nothing lost")) : health.join(QStringLiteral(", "));
  if (input.notes > 0) {
    verdict.badgeDetail = input.notes == 1 ? words(QT_TRANSLATE_NOOP("VerdictStrip", "1 note"))
                                           : words(QT_TRANSLATE_NOOP("VerdictStrip", "%1 notes"))
                                                 .arg(format::count(static_cast<std::int64_t>(input.notes)));
  }
  return verdict;
}

}  // namespace attnscope::ui
