// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What the widgets of one timeline share beside Session and ViewState: header width, pointer, hover, measured stretch,
// partners of the selection, both ends of a ribbon under the pointer. GUI thread only.

#include <optional>
#include <utility>
#include <vector>

#include <QObject>
#include <QPoint>

#include "core/base/Ids.h"
#include "core/base/TimeRange.h"
#include "ui/bridge/Notes.h"

namespace attnscope::ui {

// Which work the ribbons at a seam join.
enum class Ribbons : std::uint8_t { kStages, kSelection, kOff };

struct HoveredSlice {
  int run = -1;
  SliceId slice = kNoSlice;
  bool operator==(const HoveredSlice&) const = default;
};

struct Measure {
  double fromNs = 0;  // aligned; from <= to
  double toNs = 0;
  int run = -1;    // whose slices are counted: that of the track on which it began; -1: the first
  int track = -1;  // of its DisplayTracks; -1: the compared one
  int row = 0;
  std::vector<std::pair<int, int>> rows = {};  // (track, row) of an area over several; empty: that row alone
  bool operator==(const Measure&) const = default;
};

// Work in another run that stands for the selected slice, in that run's own time.
struct Partner {
  int run = -1;
  TimeRange range;
  std::vector<SliceId> slices;
};

class TimelineState : public QObject {
  Q_OBJECT

 public:
  // `notes` are drawn by ruler and panes; nullptr: none.
  explicit TimelineState(const Notes* notes = nullptr, QObject* parent = nullptr) : QObject(parent), m_notes(notes) {}

  [[nodiscard]] int headerWidth() const { return m_headerWidth; }
  void setHeaderWidth(int width) {
    if (width == m_headerWidth) return;
    m_headerWidth = width;
    Q_EMIT layoutChanged();
  }
  [[nodiscard]] int trackWidth() const { return m_trackWidth; }
  void setTrackWidth(int width) { m_trackWidth = width; }
  [[nodiscard]] const HoveredSlice& hovered() const { return m_hovered; }
  void setHovered(HoveredSlice hovered) {
    if (hovered == m_hovered) return;
    m_hovered = hovered;
    Q_EMIT hoverChanged();
  }
  [[nodiscard]] const std::optional<Measure>& measure() const { return m_measure; }
  void setMeasure(std::optional<Measure> measure) {
    if (measure == m_measure) return;
    m_measure = measure;
    Q_EMIT measureChanged();
  }
  [[nodiscard]] const std::vector<Partner>& partners() const { return m_partners; }
  void setPartners(std::vector<Partner> partners) {
    m_partners = std::move(partners);
    Q_EMIT partnersChanged();
  }
  // Both ends of the ribbon that is pointed at: outlined beside the partners, which stay what they are.
  [[nodiscard]] const std::vector<Partner>& ribbonEnds() const { return m_ribbonEnds; }
  void setRibbonEnds(std::vector<Partner> ends) {
    if (ends.empty() && m_ribbonEnds.empty()) return;
    m_ribbonEnds = std::move(ends);
    Q_EMIT partnersChanged();
  }
  // x of the pointer on the tracks; negative: it is elsewhere, and keys zoom about the middle.
  [[nodiscard]] double pointerX() const { return m_pointerX; }
  void setPointerX(double x) { m_pointerX = x; }
  [[nodiscard]] bool isMeasuring() const { return m_isMeasuring; }  // the tool is on: a plain drag measures
  void setMeasuring(bool isOn) { m_isMeasuring = isOn; }
  [[nodiscard]] const Notes* notes() const { return m_notes; }
  [[nodiscard]] bool hasReducedMotion() const { return m_reducedMotion; }
  void setReducedMotion(bool isOn) { m_reducedMotion = isOn; }

 Q_SIGNALS:
  void layoutChanged();
  void hoverChanged();
  void measureChanged();
  void partnersChanged();  // or ends of a ribbon

 private:
  int m_headerWidth = 200;
  int m_trackWidth = 800;
  HoveredSlice m_hovered;
  std::optional<Measure> m_measure;
  std::vector<Partner> m_partners;
  std::vector<Partner> m_ribbonEnds;
  const Notes* m_notes;
  double m_pointerX = -1;
  bool m_isMeasuring = false;
  bool m_reducedMotion = false;
};

}  // namespace attnscope::ui
