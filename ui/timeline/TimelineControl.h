// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What pointer and keys do on panes, seams, ruler and overview alike: panning, measuring, zooming, and going from
// slice to slice. x is in px of the tracks. GUI thread only.

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include <QObject>
#include <QPointF>
#include <Qt>

#include "ui/bridge/Session.h"
#include "ui/bridge/ViewState.h"
#include "ui/timeline/MeasuredArea.h"
#include "ui/timeline/RunModel.h"
#include "ui/timeline/SelectionWalk.h"
#include "ui/timeline/TimeScale.h"
#include "ui/timeline/TimelineState.h"
#include "ui/timeline/ViewMotion.h"

class QWheelEvent;

namespace attnscope::ui {

class TimelineControl : public QObject {
  Q_OBJECT

 public:
  static constexpr std::size_t kMostSelected = 200'000;  // at once: no walk takes longer than a frame
  using ModelOf = std::function<const RunModel*(int)>;
  TimelineControl(Session& session, ViewState& view, TimelineState& state, ViewMotion& motion, ModelOf modelOf,
                  QObject* parent = nullptr);

  [[nodiscard]] Session& session() { return m_session; }
  [[nodiscard]] ViewState& view() { return m_view; }
  [[nodiscard]] TimelineState& state() { return m_state; }
  [[nodiscard]] ViewMotion& motion() { return m_motion; }
  [[nodiscard]] const RunModel* modelOf(int run) const { return m_modelOf(run); }
  [[nodiscard]] double timeAt(double x) const;

  // --- one stretch of time for all runs, or one for each
  enum class Axes : std::uint8_t {
    kLocked,     // all runs show the same stretch at the same scale
    kFree,       // each its own
    kStretched,  // each at the scale at which what is compared of it is as wide as that of the others
  };
  struct Window {
    double startNs = 0;  // aligned
    double spanNs = 1;
  };
  [[nodiscard]] Axes axes() const { return m_axes; }
  void setAxes(Axes axes);  // with fewer than two runs they stay locked
  [[nodiscard]] bool isLocked() const { return m_axes == Axes::kLocked; }
  void setLocked(bool isLocked) { setAxes(isLocked ? Axes::kLocked : Axes::kFree); }
  // How much wider a run's time is drawn than the baseline's; 1 unless the runs are stretched.
  [[nodiscard]] double stretchOf(int run) const;
  [[nodiscard]] Window windowOf(int run) const;
  // Unlocked: the run whose window view() is, which keys, pointer and charts follow.
  void activate(int run);
  [[nodiscard]] const Run* active() const { return m_active; }  // nullptr: none yet

  // --- pointer
  enum class Drag : std::uint8_t { kNone, kPan, kMeasure };
  // `where` names the row whose slices a measure counts and snaps to.
  void press(double x, Drag drag, const Measure& where);
  void pressToExtend(double x);  // the nearer end of what is measured follows; nothing measured: as kMeasure
  void setMeasuredRows(std::vector<std::pair<int, int>> rows);  // of the drag that goes on
  void moveTo(double x);
  // Whether it was a click: the pointer did not travel.
  [[nodiscard]] bool release(double x);
  [[nodiscard]] Drag drag() const { return m_drag; }
  void pointAt(double x);    // cursor and pointer
  void putCursor(double x);  // it stays there while the pointer is elsewhere
  void leave();
  // Zooms or pans; false where the wheel is plain and rows should scroll.
  bool wheel(const QWheelEvent& event, double x, bool plainZooms);
  void pinch(double x, double growth);  // of a touchpad: by a share of the size

  // What is measured, as rows; nothing: there is none, or its rows are still being made.
  [[nodiscard]] std::optional<MeasuredArea> measuredArea() const;
  void measureGap(int run, int track, const IdleGap& gap);  // as if it had been dragged over

  // --- steps through slices
  void select(int run, SliceId slice);
  void addToSelection(int run, SliceId slice);  // takes it out where it is selected
  void walkByName(Direction direction, bool onSameTrack);
  void walkRow(Direction direction, const std::vector<int>& trackOrder);  // of the selected run, from top to bottom
  void toLaunch();
  void toKernel();
  void toParent();
  void toChild();
  void toPartner();
  void alongArrow(Direction direction);  // of a flow: forward to backward, or what was recorded; the next each time
  void selectChain();     // the outermost operator around the selected slice or its launch, all inside it, its kernels
  void selectMeasured();  // slices of the measured area, at most kMostSelected
  void fit();             // selection, step, all: the next with every call
  void fitSelection();
  void scopeFromMeasure();
  bool letGo();  // range, then selection, then filter; false where there was nothing
  [[nodiscard]] std::optional<TimeRange> selectionRange() const;  // aligned

  // "310.0 µs, 3 slices, busy 99 %". O(slices measured) when something changed, then kept.
  [[nodiscard]] QString measureWords() const;

 Q_SIGNALS:
  void revealWanted(int run, SliceId slice);
  void lockChanged();

 private:
  [[nodiscard]] double comparedSpanNs(int run) const;
  void selectLead(SliceId slice);
  [[nodiscard]] const RunModel* leadModel() const;
  [[nodiscard]] QString wordsOf(const Measure& measure) const;
  [[nodiscard]] std::vector<const DisplayRow*> rowsOf(const Measure& where, const RunModel*& model) const;
  [[nodiscard]] int runOf(const Measure& where) const;
  [[nodiscard]] double snapped(double ns, const Measure& where) const;
  [[nodiscard]] const DisplayRow* rowOf(const Measure& where, const RunModel*& model) const;

  Session& m_session;
  ViewState& m_view;
  TimelineState& m_state;
  ViewMotion& m_motion;
  ModelOf m_modelOf;
  Drag m_drag = Drag::kNone;
  Measure m_where;
  double m_pressX = 0;
  double m_lastX = 0;
  double m_pressNs = 0;
  bool m_hasTravelled = false;
  std::optional<double> m_putCursorNs;
  int m_fitStage = 0;
  Axes m_axes = Axes::kLocked;
  std::unordered_map<const Run*, Window> m_windows;  // free: of the runs that are not active
  const Run* m_active = nullptr;
  mutable std::optional<QString> m_measureWords;  // nothing: to be made
};

}  // namespace attnscope::ui
