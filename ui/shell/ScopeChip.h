// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What every table and chart is limited to: "Step 3 ×". A click lists the scopes, the cross goes back to the whole.

#include <QWidget>

#include "ui/bridge/Session.h"
#include "ui/bridge/ViewState.h"
#include "ui/theme/Theme.h"

class QMenu;

namespace attnscope::ui {

class IconButton;

// "Step 3" for the n-th step of the baseline, by the number its recorder gave.
[[nodiscard]] QString stepWords(const Session& session, int step);
// Whole, each step, what is in view, what is selected: the same in the chip and in the menu bar.
void fillScopeMenu(QMenu& menu, Session& session, const ViewState& view);

class ScopeChip : public QWidget {
  Q_OBJECT

 public:
  ScopeChip(Session& session, const ViewState& view, const Theme& theme, QWidget* parent = nullptr);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void refresh();
  Session& m_session;
  const ViewState& m_view;
  const Theme& m_theme;
  IconButton* m_words;
  IconButton* m_clear;
};

}  // namespace attnscope::ui
