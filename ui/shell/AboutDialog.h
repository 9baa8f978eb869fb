// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The name, the version, the licences.

#include <QDialog>

#include "ui/theme/Theme.h"

namespace attnscope::ui {

class AboutDialog : public QDialog {
  Q_OBJECT

 public:
  explicit AboutDialog(const Theme& theme, QWidget* parent = nullptr);
};

}  // namespace attnscope::ui
