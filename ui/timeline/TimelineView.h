// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The timelines of all runs: bar, overview, ruler, a pane a run, a seam between two. It makes what panes draw in
// workers of its own, and is one stop of the focus for all of them. GUI thread only.

#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <QAction>
#include <QLineEdit>
#include <QList>
#include <QTimer>
#include <QWidget>

#include "ui/bridge/Jobs.h"
#include "ui/bridge/Notes.h"
#include "ui/bridge/Session.h"
#include "ui/bridge/ViewState.h"
#include "ui/theme/Theme.h"
#include "ui/timeline/History.h"
#include "ui/timeline/NoteEditor.h"
#include "ui/timeline/OverviewStrip.h"
#include "ui/timeline/PaneSplit.h"
#include "ui/timeline/Ruler.h"
#include "ui/timeline/SeamLane.h"
#include "ui/timeline/SliceTip.h"
#include "ui/timeline/TimelineBar.h"
#include "ui/timeline/TimelineControl.h"
#include "ui/timeline/TimelinePane.h"
#include "ui/timeline/TrackMemory.h"

namespace attnscope::ui {

class TimelineView : public QWidget {
  Q_OBJECT

 public:
  TimelineView(Session& session, ViewState& view, const Theme& theme, QWidget* parent = nullptr);
  ~TimelineView() override;

  // For menus and the list of keys; separators between groups.
  [[nodiscard]] QList<QAction*> timelineActions() const { return m_actions; }
  // Rows, indexes and seams are made and nothing moves: a picture taken now is the final one.
  [[nodiscard]] bool isSettled() const;
  [[nodiscard]] SliceId sliceAt(int run, QPoint position) const;  // in this widget's coordinates
  [[nodiscard]] QRect sliceRect(int run, SliceId slice) const;    // null: its row does not show
  [[nodiscard]] const TimelinePane* pane(int run) const;
  [[nodiscard]] const SeamLane* seam(int upper) const;
  [[nodiscard]] TimelineState& state() { return m_state; }
  void setReducedMotion(bool isOn) { m_state.setReducedMotion(isOn); }
  void revealSlice(int run, SliceId slice);
  // What a search found, ascending by run: marked under the slices and in the overview. Never null.
  void setHits(std::shared_ptr<const std::vector<SelectedSlices>> hits);
  [[nodiscard]] Notes& notes() { return m_notes; }
  [[nodiscard]] Ribbons ribbons() const { return m_ribbons; }
  void setRibbons(Ribbons ribbons);
  [[nodiscard]] const TimelineControl& control() const { return m_control; }
  [[nodiscard]] std::shared_ptr<const DisplayTracks> tracksOf(int run) const;  // nullptr while they are made

  // --- what the actions do beside TimelineControl
  void writeNote(bool onRange);  // opens the line for its text; of a range: what is measured, else the selection
  void changeNote(int note);
  void showNote(int note);
  void stepRow(Direction direction);
  void pinTrack();  // the one under the pointer, else that of the selected slice; again: it scrolls as before
  void hideTrack();
  void togglePin(int run, int track);
  void setTrackHidden(int run, int track, bool isHidden);
  void showAllTracks();
  void moveTrack(Direction direction);
  // How the tracks of files were arranged, for settings.
  [[nodiscard]] QByteArray trackMemory() const { return m_memory.toJson(); }
  void setTrackMemory(const QByteArray& text) { m_memory.fromJson(text); }
  void moveBorder(Direction direction);  // below the pane in use, or above the last
  void focusTrackFilter();               // a field over the ruler's corner: tracks show whose names hold what is typed
  void goBack();                         // to the view before: stretch of time, scope, kinds, tracks
  void goForward();
  void selectBack();
  void selectForward();

 Q_SIGNALS:
  void ribbonsChanged();
  void settled();
  // For a context menu of the window's; slice is kNoSlice on an empty place.
  void menuWanted(int run, SliceId slice, const QPoint& globalPosition);
  void sliceActivated(int run, SliceId slice);  // double-click: details
  void trackMenuWanted(int run, int track, const QPoint& globalPosition);

 protected:
  bool event(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void keyReleaseEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  struct Model {
    std::shared_ptr<const RunFacts> facts;  // from which it is, or is being, made
    std::unique_ptr<RunModel> made;
  };
  struct TipOf {  // what the tooltip's text was made of
    int run = -1;
    SliceId slice = kNoSlice;
    double startNs = 0;
    double spanNs = 0;
    bool operator==(const TipOf&) const = default;
  };
  struct ViewPlace {
    double startNs = 0;
    double spanNs = 1;
    Scope scope;
    std::uint32_t kinds = 0;
    std::vector<std::pair<const Run*, TrackArrangement>> tracks;
    bool operator==(const ViewPlace&) const = default;
  };
  struct SelectionPlace {
    std::vector<std::pair<const Run*, std::vector<SliceId>>> parts;
    const Run* run = nullptr;
    SliceId slice = kNoSlice;
    QString words;
    bool operator==(const SelectionPlace& other) const { return parts == other.parts && slice == other.slice; }
  };
  struct TrackInHand {
    TimelinePane* pane = nullptr;
    int track = -1;
  };
  [[nodiscard]] ViewPlace viewPlace() const;
  void restore(const ViewPlace& place);
  void restore(const SelectionPlace& place);
  void rememberView();
  void rememberSelection();
  [[nodiscard]] TrackInHand trackInHand() const;
  [[nodiscard]] QPoint notePoint(int run, std::int64_t ownNs) const;
  [[nodiscard]] static QString keyOf(const char* what, const void* of);  // of a job
  void refreshSelected();
  void refreshHits();
  void placeRulers();
  void filterTracks(const QString& words);  // in all panes
  void rememberTracks(const TimelinePane& pane);
  void recallTracks(TimelinePane& pane);
  [[nodiscard]] TimelinePane* paneOf(int run) const;
  void connectSession();
  void rebuild();  // the set or order of runs changed
  void refreshModels();
  void makeModel(Run* run);
  void dropModel(Run* run);
  void keepMeasure();
  [[nodiscard]] std::optional<HeldKey> heldBy(const QKeyEvent& event) const;
  void refreshSeams();
  void refreshPartners();
  void refreshExtent();
  void refreshKinds();
  void layoutStack();
  void placeSplits();
  void moveBorderBy(std::size_t border, int pixels);
  [[nodiscard]] int leastPaneHeight() const;
  void onSelection();
  void onScope();
  void showTip(int run, SliceId slice, QPoint globalPosition);
  void announce();
  [[nodiscard]] const RunModel* modelOf(int run) const;
  [[nodiscard]] LayoutSizes sizes() const;
  [[nodiscard]] int windowHeight() const;

  Session& m_session;
  ViewState& m_view;
  const Theme& m_theme;
  Notes m_notes;
  TimelineState m_state;
  ViewMotion m_motion;
  TimelineControl m_control;
  Jobs m_jobs;
  PaneInk m_ink;
  std::unordered_map<const Run*, Model> m_models;
  TimelineBar m_bar;
  OverviewStrip m_overview;
  Ruler m_ruler;
  std::vector<Ruler*> m_ownRulers;  // one a pane while they move freely
  QWidget m_stack;
  PaneState m_empty;
  QWidget m_focusLine;
  SliceTip* m_tip;  // a child of the window, so that it may lie over its neighbours; owned by it
  TipOf m_tipOf;
  std::vector<TimelinePane*> m_panes;
  std::vector<SeamLane*> m_seams;
  std::vector<PaneSplit*> m_splits;  // one a border between panes
  std::vector<int> m_borders;        // by how many px the user moved each
  int m_borderAtPress = 0;
  std::shared_ptr<const std::vector<SelectedSlices>> m_hits;
  NoteEditor* m_noteEditor;
  QLineEdit m_trackFilter;
  QTimer m_viewRest;  // ends where the view has come to rest
  TrackMemory m_memory;
  History<ViewPlace> m_views;
  History<SelectionPlace> m_selections;
  QList<QAction*> m_actions;
  bool m_hasView = false;
  Ribbons m_ribbons = Ribbons::kStages;
  bool m_isLayingOut = false;
};

}  // namespace attnscope::ui
