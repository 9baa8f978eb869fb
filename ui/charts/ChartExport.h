// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Charts as files: PNG as it is on the screen, SVG through QSvgGenerator. Includes QCustomPlot: for the few .cpp files
// that draw charts. GUI thread only.

#include <QString>

#include "ui/charts/CustomPlot.h"

namespace attnscope::ui {

// By the ending of `path`, .svg or .png. False where the file cannot be written.
[[nodiscard]] bool saveChart(QCustomPlot& plot, const QString& path);

}  // namespace attnscope::ui
