// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a column of a table is: its title, unit and width, how its numbers are written, summed and hidden.
// Values; pure functions, any thread.

#include <cstdint>
#include <vector>

#include <QString>

#include "ui/bridge/Format.h"

namespace attnscope::ui {

enum class ColumnRole : std::uint8_t {
  kName,  // swatch and short name; takes the width that is left
  kText,
  kCount,
  kTime,          // ns, written in `timeUnit`
  kTimeWithBar,   // the same over a bar: its part of the column's sum
  kShare,         // 0..1, written as per cent without the sign
  kBytes,         // written in `byteUnit`
  kNumber,        // two decimals
  kDelta,         // ns, other less base: bar from an axis, number with sign
  kDeltaShare,    // of the base, per cent with sign
  kDistribution,  // durations of the calls on one scale
};

// How a column's cells become one cell of a group or of the foot line.
enum class SumRule : std::uint8_t {
  kNone,   // nothing is written
  kSum,    // of the known cells
  kDelta,  // sum of `otherColumn` less sum of `baseColumn`
  kRatio,  // that, of the sum of `baseColumn`
};

// Order in which columns go when there is no room: the lowest rank first, all columns of one rank together.
// Rank 0 never goes.
struct Column {
  QString title;
  ColumnRole role = ColumnRole::kText;
  int width = 60;  // logical px at 100 %; of kName: the least
  int hideRank = 0;
  bool isExtra = false;  // not shown until a person chooses it
  int runNumber = -1;    // chip of this run in the head
  QString runLetter;
  format::TimeUnit timeUnit = format::TimeUnit::kUs;
  format::ByteUnit byteUnit = format::ByteUnit::kMiB;
  SumRule sum = SumRule::kNone;
  int baseColumn = -1;  // of differences: what they are made from
  int otherColumn = -1;
  double barScale = 0;  // of kTimeWithBar: what a full cell stands for
  double least = 0;     // of kDelta: the range that bars span, least <= 0 <= most
  double most = 0;      // of kDistribution: right end of the scale, ns
  QString description;  // tooltip of the head

  [[nodiscard]] bool isText() const { return role == ColumnRole::kName || role == ColumnRole::kText; }
  [[nodiscard]] bool isRightAligned() const { return !isText() && role != ColumnRole::kDistribution; }
  [[nodiscard]] QString unitText() const;  // "µs", "%", "MiB", "0 to 140 µs", or empty
  [[nodiscard]] QString headText() const;  // "Total A µs": head as one text, for people who hear it
};

enum class Tone : std::uint8_t { kNeutral, kFaster, kSlower };
// One profiled step has no interval: a change of less than 1 % of the larger side is not called a difference.
[[nodiscard]] Tone toneOf(double base, double other);

// The cell's number as it is written, "–" for NaN. Not for texts and distributions.
[[nodiscard]] QString numberText(const Column& column, double value);

struct ColumnMeasure {
  double numberScale = 1;  // digit cell over that of Inter at 12 px (7.7)
  double textScale = 1;    // advance of a known name over that of Inter (152)
};
// Width of each column in px, 0 for those that are hidden. The name column takes what is left, never less than its
// least; when even then the rest does not fit, the sum is larger than `available`.
[[nodiscard]] std::vector<int> columnWidths(const std::vector<Column>& columns, int available, ColumnMeasure measure);

}  // namespace attnscope::ui
