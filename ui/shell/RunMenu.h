// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The context menu of a run, the same in the sidebar and in the rail.

#include <QMenu>

#include "ui/bridge/Session.h"

namespace attnscope::ui {

// Owned by `parent` and deleted when it closes.
QMenu* makeRunMenu(Session& session, Run* run, QWidget* parent);

}  // namespace attnscope::ui
