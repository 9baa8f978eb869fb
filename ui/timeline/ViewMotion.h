// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// How the view moves: keys that are held (one 16 ms timer and the time that really passed, faster the longer they
// are), the wheel's zoom to a target in 120 ms, and pans. With reduced motion every zoom is at once. GUI thread only.

#include <cstdint>
#include <set>

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include "ui/bridge/ViewState.h"
#include "ui/timeline/TimelineState.h"

namespace attnscope::ui {

enum class HeldKey : std::uint8_t { kZoomIn, kZoomOut, kLeft, kRight };

class ViewMotion : public QObject {
  Q_OBJECT

 public:
  ViewMotion(ViewState& view, TimelineState& state, int zoomMs, QObject* parent = nullptr);

  // About the track's x; `notches` above 0 zooms in.
  void zoom(double x, double notches);
  void panPixels(double pixels);
  void hold(HeldKey key, bool isFast);
  void release(HeldKey key);
  void releaseAll();
  [[nodiscard]] bool isMoving() const { return m_timer.isActive(); }

 private:
  void tick();
  [[nodiscard]] double pointerNs() const;

  ViewState& m_view;
  TimelineState& m_state;
  int m_zoomMs;
  QTimer m_timer;
  QElapsedTimer m_clock;
  std::set<HeldKey> m_held;
  double m_heldMs = 0;  // since the first of them was pressed
  bool m_isFast = false;
  bool m_isZooming = false;
  double m_zoomAboutNs = 0;
  double m_zoomFrom = 1;
  double m_zoomTo = 1;
  double m_zoomElapsed = 0;
};

}  // namespace attnscope::ui
