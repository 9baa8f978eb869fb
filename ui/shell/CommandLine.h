// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What the program was asked for on its command line. Parsing is a pure function of the arguments.

#include <cstdint>
#include <optional>

#include <QSize>
#include <QString>
#include <QStringList>

#include "core/base/Result.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {

enum class ViewName : std::uint8_t {
  kStart,
  kTimeline,
  kCompare,
  kKernels,
  kOperators,
  kGroups,
  kMemory,
  kFindings,
  kSlices,
  kSteps,
  kMemoryEvents,
  kDistribution,
  kKinds,
  kFlame,
  kInside,
  kDetails,
  kLab
};
[[nodiscard]] QString toString(ViewName view);

struct CommandLine {
  QStringList files;
  std::optional<ViewName> view;
  std::optional<ThemeChoice> theme;
  std::optional<QSize> size;
  std::optional<int> textScalePercent;  // 100 to 200
  std::optional<int> unpackRatio;       // packed traces may grow by this factor
  QString capture;                      // PNG to draw the view into; empty: none
  std::optional<int> captureAfterMs;    // draw then, ready or not
  bool help = false;
  bool version = false;
};

// `arguments` without the program's name. Fails with kUsage, in one sentence, and what to write instead.
[[nodiscard]] Result<CommandLine> parseCommandLine(const QStringList& arguments);
[[nodiscard]] QString commandLineHelp();

}  // namespace attnscope::ui
