// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The conditions that differ between runs, and what each means: opened by the badge, closed by a click elsewhere or
// Escape. GUI thread only; the theme outlives it.

#include <vector>

#include <QFrame>

#include "core/compare/Comparison.h"

namespace attnscope::ui {

class Theme;

struct ReasonsRun {
  int runNumber = 0;
  QString letter;
};

class ReasonsPopup : public QFrame {
  Q_OBJECT

 public:
  // `runs` in the order of the comparison.
  ReasonsPopup(const Comparison& comparison, const std::vector<ReasonsRun>& runs, const Theme& theme, QWidget* parent);
};

}  // namespace attnscope::ui
