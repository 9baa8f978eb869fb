// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Whether the desktop asks for little motion. Qt 6.4 does not tell: it is read from what the settings of desktops write
// (GTK's gtk-enable-animations in settings.ini, KDE's AnimationDurationFactor in kdeglobals).

#include <QString>

namespace attnscope::ui {

// `folder` is that of the settings, mostly ~/.config. False where nothing is said.
[[nodiscard]] bool desktopReducesMotion(const QString& folder);

}  // namespace attnscope::ui
