// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/TimelineActions.h"

#include <QCoreApplication>

#include "ui/timeline/TimelineView.h"

namespace attnscope::ui {

namespace {

constexpr double kPanPixels = 120;
constexpr double kFastPanPixels = 400;
constexpr QLatin1String kPrefix("timeline.");

struct Words {
  Q_DECLARE_TR_FUNCTIONS(attnscope::ui::TimelineView)
};

class Maker {
 public:
  Maker(TimelineControl& control, TimelineView& view) : m_control(&control), m_view(&view) {}

  QList<QAction*> make() {
    addMotion();
    separate();
    addWalks();
    separate();
    addMarks();
    separate();
    addTracks();
    return m_actions;
  }

 private:
  template <class Act>
  QAction* add(const char* name, const QString& text, const QString& tip, const QList<QKeySequence>& keys, Act act) {
    auto* action = new QAction(text, m_view);
    action->setObjectName(kPrefix + QLatin1String(name));
    action->setToolTip(tip);
    action->setShortcuts(keys);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    QObject::connect(action, &QAction::triggered, m_view, act);
    m_view->addAction(action);
    m_actions << action;
    return action;
  }

  void separate() {
    auto* separator = new QAction(m_view);
    separator->setSeparator(true);
    m_actions << separator;
  }

  // Zoom and pan keys are held; a menu's click moves by one step.
  void addMotion() {
    TimelineControl* at = m_control;
    TimelineView* view = m_view;
    const auto zoomBy = [at](double notches) {
      return [at, notches] {
        const double width = at->state().trackWidth();
        const double x = at->state().pointerX();
        at->motion().zoom(x >= 0 && x <= width ? x : width / 2, notches);
      };
    };
    const auto panBy = [at](double pixels) { return [at, pixels] { at->motion().panPixels(pixels); }; };
    add("zoomIn", Words::tr("Zoom in"), Words::tr("Closer at the pointer, smoothly while the key is held"),
        {QKeySequence(Qt::Key_W), QKeySequence(Qt::CTRL | Qt::Key_Up)}, zoomBy(2));
    add("zoomOut", Words::tr("Zoom out"), Words::tr("Away from the pointer, smoothly while the key is held"),
        {QKeySequence(Qt::Key_S), QKeySequence(Qt::CTRL | Qt::Key_Down)}, zoomBy(-2));
    add("left", Words::tr("Earlier"), Words::tr("Move to an earlier time, faster with Shift"),
        {QKeySequence(Qt::Key_A), QKeySequence(Qt::Key_Left)}, panBy(-kPanPixels));
    add("right", Words::tr("Later"), Words::tr("Move to a later time, faster with Shift"),
        {QKeySequence(Qt::Key_D), QKeySequence(Qt::Key_Right)}, panBy(kPanPixels));
    add("farLeft", Words::tr("Much earlier"), Words::tr("Move to an earlier time by a large step"),
        {QKeySequence(Qt::SHIFT | Qt::Key_Left)}, panBy(-kFastPanPixels));
    add("farRight", Words::tr("Much later"), Words::tr("Move to a later time by a large step"),
        {QKeySequence(Qt::SHIFT | Qt::Key_Right)}, panBy(kFastPanPixels));
    add("fit", Words::tr("Fit selection, step, all"), Words::tr("The selection; again: the whole step; again: all"),
        {QKeySequence(Qt::Key_F)}, [at] { at->fit(); });
    add("all", Words::tr("Whole trace"), Words::tr("Show everything from start to end"),
        {QKeySequence(Qt::Key_Home), QKeySequence(Qt::Key_0)}, [at] { at->view().showAll(); });
    add("viewBack", Words::tr("Back to the view before"), Words::tr("Undo a change of view, scope, kinds or tracks"),
        {QKeySequence(Qt::Key_Backspace), QKeySequence(Qt::CTRL | Qt::Key_Z)}, [view] { view->goBack(); });
    add("viewForward", Words::tr("Forward to the view after"), Words::tr("Redo the change of view that was undone"),
        {QKeySequence(Qt::SHIFT | Qt::Key_Backspace), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z)},
        [view] { view->goForward(); });
    QAction* lock = add("lock", Words::tr("Lock the time axes"), Words::tr("All runs show the same stretch of time"),
                        {QKeySequence(Qt::Key_L)}, [at] { at->setLocked(!at->isLocked()); });
    lock->setCheckable(true);
    lock->setChecked(true);
    QObject::connect(at, &TimelineControl::lockChanged, lock, [at, lock] { lock->setChecked(at->isLocked()); });
    using Axes = TimelineControl::Axes;
    QAction* stretch = add("stretch", Words::tr("Stretch the runs to one width"),
                           Words::tr("What is compared of each run is as wide as that of the others"),
                           {QKeySequence(Qt::SHIFT | Qt::Key_L)},
                           [at] { at->setAxes(at->axes() == Axes::kStretched ? Axes::kLocked : Axes::kStretched); });
    stretch->setCheckable(true);
    const auto show = [at, stretch] { stretch->setChecked(at->axes() == Axes::kStretched); };
    QObject::connect(at, &TimelineControl::lockChanged, stretch, show);
    QObject::connect(stretch, &QAction::triggered, stretch, show);
    // A click on it with less than two runs changes nothing, and then it must not look so.
    QObject::connect(lock, &QAction::triggered, lock, [at, lock] { lock->setChecked(at->isLocked()); });
  }

  void addWalks() {
    TimelineControl* at = m_control;
    TimelineView* view = m_view;
    const auto byName = [at](Direction direction, bool onSameTrack) {
      return [at, direction, onSameTrack] { at->walkByName(direction, onSameTrack); };
    };
    add("rowAbove", Words::tr("Row above"), Words::tr("The slice above; without a selection the rows scroll"),
        {QKeySequence(Qt::Key_Up)}, [view] { view->stepRow(Direction::kBack); });
    add("rowBelow", Words::tr("Row below"), Words::tr("The slice below; without a selection the rows scroll"),
        {QKeySequence(Qt::Key_Down)}, [view] { view->stepRow(Direction::kForward); });
    add("nextSame", Words::tr("Next of this name"), Words::tr("The next slice of this name, or of those selected"),
        {QKeySequence(Qt::Key_Period)}, byName(Direction::kForward, false));
    add("previousSame", Words::tr("Previous of this name"),
        Words::tr("The slice of this name before, or of those selected"), {QKeySequence(Qt::Key_Comma)},
        byName(Direction::kBack, false));
    add("nextOnTrack", Words::tr("Next of this name on the track"), Words::tr("The next of this name on its own track"),
        {QKeySequence(Qt::SHIFT | Qt::Key_Period), QKeySequence(Qt::Key_Greater)}, byName(Direction::kForward, true));
    add("previousOnTrack", Words::tr("Previous of this name on the track"),
        Words::tr("The one of this name before, on its own track"),
        {QKeySequence(Qt::SHIFT | Qt::Key_Comma), QKeySequence(Qt::Key_Less)}, byName(Direction::kBack, true));
    add("launch", Words::tr("To the launch"), Words::tr("The call on the CPU that launched this kernel"),
        {QKeySequence(Qt::Key_BracketLeft)}, [at] { at->toLaunch(); });
    add("kernel", Words::tr("To the kernel"), Words::tr("The first kernel that this call or operator launched"),
        {QKeySequence(Qt::Key_BracketRight)}, [at] { at->toKernel(); });
    add("partner", Words::tr("Partner in the other run"), Words::tr("The work of the other run that does the same"),
        {QKeySequence(Qt::Key_X)}, [at] { at->toPartner(); });
    add("parent", Words::tr("Parent"), Words::tr("The slice that this one lies in"), {QKeySequence(Qt::Key_U)},
        [at] { at->toParent(); });
    add("child", Words::tr("First child"), Words::tr("The first slice inside this one"), {QKeySequence(Qt::Key_J)},
        [at] { at->toChild(); });
    add("flow", Words::tr("Along the arrow"), Words::tr("From forward to backward, or whatever an arrow leads to"),
        {QKeySequence(Qt::Key_E)}, [at] { at->alongArrow(Direction::kForward); });
    add("flowBack", Words::tr("Back along the arrow"), Words::tr("From backward to forward, or where an arrow begins"),
        {QKeySequence(Qt::SHIFT | Qt::Key_E)}, [at] { at->alongArrow(Direction::kBack); });
    add("chain", Words::tr("Select the whole chain"),
        Words::tr("The operator with all that runs inside it, its launches and its kernels"), {QKeySequence(Qt::Key_Q)},
        [at] { at->selectChain(); });
    add("selectBack", Words::tr("Back in selections"), Words::tr("What was selected before"),
        {QKeySequence(Qt::CTRL | Qt::Key_BracketLeft)}, [view] { view->selectBack(); });
    add("selectForward", Words::tr("Forward in selections"), Words::tr("What was selected after"),
        {QKeySequence(Qt::CTRL | Qt::Key_BracketRight)}, [view] { view->selectForward(); });
  }

  void addMarks() {
    TimelineControl* at = m_control;
    TimelineView* view = m_view;
    add("scope", Words::tr("Measured range or selection to scope"),
        Words::tr("Tables and charts then tell of this stretch of time alone"), {QKeySequence(Qt::Key_R)},
        [at] { at->scopeFromMeasure(); });
    add("selectMeasured", Words::tr("Select what is measured"), Words::tr("The slices in the measured area"),
        {QKeySequence(Qt::Key_Return)}, [at] { at->selectMeasured(); });
    add("note", Words::tr("Note here"), Words::tr("A note at the pointer, or at the selected slice"),
        {QKeySequence(Qt::Key_M)}, [view] { view->writeNote(false); });
    add("noteRange", Words::tr("Note on the range"), Words::tr("A note on what is measured, or on the selection"),
        {QKeySequence(Qt::SHIFT | Qt::Key_M)}, [view] { view->writeNote(true); });
    add("letGo", Words::tr("Let go"), Words::tr("Of the range, then the selection, then the filter"),
        {QKeySequence(Qt::Key_Escape)}, [at] { at->letGo(); });
  }

  void addTracks() {
    TimelineView* view = m_view;
    add("pin", Words::tr("Pin the track"),
        Words::tr("It stands above the others and does not scroll; again: as before"), {QKeySequence(Qt::Key_P)},
        [view] { view->pinTrack(); });
    add("hide", Words::tr("Hide the track"), Words::tr("The track under the pointer, or of the selected slice"),
        {QKeySequence(Qt::Key_H)}, [view] { view->hideTrack(); });
    add("showTracks", Words::tr("Show all tracks"), Words::tr("Those that were hidden or filtered away too"),
        {QKeySequence(Qt::SHIFT | Qt::Key_H)}, [view] { view->showAllTracks(); });
    add("trackUp", Words::tr("Move the track up"), Words::tr("Over the one above it"),
        {QKeySequence(Qt::ALT | Qt::Key_Up)}, [view] { view->moveTrack(Direction::kBack); });
    add("trackDown", Words::tr("Move the track down"), Words::tr("Under the one below it"),
        {QKeySequence(Qt::ALT | Qt::Key_Down)}, [view] { view->moveTrack(Direction::kForward); });
    add("borderUp", Words::tr("Move the border between runs up"), Words::tr("More room for the run below"),
        {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_Up)}, [view] { view->moveBorder(Direction::kBack); });
    add("borderDown", Words::tr("Move the border between runs down"), Words::tr("More room for the run above"),
        {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_Down)}, [view] { view->moveBorder(Direction::kForward); });
  }

  TimelineControl* m_control;
  TimelineView* m_view;
  QList<QAction*> m_actions;
};

}  // namespace

QList<QAction*> makeTimelineActions(TimelineControl& control, TimelineView& view) {
  return Maker(control, view).make();
}

std::optional<HeldKey> heldKeyOf(const QList<QAction*>& actions, int key) {
  static constexpr std::pair<const char*, HeldKey> kHeld[] = {{"zoomIn", HeldKey::kZoomIn},
                                                              {"zoomOut", HeldKey::kZoomOut},
                                                              {"left", HeldKey::kLeft},
                                                              {"right", HeldKey::kRight}};
  // Arrows step; letters are held.
  if (key == Qt::Key_Left || key == Qt::Key_Right) return std::nullopt;
  for (const auto& [name, held] : kHeld) {
    for (const QAction* action : actions) {
      if (action->objectName() == kPrefix + QLatin1String(name) && action->shortcuts().contains(QKeySequence(key))) {
        return held;
      }
    }
  }
  return std::nullopt;
}

}  // namespace attnscope::ui
