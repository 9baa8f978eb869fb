// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Everything that was repaired, guessed or left out in the open traces: what, how often, where first, what it means.

#include "ui/bridge/Session.h"
#include "ui/shell/PageDialog.h"

class QVBoxLayout;

namespace attnscope::ui {

class HealthDialog : public PageDialog {
  Q_OBJECT

 public:
  HealthDialog(const Session& session, const Theme& theme, QWidget* parent = nullptr);

 private:
  void addRun(const Run& run, QVBoxLayout* column);
  QString m_text;
};

}  // namespace attnscope::ui
