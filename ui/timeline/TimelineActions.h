// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Every key of the timeline as an action, so that menus, the list of keys and the shortcuts are one table. Single
// letters act only while the timeline has the focus. GUI thread.

#include <QAction>
#include <QList>
#include <QWidget>

#include "ui/timeline/TimelineControl.h"

namespace attnscope::ui {

// Owned by and added to `owner`, in the order in which a menu shows them; separators between groups.
[[nodiscard]] QList<QAction*> makeTimelineActions(TimelineControl& control, QWidget* owner);
// Which held movement a key means, by Qt::Key; nothing for other keys.
[[nodiscard]] std::optional<HeldKey> heldKeyOf(int key);

}  // namespace attnscope::ui
