// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The conditions that differ between runs, and what each means, under the samples over time where the runs were timed:
// opened by the badge, closed by a click elsewhere or Escape. GUI thread only; the theme outlives it.

#include <vector>

#include <QFrame>

#include "core/compare/Comparison.h"
#include "ui/compare/SamplesPlot.h"
#include "ui/compare/Verdict.h"

namespace attnscope::ui {

class Theme;

struct ReasonsRun {
  int runNumber = 0;
  QString letter;
};

class ReasonsPopup : public QFrame {
  Q_OBJECT

 public:
  // `runs` in the order of the comparison; `samples` of those that were timed, or none.
  // `verdict` has what was made of them: every pair, and the remarks.
  ReasonsPopup(const Comparison& comparison, const std::vector<ReasonsRun>& runs, std::vector<SampleSeries> samples,
               const Verdict& verdict, const Theme& theme, QWidget* parent);

 private:
  [[nodiscard]] QWidget* everyPair(const std::vector<ReasonsRun>& runs, const Verdict& verdict, const Theme& theme);
};

}  // namespace attnscope::ui
