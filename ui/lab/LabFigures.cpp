// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lab/LabFigures.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <QCoreApplication>
#include <QFile>
#include <QLocale>

#include "core/problem/Cards.h"
#include "core/problem/Formulas.h"
#include "core/problem/ProblemOptions.h"
#include "ui/lab/Choice.h"

namespace attnscope::ui {

namespace {

QString words(const char* text) { return QCoreApplication::translate("LabFigures", text); }

QString phaseName(RunPhase phase) {
  switch (phase) {
    case RunPhase::kAllocate:
      return words("Allocate");
    case RunPhase::kCheck:
      return words("Check");
    case RunPhase::kWarmUp:
      return words("Warm up");
    case RunPhase::kTime:
      return words("Time");
    case RunPhase::kProfile:
      return words("Profile");
    case RunPhase::kWrite:
      return words("Write");
  }
  return {};
}

// Negative: not known.
QString secondsText(double seconds) {
  if (seconds < 0) return {};
  return words("%1 s").arg(numberText(seconds, seconds < 10 ? 1 : 0));
}

// How many implementations are past a phase, and how many there are to pass it: those that are not out.
struct Progress {
  int past = 0;
  int all = 0;
  [[nodiscard]] double share() const { return all > 0 ? static_cast<double>(past) / all : 0; }
};

Progress progressOf(const RunState& state, ImplementationStage last) {
  Progress progress;
  for (std::size_t i = 0; i < state.implementationCount(); ++i) {
    const ImplementationStage stage = state.implementation(i).stage;
    if (isOut(stage)) continue;
    ++progress.all;
    if (stage > last) ++progress.past;
  }
  return progress;
}

QString checkFigure(const RunState& state) {
  double largest = -1;
  int wrong = 0;
  for (const ImplementationResult& implementation : state.result().implementations) {
    if (!implementation.error) continue;
    if (!implementation.error->passed()) ++wrong;
    largest = std::max(largest, implementation.error->relativeL2);
  }
  if (wrong > 0) return words("%1 wrong").arg(wrong);
  return largest < 0 ? QString() : words("error %1").arg(format::relativeError(largest));
}

QString warmFigure(const RunState& state) {
  int calls = 0;
  for (std::size_t i = 0; i < state.implementationCount(); ++i) {
    calls = std::max(calls, state.implementation(i).callsUntilSteady);
  }
  return calls == 0 ? QString() : words("steady after %1").arg(calls);
}

int tracesOf(const RunState& state) {
  int count = 0;
  for (const ImplementationResult& implementation : state.result().implementations) {
    if (!implementation.traceFile.empty()) ++count;
  }
  return count;
}

QString figureOf(const RunState& state, RunPhase phase, double seconds) {
  const RunPlan& plan = state.plan();
  switch (phase) {
    case RunPhase::kAllocate:
      return secondsText(seconds);
    case RunPhase::kCheck:
      return checkFigure(state);
    case RunPhase::kWarmUp:
      return warmFigure(state);
    case RunPhase::kTime:
      return words("%1 of %2 rounds").arg(std::clamp(state.round() + 1, 0, plan.rounds)).arg(plan.rounds);
    case RunPhase::kProfile:
      if (plan.profiling == Profiling::kSkip) return words("left out");
      return words("%1 of %2").arg(tracesOf(state)).arg(progressOf(state, ImplementationStage::kDone).all);
    case RunPhase::kWrite:
      return secondsText(seconds);
  }
  return {};
}

double shareOf(const RunState& state, RunPhase phase) {
  switch (phase) {
    case RunPhase::kAllocate:
      return progressOf(state, ImplementationStage::kAllocating).share();
    case RunPhase::kCheck:
      return progressOf(state, ImplementationStage::kChecking).share();
    case RunPhase::kWarmUp:
      return progressOf(state, ImplementationStage::kWarming).share();
    case RunPhase::kTime:
      return timedShare(state);
    case RunPhase::kProfile: {
      const int all = progressOf(state, ImplementationStage::kDone).all;
      return all > 0 ? static_cast<double>(tracesOf(state)) / all : 0;
    }
    case RunPhase::kWrite:
      return 0.5;
  }
  return 0;
}

}  // namespace

QString numberText(double value, int decimals) {
  // timeIn() is the one function that writes a plain number with given decimals.
  return format::timeIn(value * 1e3, format::TimeUnit::kUs, decimals);
}

QString spokenRemark(const std::string& remark) {
  QString text = QString::fromStdString(remark);
  const std::size_t colon = remark.find(": ");
  const Card* card = colon == std::string::npos ? nullptr : findCard(remark.substr(0, colon));
  if (card != nullptr) {
    text = QString::fromUtf8(card->title.data(), static_cast<qsizetype>(card->title.size())) +
           QString::fromStdString(remark.substr(colon));
  }
  if (text.isEmpty()) return text;
  text[0] = text[0].toUpper();
  if (!text.endsWith(u'.')) text += u'.';
  return text;
}

QString clockText(double seconds) {
  const auto whole = static_cast<qint64>(std::max(seconds, 0.0));
  const auto two = [](qint64 value) { return QStringLiteral("%1").arg(value, 2, 10, QLatin1Char('0')); };
  if (whole < 3600) return QStringLiteral("%1:%2").arg(whole / 60).arg(two(whole % 60));
  return QStringLiteral("%1:%2:%3").arg(whole / 3600).arg(two(whole / 60 % 60), two(whole % 60));
}

QString phaseWord(RunPhase phase) {
  switch (phase) {
    case RunPhase::kAllocate:
      return words("allocating");
    case RunPhase::kCheck:
      return words("checking");
    case RunPhase::kWarmUp:
      return words("warming up");
    case RunPhase::kTime:
      return words("timing");
    case RunPhase::kProfile:
      return words("profiling");
    case RunPhase::kWrite:
      return words("writing");
  }
  return {};
}

std::optional<RunPhase> phaseOf(RunStage stage) {
  switch (stage) {
    case RunStage::kAllocating:
      return RunPhase::kAllocate;
    case RunStage::kChecking:
      return RunPhase::kCheck;
    case RunStage::kWarming:
      return RunPhase::kWarmUp;
    case RunStage::kTiming:
      return RunPhase::kTime;
    case RunStage::kProfiling:
      return RunPhase::kProfile;
    case RunStage::kWriting:
      return RunPhase::kWrite;
    default:
      return std::nullopt;
  }
}

double timedShare(const RunState& state) {
  const RunPlan& plan = state.plan();
  std::int64_t done = 2 * static_cast<std::int64_t>(state.noisePairs());
  std::int64_t all = 2 * static_cast<std::int64_t>(plan.noiseBlocks) * plan.rounds;
  for (std::size_t i = 0; i < state.implementationCount(); ++i) {
    if (isOut(state.implementation(i).stage)) continue;
    done += static_cast<std::int64_t>(state.result().implementations[i].samples.size());
    all += plan.rounds;
  }
  return all > 0 ? std::clamp(static_cast<double>(done) / static_cast<double>(all), 0.0, 1.0) : 0;
}

PhaseFigures phasesOf(const RunState& state, const std::array<double, kRunPhaseCount>& seconds) {
  PhaseFigures figures;
  const std::optional<RunPhase> now = phaseOf(state.stage());
  const bool whole = state.stage() == RunStage::kDone;
  for (std::size_t i = 0; i < kRunPhaseCount; ++i) {
    const auto phase = static_cast<RunPhase>(i);
    PhaseFigure& figure = figures[i];
    figure.name = phaseName(phase);
    if (whole || (now && *now > phase)) {
      figure.mark = PhaseMark::kDone;
      figure.share = 1;
    } else if (now == phase) {
      figure.mark = PhaseMark::kNow;
      figure.share = shareOf(state, phase);
    } else if (isFinal(state.stage())) {
      // Ended early: the bars stay as far as they came.
      figure.share = phase == RunPhase::kTime                          ? timedShare(state)
                     : (state.round() >= 0 && phase < RunPhase::kTime) ? 1
                                                                       : 0;
      if (figure.share == 1) figure.mark = PhaseMark::kDone;
    }
    const bool started = figure.mark != PhaseMark::kAhead || figure.share > 0;
    if (started) figure.figure = figureOf(state, phase, seconds[i]);
  }
  return figures;
}

RunHeadline headlineOf(const RunState& state) {
  const RunPlan& plan = state.plan();
  const auto ofEach = [&](const QString& verb, ImplementationStage last) {
    const Progress progress = progressOf(state, last);
    return RunHeadline{words("%1 %2 of %3").arg(verb).arg(std::min(progress.past + 1, progress.all)).arg(progress.all),
                       state.current()};
  };
  switch (state.stage()) {
    case RunStage::kIdle:
    case RunStage::kStarting:
      return {state.restarts() > 0 ? words("Starting the runner again") : words("Starting the runner"), {}};
    case RunStage::kAllocating:
      return ofEach(words("Allocating"), ImplementationStage::kAllocating);
    case RunStage::kChecking:
      return ofEach(words("Checking"), ImplementationStage::kChecking);
    case RunStage::kWarming: {
      const Progress warmed = progressOf(state, ImplementationStage::kWarming);
      if (warmed.all > 0 && warmed.past == warmed.all) return {words("Measuring the limits of this machine"), {}};
      return ofEach(words("Warming up"), ImplementationStage::kWarming);
    }
    case RunStage::kTiming:
      if (state.round() + 1 >= plan.rounds && timedShare(state) < 1 && state.noisePairs() > 0 &&
          state.result().noise.size() < static_cast<std::size_t>(plan.noiseBlocks * plan.rounds)) {
        return {words("Timing round %1 of %1, then the noise floor").arg(plan.rounds), {}};
      }
      return {words("Timing round %1 of %2").arg(std::clamp(state.round() + 1, 1, plan.rounds)).arg(plan.rounds), {}};
    case RunStage::kProfiling:
      return {words("Profiling"), state.current()};
    case RunStage::kWriting:
      return {words("Writing the traces"), {}};
    case RunStage::kDone:
      return {words("Done"), {}};
    case RunStage::kFailed:
      return {words("The run failed"), {}};
    case RunStage::kCancelled:
      return {words("Stopped after %1 of %2 rounds").arg(state.result().completeRounds).arg(plan.rounds), {}};
  }
  return {};
}

// --- Before the run ------------------------------------------------------------------------------------------------

std::int64_t availableMemoryBytes() {
  QFile file(QStringLiteral("/proc/meminfo"));
  if (!file.open(QIODevice::ReadOnly)) return 0;
  // Its size is 0: it is read to the end.
  for (const QByteArray& line : file.readAll().split('\n')) {
    if (!line.startsWith("MemAvailable:")) continue;
    return line.mid(13).trimmed().split(' ').first().toLongLong() * 1024;
  }
  return 0;
}

Estimate estimateOf(const QStringList& ids, const Problem& problem, int threads, bool packsBFloat16,
                    std::int64_t availableBytes) {
  const CardConditions conditions{threads, packsBFloat16};
  std::int64_t largest = -1;
  int largestPosition = 0;
  CardFigures ofLargest;
  for (int i = 0; i < ids.size(); ++i) {
    const Card* card = findCard(ids[i].toStdString());
    if (card == nullptr || refusalOf(*card, problem, DeviceKind::kCpu)) continue;
    CardFigures figures = figuresOf(*card, problem, conditions);
    const std::int64_t need = saturatingSum({figures.leastPeakBytes, figures.inputBytes, figures.heldBytes});
    if (need <= largest) continue;
    largest = need;
    largestPosition = i;
    ofLargest = std::move(figures);
  }
  Estimate estimate;
  if (largest < 0) {
    estimate.words = ids.isEmpty() ? words("Choose an implementation to see what it will hold.")
                                   : words("Nothing that is chosen can run this problem.");
    return estimate;
  }
  const bool predicted = ofLargest.predictedPeakBytes.has_value();
  const QString letter = labLetter(largestPosition);
  const QString need =
      (predicted ? words("about %1") : words("at least %1")).arg(format::bytes(static_cast<double>(largest)));
  const QString available = format::bytes(static_cast<double>(availableBytes));
  const QString held = QString::fromStdString(ofLargest.peakWords);
  estimate.words = (predicted ? words("%1 will hold %2.") : words("The peak of %1 is %2.")).arg(letter, held) + u' ';
  estimate.words += availableBytes > 0 ? words("Largest need of this run: %1 of %2 free.").arg(need, available)
                                       : words("Largest need of this run: %1.").arg(need);
  if (availableBytes > 0 && largest > availableBytes) {
    estimate.warning =
        words("%1 needs %2, and %3 are free. It will be tried and may stop.").arg(letter, need, available);
  }
  return estimate;
}

QString commandLineOf(const RunPlan& plan) {
  std::vector<std::string> all{"attnscope-cli", "run"};
  const std::vector<std::string> options = optionsOf(plan);
  all.insert(all.end(), options.begin(), options.end());
  all.insert(all.end(), {"-o", "run.attn"});
  return QString::fromStdString(joinForShell(all));
}

}  // namespace attnscope::ui
