// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The stretch of aligned time that all panes, the ruler, the overview and locked charts show, and the cursor on it.
// GUI thread only. One width in pixels for all panes.

#include <QObject>

#include "core/base/TimeRange.h"

namespace attnscope::ui {

class ViewState : public QObject {
  Q_OBJECT

 public:
  explicit ViewState(QObject* parent = nullptr);

  [[nodiscard]] double startNs() const { return m_startNs; }  // aligned time of the left edge
  [[nodiscard]] double spanNs() const { return m_spanNs; }
  [[nodiscard]] double endNs() const { return m_startNs + m_spanNs; }
  void setExtent(TimeRange extent);  // whole: what Home shows and zoom stops at
  [[nodiscard]] TimeRange extent() const { return m_extent; }
  void setView(double startNs, double spanNs);  // clamped: at least 100 ns wide, at most the extent and a margin
  void zoomAbout(double ns, double factor);     // factor below 1 zooms in
  void panBy(double ns);
  void showAll();
  void fit(TimeRange range);  // with a margin of 8 % at each side

  [[nodiscard]] bool hasCursor() const { return m_hasCursor; }
  [[nodiscard]] double cursorNs() const { return m_cursorNs; }
  void setCursor(double ns);
  void clearCursor();

 Q_SIGNALS:
  void viewChanged();
  void cursorChanged();

 private:
  TimeRange m_extent{0, 1'000'000};
  double m_startNs = 0;
  double m_spanNs = 1'000'000;
  double m_cursorNs = 0;
  bool m_hasCursor = false;
};

}  // namespace attnscope::ui
