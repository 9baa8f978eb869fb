// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Where the sample comparison lies: beside the installed program, else in the source tree it was built from.

#include <QStringList>

namespace attnscope::ui {

// Baseline first; empty where the sample is not installed.
[[nodiscard]] QStringList sampleFiles();

}  // namespace attnscope::ui
