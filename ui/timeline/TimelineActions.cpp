// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/TimelineActions.h"

#include <QCoreApplication>

namespace attnscope::ui {

namespace {

constexpr double kPanPixels = 120;
constexpr double kFastPanPixels = 400;

QString words(const char* text) { return QCoreApplication::translate("attnscope::ui::TimelineView", text); }

}  // namespace

QList<QAction*> makeTimelineActions(TimelineControl& control, QWidget* owner) {
  QList<QAction*> actions;
  const auto add = [&](const QString& name, const QString& text, const QList<QKeySequence>& keys, auto act) {
    auto* action = new QAction(text, owner);
    action->setObjectName(QStringLiteral("timeline.") + name);
    action->setShortcuts(keys);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    QObject::connect(action, &QAction::triggered, &control, act);
    owner->addAction(action);
    actions << action;
  };
  const auto separate = [&] {
    auto* separator = new QAction(owner);
    separator->setSeparator(true);
    actions << separator;
  };
  TimelineControl* at = &control;
  const auto zoom = [at](double notches) {
    const double width = at->state().trackWidth();
    const double x = at->state().pointerX();
    at->motion().zoom(x >= 0 && x <= width ? x : width / 2, notches);
  };
  // W, S, A and D are held; a menu's click moves by one step.
  add(QStringLiteral("zoomIn"), words("Zoom in"), {QKeySequence(Qt::Key_W), QKeySequence(Qt::CTRL | Qt::Key_Up)},
      [zoom] { zoom(2); });
  add(QStringLiteral("zoomOut"), words("Zoom out"), {QKeySequence(Qt::Key_S), QKeySequence(Qt::CTRL | Qt::Key_Down)},
      [zoom] { zoom(-2); });
  add(QStringLiteral("left"), words("Earlier"), {QKeySequence(Qt::Key_A), QKeySequence(Qt::Key_Left)},
      [at] { at->motion().panPixels(-kPanPixels); });
  add(QStringLiteral("right"), words("Later"), {QKeySequence(Qt::Key_D), QKeySequence(Qt::Key_Right)},
      [at] { at->motion().panPixels(kPanPixels); });
  add(QStringLiteral("farLeft"), words("Much earlier"), {QKeySequence(Qt::SHIFT | Qt::Key_Left)},
      [at] { at->motion().panPixels(-kFastPanPixels); });
  add(QStringLiteral("farRight"), words("Much later"), {QKeySequence(Qt::SHIFT | Qt::Key_Right)},
      [at] { at->motion().panPixels(kFastPanPixels); });
  add(QStringLiteral("fit"), words("Fit selection, step, all"), {QKeySequence(Qt::Key_F)}, [at] { at->fit(); });
  add(QStringLiteral("all"), words("Whole trace"), {QKeySequence(Qt::Key_Home), QKeySequence(Qt::Key_0)},
      [at] { at->view().showAll(); });
  separate();
  add(QStringLiteral("nextSame"), words("Next of this name"), {QKeySequence(Qt::Key_Period)},
      [at] { at->walkByName(Direction::kForward, false); });
  add(QStringLiteral("previousSame"), words("Previous of this name"), {QKeySequence(Qt::Key_Comma)},
      [at] { at->walkByName(Direction::kBack, false); });
  add(QStringLiteral("nextOnTrack"), words("Next of this name on the track"),
      {QKeySequence(Qt::SHIFT | Qt::Key_Period), QKeySequence(Qt::Key_Greater)},
      [at] { at->walkByName(Direction::kForward, true); });
  add(QStringLiteral("previousOnTrack"), words("Previous of this name on the track"),
      {QKeySequence(Qt::SHIFT | Qt::Key_Comma), QKeySequence(Qt::Key_Less)},
      [at] { at->walkByName(Direction::kBack, true); });
  add(QStringLiteral("launch"), words("To the launch"), {QKeySequence(Qt::Key_BracketLeft)}, [at] { at->toLaunch(); });
  add(QStringLiteral("kernel"), words("To the kernel"), {QKeySequence(Qt::Key_BracketRight)}, [at] { at->toKernel(); });
  add(QStringLiteral("partner"), words("Partner in the other run"), {QKeySequence(Qt::Key_X)},
      [at] { at->toPartner(); });
  add(QStringLiteral("parent"), words("Parent"), {QKeySequence(Qt::Key_U)}, [at] { at->toParent(); });
  add(QStringLiteral("child"), words("First child"), {QKeySequence(Qt::Key_J)}, [at] { at->toChild(); });
  separate();
  add(QStringLiteral("scope"), words("Measured range or selection to scope"), {QKeySequence(Qt::Key_R)},
      [at] { at->scopeFromMeasure(); });
  add(QStringLiteral("letGo"), words("Let go"), {QKeySequence(Qt::Key_Escape)}, [at] { at->letGo(); });
  return actions;
}

std::optional<HeldKey> heldKeyOf(int key) {
  switch (key) {
    case Qt::Key_W:
      return HeldKey::kZoomIn;
    case Qt::Key_S:
      return HeldKey::kZoomOut;
    case Qt::Key_A:
      return HeldKey::kLeft;
    case Qt::Key_D:
      return HeldKey::kRight;
    default:
      return std::nullopt;
  }
}

}  // namespace attnscope::ui
