// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What the lab says of a run, as values: the phases, the rows of the matrix, the headline, the estimate before it and
// the command line that gives the same run. Pure; translated by QCoreApplication alone.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <QString>
#include <QStringList>

#include "core/session/RunResult.h"
#include "core/session/RunState.h"
#include "ui/bridge/Format.h"

namespace attnscope::ui {

// --- Phases ------------------------------------------------------------------------------------------------------

enum class PhaseMark : std::uint8_t { kAhead, kNow, kDone };
struct PhaseFigure {
  QString name;    // "Warm up"
  QString figure;  // "steady after 14"; empty: nothing to say yet
  double share = 0;
  PhaseMark mark = PhaseMark::kAhead;
};
using PhaseFigures = std::array<PhaseFigure, kRunPhaseCount>;
// `seconds` that each phase took so far.
[[nodiscard]] PhaseFigures phasesOf(const attnscope::RunState& state,
                                    const std::array<double, kRunPhaseCount>& seconds);
// The phase of a stage; none where the run is at no phase (idle, starting, ended).
[[nodiscard]] std::optional<RunPhase> phaseOf(RunStage stage);

struct RunHeadline {
  QString title;                        // "Timing round 22 of 40"
  std::optional<std::size_t> position;  // of the implementation that it is about, for its chip and title
};
[[nodiscard]] RunHeadline headlineOf(const attnscope::RunState& state);
// Share of the samples that are timed, noise pairs included; 0 before, 1 after.
[[nodiscard]] double timedShare(const attnscope::RunState& state);
[[nodiscard]] QString clockText(double seconds);  // "0:38", "1:02:03"

// --- Matrix ------------------------------------------------------------------------------------------------------

enum class RowTone : std::uint8_t { kPlain, kQuiet, kFaster, kSlower, kWrong, kGood };
struct MatrixCell {
  QString text;
  RowTone tone = RowTone::kPlain;
};
enum MatrixColumn : int {
  kTime,
  kPlusMinus,
  kVersus,
  kPeak,
  kPredicted,
  kResident,  // how far the process's memory rose
  kError,
  kRate,
  kShare,
  kAtBest,    // what the measured roofs allow
  kEnergy,    // of the whole processor, a call
  kProfiled,  // a profiled call over a timed one: the profiler's cost
  kMatrixColumns
};
struct MatrixRow {
  QString letter;
  QString title;
  QString state;      // "timing", "done"
  QString stateIcon;  // "check", "refused", "problem"; empty: a dot where it is current
  std::array<MatrixCell, kMatrixColumns> cells;
  double roofShare = -1;  // negative: not known
  QString sentence;       // under the row: why it is refused or what happened in which phase
  bool isCurrent = false;
};
struct Matrix {
  std::array<QString, kMatrixColumns> heads;  // with units; empty: no row has a figure, and the column is left out
  format::TimeUnit unit = format::TimeUnit::kUs;
  QString note;  // "median of 22 rounds, 95 % interval"
  std::vector<MatrixRow> rows;
};
// `stages` by position in the plan.
[[nodiscard]] Matrix matrixOf(const RunResult& result, std::span<const ImplementationStage> stages,
                              std::optional<std::size_t> current);
// Why an implementation was refused, or what happened to it in which phase; empty: neither.
[[nodiscard]] QString sentenceOf(const ImplementationResult& implementation);
[[nodiscard]] QString columnTip(MatrixColumn column);      // what its figures are
[[nodiscard]] QString tabSeparated(const Matrix& matrix);  // for the clipboard: ASCII minus, units in the head

// --- Before the run ------------------------------------------------------------------------------------------------

struct Estimate {
  QString words;    // "A will hold 3 score matrices... Largest need of this run: 101 MiB of 23 GiB."
  QString warning;  // where it does not fit; empty: it does
};
// `availableBytes` of this machine; 0: not known.
[[nodiscard]] Estimate estimateOf(const QStringList& ids, const Problem& problem, int threads, bool packsBFloat16,
                                  std::int64_t availableBytes);
[[nodiscard]] std::int64_t availableMemoryBytes();  // of this machine, from /proc/meminfo; 0: not known

[[nodiscard]] QString commandLineOf(const RunPlan& plan);  // "attnscope-cli run --impl ..."
[[nodiscard]] QString phaseWord(RunPhase phase);           // "warming up"
// A warning or a reason of a run as a sentence; the id of an implementation at its head becomes the title that the
// rows have: "SDPA flash: its times still varied by 3 %."
[[nodiscard]] QString spokenRemark(const std::string& remark);
// Any number in the way of Format.h, with these decimals.
[[nodiscard]] QString numberText(double value, int decimals);

}  // namespace attnscope::ui
