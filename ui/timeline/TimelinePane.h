// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The tracks of one run, or the state it is in while there are none: being read, failed, empty. Paints its scene,
// turns pointer events into hits, and scrolls its rows. GUI thread.

#include <memory>
#include <vector>

#include <QScrollBar>
#include <QWidget>

#include "ui/timeline/BeginningMark.h"
#include "ui/timeline/PanePainter.h"
#include "ui/timeline/PaneScene.h"
#include "ui/timeline/PaneState.h"
#include "ui/timeline/TimelineControl.h"

namespace attnscope::ui {

class TimelinePane : public QWidget {
  Q_OBJECT

 public:
  TimelinePane(int run, TimelineControl& control, const Theme& theme, PaneInk& ink, QWidget* parent = nullptr);

  [[nodiscard]] int run() const { return m_run; }
  void setRun(int run);  // its position in the session
  void setRole(PaneRole role);
  [[nodiscard]] PaneRole role() const { return m_role; }
  // nullptr until its display tracks are made.
  void setModel(const RunModel* model);
  void setSizes(const LayoutSizes& sizes);
  [[nodiscard]] int wantedHeight() const;

  [[nodiscard]] const DisplayTracks* tracks() const { return m_model ? &m_model->tracks() : nullptr; }
  [[nodiscard]] PaneScene scene() const;
  [[nodiscard]] SliceId sliceAt(QPoint position) const;
  [[nodiscard]] QRect sliceRect(SliceId slice) const;
  void reveal(SliceId slice);  // scrolls its row into view
  [[nodiscard]] bool isRevealed(SliceId slice) const;
  bool scrollRows(int rows);  // down where positive; false at the end
  [[nodiscard]] const TrackArrangement& arrangement() const { return m_arrangement; }
  void arrange(TrackArrangement arrangement);
  void togglePin(int track);
  void setTrackHidden(int track, bool isHidden);  // not the one at the seam
  void moveTrack(int track, Direction direction);
  // Of the pointer, in the column of names or over the rows; -1: none.
  [[nodiscard]] int trackUnderPointer() const { return m_trackUnderPointer; }
  [[nodiscard]] std::vector<int> trackOrder() const;  // that show, from top to bottom
  void setSelected(SelectedRows rows);
  void setFound(FoundRows rows);  // by a search
  void refreshState();            // of the run: loading, failed, ready
  void refreshTracks();
  void refreshView();

 Q_SIGNALS:
  void wishChanged();  // wantedHeight()
  void arrangementChanged();
  void trackMenuWanted(int run, int track, QPoint globalPosition);
  void tooltipWanted(int run, SliceId slice, QPoint globalPosition);
  void menuWanted(int run, SliceId slice, QPoint globalPosition);
  void sliceActivated(int run, SliceId slice);

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  void relayout();
  void placeScrollBar();
  void pressHeader(QPointF position);
  void moveInHeader(QPointF position);
  void moveTo(int track, const LayoutItem& target);
  void fold(const LayoutItem& item);
  [[nodiscard]] const LayoutItem* trackItemAt(int y) const;
  [[nodiscard]] double trackX(QPointF position) const;
  [[nodiscard]] Measure measurePlace(QPointF position) const;
  [[nodiscard]] std::vector<std::pair<int, int>> rowsBetween(double fromY, double toY) const;  // (track, row)

  int m_run;
  TimelineControl& m_control;
  const Theme& m_theme;
  PaneInk& m_ink;
  const RunModel* m_model = nullptr;
  PaneRole m_role = PaneRole::kAlone;
  LayoutSizes m_sizes;
  TrackArrangement m_arrangement;
  PaneLayout m_layout;
  SelectedRows m_selected;
  FoundRows m_found;
  PaneBuffer m_buffer;
  QScrollBar m_scroll;
  PaneState m_state;
  BeginningMark m_beginning;
  int m_hoveredY = -1;
  int m_trackUnderPointer = -1;
  int m_movedTrack = -1;  // that is dragged by its name
  bool m_isDraggingRows = false;
  bool m_hasScrolled = false;
  double m_pressY = 0;
  int m_pressScroll = 0;
};

}  // namespace attnscope::ui
