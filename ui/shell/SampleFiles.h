// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Where the samples lie: beside the installed program, else in the source tree it was built from.

#include <QString>
#include <QStringList>

namespace attnscope::ui {

// A session of the lab, measured and profiled; empty where it is not installed.
[[nodiscard]] QString sampleSession();
// Two plain traces, baseline first; empty where they are not installed.
[[nodiscard]] QStringList sampleTraces();

}  // namespace attnscope::ui
