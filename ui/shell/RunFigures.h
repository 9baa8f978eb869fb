// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The few figures that stand for a run in the sidebar, and what its recorder said about itself. Pure functions.

#include <vector>

#include <QString>
#include <QStringList>

#include "core/trace/TraceHealth.h"
#include "ui/bridge/Run.h"

namespace attnscope::ui {

struct Figure {
  QString label;
  QString value;
};

// Of a run that the lab measured: its median time, what the profiler made of it, its peak. Else: duration of the scope,
// kernel time (host self time without device work), peak memory; "–" while being computed.
[[nodiscard]] std::vector<Figure> runFigures(const Run& run, const QString& scopeWords);
// Producer, device, versions, recorded options, steps.
[[nodiscard]] std::vector<Figure> captureFigures(const Trace& trace);
// "31 406 events, 2.4 MB, 0.04 s", and shorter where that is too long: longest first.
[[nodiscard]] QStringList loadWords(const Trace& trace);

// "no repairs", "nothing lost", "12 lost".
[[nodiscard]] QString healthWords(const TraceHealth& health);
struct SeverityLook {
  const char* icon;
  const char* colour;
};
[[nodiscard]] SeverityLook severityLook(Severity severity);
// 3 bar progress where the total is known, in 0..1; negative: unknown.
[[nodiscard]] double progressShare(const Progress& progress);
[[nodiscard]] QString progressWords(const Progress& progress);

}  // namespace attnscope::ui
