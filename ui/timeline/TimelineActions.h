// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Every key of the timeline as an action, so that menus, the palette, the list of keys and the shortcuts are one table.
// Single letters act only while the timeline has the focus. GUI thread.

#include <optional>

#include <QAction>
#include <QList>

#include "ui/timeline/ViewMotion.h"

namespace attnscope::ui {

class TimelineControl;
class TimelineView;

// Owned by and added to `view`, in the order in which a menu shows them; separators between groups. Their object names
// ("timeline.zoomIn") are what changed shortcuts are kept by.
[[nodiscard]] QList<QAction*> makeTimelineActions(TimelineControl& control, TimelineView& view);
// Which held movement a key means, by the shortcuts that its action has now; nothing for other keys.
[[nodiscard]] std::optional<HeldKey> heldKeyOf(const QList<QAction*>& actions, int key);

}  // namespace attnscope::ui
