// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What pointer and keys do on panes, seams, ruler and overview alike: panning, measuring, zooming, and going from
// slice to slice. x is in px of the tracks. GUI thread only.

#include <functional>
#include <optional>

#include <QObject>
#include <QPointF>
#include <Qt>

#include "ui/bridge/Session.h"
#include "ui/bridge/ViewState.h"
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
  using ModelOf = std::function<const RunModel*(int)>;
  TimelineControl(Session& session, ViewState& view, TimelineState& state, ViewMotion& motion, ModelOf modelOf,
                  QObject* parent = nullptr);

  [[nodiscard]] Session& session() { return m_session; }
  [[nodiscard]] ViewState& view() { return m_view; }
  [[nodiscard]] TimelineState& state() { return m_state; }
  [[nodiscard]] ViewMotion& motion() { return m_motion; }
  [[nodiscard]] const RunModel* modelOf(int run) const { return m_modelOf(run); }
  [[nodiscard]] double timeAt(double x) const;

  // --- pointer
  enum class Drag : std::uint8_t { kNone, kPan, kMeasure };
  // `where` names the row whose slices a measure counts and snaps to.
  void press(double x, Drag drag, const Measure& where);
  void moveTo(double x);
  // Whether it was a click: the pointer did not travel.
  [[nodiscard]] bool release(double x);
  [[nodiscard]] Drag drag() const { return m_drag; }
  void pointAt(double x);  // cursor and pointer
  void leave();
  // Zooms or pans; false where the wheel is plain and rows should scroll.
  bool wheel(const QWheelEvent& event, double x, bool plainZooms);

  // --- steps through slices
  void select(int run, SliceId slice);
  void walkByName(Direction direction, bool onSameTrack);
  void walkRow(Direction direction);
  void toLaunch();
  void toKernel();
  void toParent();
  void toChild();
  void toPartner();
  void fit();  // selection, step, all: the next with every call
  void fitSelection();
  void scopeFromMeasure();
  bool letGo();  // range, then selection, then filter; false where there was nothing
  [[nodiscard]] std::optional<TimeRange> selectionRange() const;  // aligned

  // "310.0 µs, 3 slices, busy 99 %". O(slices measured) when something changed, then kept.
  [[nodiscard]] QString measureWords() const;

 Q_SIGNALS:
  void revealWanted(int run, SliceId slice);

 private:
  void selectLead(SliceId slice);
  [[nodiscard]] const RunModel* leadModel() const;
  [[nodiscard]] QString wordsOf(const Measure& measure) const;
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
  int m_fitStage = 0;
  mutable std::optional<QString> m_measureWords;  // nothing: to be made
};

}  // namespace attnscope::ui
