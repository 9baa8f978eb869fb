// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The runs of the session, what one trace was captured with, and its health at the foot.

#include <vector>

#include "ui/bridge/Session.h"
#include "ui/theme/Surface.h"

class QGridLayout;
class QTimer;
class QVBoxLayout;

namespace attnscope::ui {

class MissingRow;
class RunCard;

class Sidebar : public Surface {
  Q_OBJECT

 public:
  Sidebar(Session& session, const Theme& theme, QWidget* parent = nullptr);
  [[nodiscard]] const std::vector<RunCard*>& cards() const { return m_cards; }
  [[nodiscard]] const std::vector<MissingRow*>& missing() const { return m_missing; }

 Q_SIGNALS:
  void addRequested();
  void healthRequested();

 private:
  void rebuild();
  void rebuildMissing();
  void refreshCards();
  void refreshCapture();
  void showDropLine(int globalY);
  void dropCard(Run* run, int globalY);
  [[nodiscard]] int positionAt(int globalY) const;  // before which card, 0 to cards

  Session& m_session;
  QVBoxLayout* m_list;
  QWidget* m_capture;
  QWidget* m_dropLine;
  QTimer* m_ticks;  // progress, only while something is read
  std::vector<RunCard*> m_cards;
  std::vector<MissingRow*> m_missing;
};

}  // namespace attnscope::ui
