// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What the strip says: one sentence, a few figures, and how far the runs may be compared. Saved traces are one profiled
// run a side, so a sentence names a difference and never an interval. Values and pure functions, any thread.

#include <cstdint>
#include <optional>
#include <vector>

#include <QString>
#include <QStringList>

#include "core/compare/Comparison.h"

namespace attnscope::ui {

enum class VerdictTone : std::uint8_t { kPlain, kFaster, kSlower };
enum class VerdictSign : std::uint8_t { kNone, kOk, kInfo, kWarning, kRefused };

struct SentencePart {
  QString text;
  VerdictTone tone = VerdictTone::kPlain;
};

// A title over the runs' values. Values hold their unit; where several runs share one line it is said once, in `unit`.
struct VerdictFigure {
  struct Value {
    int runNumber = 0;
    QString letter;
    QString text;    // with unit; "–" when unknown
    QString number;  // without
  };
  QString title;
  std::vector<Value> values;
  QString unit;
  QString change;  // of the second value against the first, with sign; or empty
  VerdictTone tone = VerdictTone::kPlain;
};

// Of three or more timed runs: the change of the column's run against the row's, "−12.3 %"; "–" on the diagonal.
struct PairCell {
  QString text;
  VerdictTone tone = VerdictTone::kPlain;
};

struct Verdict {
  std::vector<SentencePart> sentence;
  QString note;  // "One step each: no interval"
  VerdictSign noteSign = VerdictSign::kNone;
  std::vector<VerdictFigure> figures;            // the first are the last to go where there is no room
  VerdictSign badge = VerdictSign::kNone;        // kNone: no badge
  std::vector<std::vector<PairCell>> everyPair;  // by row, then column; empty with two runs
  QStringList remarks;                           // how the verdict was made, and what disturbed it; a line each
  int morePairs = 0;                             // that would settle an open verdict, where they can be run; 0: none
  QString badgeText;                             // "2 differences"
  QString badgeDetail;                           // "Same work as far as the traces say"
  [[nodiscard]] QString sentenceText() const;    // as one text
};

// A run in scope.
struct VerdictRun {
  int runNumber = 0;
  QString letter;
  std::int64_t durationNs = 0;
  std::int64_t workNs = 0;      // kernel time, or host self time of operators
  std::uint64_t workCount = 0;  // kernels, or calls of operators
  std::optional<std::int64_t> peakBytes;
};

enum class VerdictScope : std::uint8_t { kTrace, kStep, kRange };

struct CompareInput {
  std::vector<VerdictRun> runs;  // baseline first, two or more, in the order of `comparison`
  VerdictScope scope = VerdictScope::kTrace;
};
[[nodiscard]] Verdict compareVerdict(const CompareInput& input, const Comparison& comparison);

struct SummaryInput {
  VerdictRun run;
  VerdictScope scope = VerdictScope::kTrace;
  QString scopeWords;  // "step 6": for "of step 6"; empty: the trace
  bool hasDeviceWork = false;
  std::size_t devices = 0;       // with work
  double busyShare = 0;          // of the scope, the busiest device
  std::int64_t attentionNs = 0;  // kernels of fused attention
  std::uint64_t operators = 0;   // distinct, with host time
  std::uint64_t repaired = 0;    // of the trace's health
  std::uint64_t lost = 0;
  std::uint64_t notes = 0;
};
[[nodiscard]] Verdict summaryVerdict(const SummaryInput& input);

}  // namespace attnscope::ui
