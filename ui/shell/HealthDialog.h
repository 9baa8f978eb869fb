// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Everything that was repaired, guessed or left out in the open traces: what, how often, where first, what it means.
// Each entry that has a place leads to it.

#include "ui/bridge/Session.h"
#include "ui/shell/PageDialog.h"

class QVBoxLayout;

namespace attnscope::ui {

class HealthDialog : public PageDialog {
  Q_OBJECT

 public:
  HealthDialog(const Session& session, const Theme& theme, QWidget* parent = nullptr);

 Q_SIGNALS:
  void placeRequested(int run, SliceId slice);

 private:
  void addRun(const Run& run, QVBoxLayout* column);
  const Session& m_session;
  QString m_text;
};

// The slice that the entry is about first, or the one written before its event or byte; kNoSlice where it has no place.
// O(slices).
[[nodiscard]] SliceId firstPlace(const Trace& trace, const HealthEntry& entry);

}  // namespace attnscope::ui
