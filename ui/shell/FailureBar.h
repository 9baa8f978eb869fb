// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A line over the timelines for a file that could not be read while others are shown.

#include "ui/bridge/Session.h"
#include "ui/shell/Surface.h"

namespace attnscope::ui {

class TextLabel;

class FailureBar : public Surface {
  Q_OBJECT

 public:
  FailureBar(Session& session, const Theme& theme, QWidget* parent = nullptr);
  [[nodiscard]] QString words() const;

 private:
  void refresh();
  [[nodiscard]] int failedRun() const;  // position of the first, -1: none
  Session& m_session;
  TextLabel* m_words;
};

}  // namespace attnscope::ui
