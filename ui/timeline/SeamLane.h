// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The lane between two neighbouring runs: a ribbon for each stretch of matched work, and in the header column what the
// runs' compared rows differ by. The diamond at its lower edge stands at what is aligned of the run that is no
// baseline, and moves that run when it is dragged: it snaps to where the alignment puts it, and to where a step, an
// annotation or the first kernel of the other run begins. Paints and hit-tests; the links are made elsewhere. GUI
// thread.

#include <memory>
#include <optional>
#include <vector>

#include <QImage>
#include <QWidget>

#include "core/compare/Alignment.h"
#include "ui/theme/Theme.h"
#include "ui/timeline/SeamGeometry.h"
#include "ui/timeline/TimelineControl.h"

namespace attnscope::ui {

class SeamLane : public QWidget {
  Q_OBJECT

 public:
  SeamLane(TimelineControl& control, const Theme& theme, QWidget* parent = nullptr);

  void setRuns(int upper, int lower);
  [[nodiscard]] int upper() const { return m_upper; }
  [[nodiscard]] int lower() const { return m_lower; }
  void setMatch(std::shared_ptr<const SeamMatch> match);  // nullptr: being matched
  [[nodiscard]] bool isMatched() const { return m_match != nullptr; }
  void setRibbons(Ribbons ribbons);
  void setExplained(bool isExplained);  // several seams: the caption is short
  // Work in the other run that stands for the slice; run -1 where there is none.
  [[nodiscard]] Partner partnerOf(int run, SliceId slice) const;
  [[nodiscard]] std::vector<Ribbon> ribbons() const;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void leaveEvent(QEvent* event) override;
  bool event(QEvent* event) override;

 private:
  [[nodiscard]] TimeScale scaleOf(int run) const;
  [[nodiscard]] TimeScale scale() const { return scaleOf(m_upper); }
  [[nodiscard]] double trackX(QPointF position) const;
  [[nodiscard]] const SeamLink* linkAt(QPointF position) const;
  [[nodiscard]] const SeamLink* linkOf(int run, SliceId slice) const;
  void chooseLinks();  // those of the selection
  // --- the handle
  [[nodiscard]] int movedRun() const;
  [[nodiscard]] int fixedRun() const { return movedRun() == m_lower ? m_upper : m_lower; }
  [[nodiscard]] double handleX(std::int64_t movedNs) const;  // in px of this widget
  [[nodiscard]] QRectF handle() const;                       // empty: out of view
  void paintHandle(QPainter& painter);
  void pressHandle(double x);
  void dragHandle(double x);
  [[nodiscard]] QString offsetWords() const;  // of the chip beside the handle
  void paintLane(QPainter& painter, const QRegion& region);
  void paintLabels(QPainter& painter, const std::vector<Ribbon>& shown);
  void paintHeader(QPainter& painter);
  void setHoveredLink(int link);
  [[nodiscard]] QString linkWords(const SeamLink& link) const;

  TimelineControl& m_control;
  const Theme& m_theme;
  int m_upper = 0;
  int m_lower = 1;
  Ribbons m_ribbons = Ribbons::kStages;
  std::vector<bool> m_chosen;  // by link: some of its work is selected; kept for Ribbons::kSelection
  bool m_isExplained = true;
  int m_hoveredLink = -1;
  struct Dragged {
    double pressX = 0;
    std::int64_t movedNs = 0;         // before the drag
    std::vector<Landmark> landmarks;  // of the run that stays, as moves that put the handle there
    std::optional<StringId> snapped;  // to the landmark of this name
  };
  std::optional<Dragged> m_dragged;
  std::shared_ptr<const SeamMatch> m_match;
  QImage m_image;
};

}  // namespace attnscope::ui
