// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Everything that was repaired, guessed or left out in the open traces: what, how often, where first, what it means.

#include <QDialog>

#include "ui/bridge/Session.h"
#include "ui/theme/Theme.h"

class QVBoxLayout;

namespace attnscope::ui {

class HealthDialog : public QDialog {
  Q_OBJECT

 public:
  HealthDialog(const Session& session, const Theme& theme, QWidget* parent = nullptr);

 private:
  void addRun(const Run& run, QVBoxLayout* column);
  const Theme& m_theme;
  QString m_text;
};

}  // namespace attnscope::ui
