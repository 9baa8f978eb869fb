// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The last row of the window: what it is doing, what is open; the cursor, the view, the time of a pixel.

#include <functional>

#include "ui/bridge/Session.h"
#include "ui/bridge/ViewState.h"
#include "ui/theme/Surface.h"

class QProgressBar;

namespace attnscope::ui {

class IconButton;
class TextLabel;

class StatusLine : public Surface {
  Q_OBJECT

 public:
  StatusLine(Session& session, const ViewState& view, const Theme& theme, QWidget* parent = nullptr);
  void setTrackWidth(std::function<int()> width);  // pixels of the timelines, for the time of one
  // The lab's run: what it is doing and how far it is (0 to 1); no words: none is on.
  void setRun(const QString& words, double share);
  // In front of the lab: the machine it runs on is told instead of the traces that are open.
  void setLab(bool isInFront, const QString& machine);
  void say(const QString& words);  // for some seconds instead of "Ready"
  // A button with these words, which offerTaken() follows; no words: none.
  void setOffer(const QString& words);
  [[nodiscard]] QString stateWords() const;

 Q_SIGNALS:
  void keysRequested();
  void offerTaken();

 private:
  void refreshState();
  void refreshView();
  [[nodiscard]] QString countWords() const;

  Session& m_session;
  const ViewState& m_view;
  std::function<int()> m_trackWidth;
  QString m_said;
  QString m_run;
  QString m_machine;
  bool m_isLab = false;
  QProgressBar* m_share;
  IconButton* m_offer;
  TextLabel* m_state;
  TextLabel* m_counts;
  TextLabel* m_cursor;
  TextLabel* m_range;
  TextLabel* m_pixel;
};

}  // namespace attnscope::ui
