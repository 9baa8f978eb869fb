// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What is told about one slice: the same facts for the panel, for copying as text and as JSON. Pure functions of the
// trace, any thread; callsOf() is O(n), the rest O(depth + log n).

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <QByteArray>
#include <QJsonObject>
#include <QString>

#include "core/base/Result.h"
#include "core/base/TimeRange.h"
#include "core/trace/Trace.h"
#include "ui/bridge/Run.h"

namespace attnscope::ui {

struct CallStatistics {  // of the slices with the same name and category that start in the scope
  std::uint64_t calls = 0;
  std::int64_t minNs = 0;
  std::int64_t medianNs = 0;  // mean of the middle two, half up
  std::int64_t p95Ns = 0;     // nearest rank
  std::int64_t maxNs = 0;
  std::uint64_t ordinal = 0;             // of this slice among them by start, from 1; 0: outside the scope
  std::vector<std::uint32_t> histogram;  // equal bins from min to max; empty under two calls or when all are equal
};
[[nodiscard]] CallStatistics callsOf(const Trace& trace, std::string_view name, CategoryClass category, TimeRange scope,
                                     SliceId slice);
// The n-th (from 1) slice of this name in the scope by start, or kNoSlice.
[[nodiscard]] SliceId nthCall(const Trace& trace, std::string_view name, CategoryClass category, TimeRange scope,
                              std::uint64_t ordinal);

// From the runtime call that launched it outwards over operators and annotations; for a host slice its parents.
[[nodiscard]] std::vector<SliceId> launchChain(const Trace& trace, SliceId slice);
// The attention call that the slice is, or else the nearest one around it or its launch; kNoSlice: there is none.
[[nodiscard]] SliceId attentionCallOf(const Trace& trace, SliceId slice);

struct Fact {
  QString label;
  QString value;
  int depth = 0;  // below how many others it stands, in a tree
};
struct SliceFacts {
  QString name;      // short
  QString fullName;  // as written, demangled
  QString kind;      // "Fused attention on GPU 0, stream 7"
  WorkKind paint = WorkKind::kUnknown;
  QString duration;
  QString start;  // from the alignment's zero
  QString third;  // self time of a host operator, delay from launch of device work; may be empty
  QString thirdLabel;
  std::vector<Fact> launch;  // grid, block, registers...
  std::vector<Fact> more;    // shapes, correlation, external id
  std::vector<Fact> stack;   // where it began, the innermost call first; empty: not recorded
};
[[nodiscard]] SliceFacts sliceFacts(const RunFacts& facts, SliceId slice, std::int64_t anchorNs);

struct Arguments {
  std::vector<Fact> entries;  // as a tree from top to bottom: what holds others stands above them
  QJsonObject object;         // as they are
  QString failure;            // why they cannot be read
};
[[nodiscard]] Arguments readArguments(const Trace& trace, SliceId slice);
[[nodiscard]] QString kindWords(WorkKind kind);

[[nodiscard]] QString factsAsText(const SliceFacts& facts, const QString& run, const CallStatistics& calls,
                                  const Arguments& arguments);
[[nodiscard]] QByteArray factsAsJson(const Trace& trace, SliceId slice, const QString& run, const CallStatistics& calls,
                                     const Arguments& arguments);

}  // namespace attnscope::ui
