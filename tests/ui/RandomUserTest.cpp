// SPDX-License-Identifier: GPL-3.0-or-later
// A user who does anything: random keys, clicks, drags, wheels, menus and text on a window with traces, which has to
// live through it. ATTNSCOPE_SEED repeats a run, ATTNSCOPE_SECONDS makes it longer, ATTNSCOPE_TRACES (files, with ':'
// between) gives it others.
#include <cstdio>
#include <random>

#include <QContextMenuEvent>
#include <QDialog>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QMenu>
#include <QPointer>
#include <QTemporaryDir>
#include <QTimer>
#include <QWheelEvent>

#include <gtest/gtest.h>

#include "TestWindow.h"
#include "TurnWatch.h"
#include "WorkTrace.h"
#include "ui/lab/LabPage.h"
#include "ui/timeline/TimelineView.h"

namespace attnscope::ui {
namespace {

using test::TestWindow;

class RandomUser {
 public:
  RandomUser(TestWindow& test, QStringList traces, unsigned seed)
      : m_test(test), m_traces(std::move(traces)), m_random(seed) {
    // Dialogs of the system and runs of the lab are not what is tried here.
    const auto any = [this](QWidget*, const QString&) { return QStringList{m_traces[below(int(m_traces.size()))]}; };
    m_test.window.setFileChooser(any);
    m_test.window.setSaveChooser([](QWidget*, const QString&, const QString&) { return QString(); });
    for (const char* name : {"quit", "run", "pageLab", "aboutQt"}) {
      m_test.window.action(QString::fromLatin1(name))->setEnabled(false);
      m_kept << m_test.window.action(QString::fromLatin1(name));
    }
  }

  void act() {
    m_isActing = true;
    doAnything();
    m_isActing = false;
  }
  // What waits for its answer inside an act, as dialogs for files and a button's menu do, is closed from outside.
  void closeWhatWaits() {
    if (!m_isActing) return;
    if (QWidget* popup = QApplication::activePopupWidget()) popup->close();
    if (auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget())) dialog->reject();
  }

 private:
  void doAnything() {
    for (QAction* action : m_kept) action->setEnabled(false);
    if (m_test.window.session().runCount() == 0) m_test.window.openFiles({m_traces[below(int(m_traces.size()))]});
    if (m_test.window.session().runCount() > 4) m_test.window.session().closeRun(0);
    QWidget* on = target();
    const QPoint at(below(std::max(1, on->width())), below(std::max(1, on->height())));
    switch (below(12)) {
      case 0:
      case 1:
      case 2:
        key(on);
        break;
      case 3:
        QTest::mouseClick(on, button(), modifiers(), at);
        break;
      case 4:
        QTest::mouseDClick(on, Qt::LeftButton, modifiers(), at);
        break;
      case 5:
        drag(on, at);
        break;
      case 6:
      case 7:
        wheel(on, at);
        break;
      case 8:
        QTest::mouseMove(on, at);
        break;
      case 9:
        menu(on, at);
        break;
      case 10:
        text();
        break;
      default:
        action();
        break;
    }
    QCoreApplication::processEvents();
    closeSome();
  }

  int below(int most) { return static_cast<int>(m_random() % static_cast<unsigned>(std::max(1, most))); }
  Qt::MouseButton button() { return below(5) == 0 ? Qt::MiddleButton : Qt::LeftButton; }
  Qt::KeyboardModifiers modifiers() {
    constexpr Qt::KeyboardModifiers kAny[] = {Qt::NoModifier, Qt::NoModifier, Qt::NoModifier, Qt::ShiftModifier,
                                              Qt::ControlModifier};
    return kAny[below(5)];
  }

  // Mostly the timelines; else any widget that shows, also of a dialog.
  QWidget* target() {
    if (QWidget* modal = QApplication::activeModalWidget()) return anyIn(modal);
    if (QWidget* popup = QApplication::activePopupWidget()) return popup;
    if (below(3) != 0 && m_test.window.timeline().isVisible()) return anyIn(&m_test.window.timeline());
    return anyIn(&m_test.window);
  }
  QWidget* anyIn(QWidget* parent) {
    QList<QWidget*> shown{parent};
    for (QWidget* child : parent->findChildren<QWidget*>()) {
      if (child->isVisible() && child->isEnabled() && child->width() > 0) shown << child;
    }
    return shown[below(static_cast<int>(shown.size()))];
  }

  void key(QWidget* on) {
    constexpr Qt::Key kKeys[] = {
        Qt::Key_W,      Qt::Key_S,     Qt::Key_A,           Qt::Key_D,      Qt::Key_F,        Qt::Key_0,
        Qt::Key_Period, Qt::Key_Comma, Qt::Key_BracketLeft, Qt::Key_U,      Qt::Key_J,        Qt::Key_BracketRight,
        Qt::Key_X,      Qt::Key_E,     Qt::Key_Q,           Qt::Key_R,      Qt::Key_M,        Qt::Key_P,
        Qt::Key_H,      Qt::Key_L,     Qt::Key_T,           Qt::Key_Return, Qt::Key_Escape,   Qt::Key_Backspace,
        Qt::Key_Up,     Qt::Key_Down,  Qt::Key_Left,        Qt::Key_Right,  Qt::Key_Tab,      Qt::Key_F6,
        Qt::Key_Slash,  Qt::Key_G,     Qt::Key_K,           Qt::Key_B,      Qt::Key_I,        Qt::Key_Question,
        Qt::Key_Home,   Qt::Key_Space, Qt::Key_N,           Qt::Key_C,      Qt::Key_PageDown, Qt::Key_End};
    QWidget* focused = QApplication::focusWidget();
    QTest::keyClick(focused && below(4) != 0 ? focused : on, kKeys[below(int(std::size(kKeys)))], modifiers());
  }
  void drag(QWidget* on, QPoint from) {
    const QPointer<QWidget> guard(on);
    const Qt::MouseButton with = button();
    const Qt::KeyboardModifiers held = modifiers();
    QTest::mousePress(on, with, held, from);
    QPoint at = from;
    for (int step = below(6); step >= 0 && guard; --step) {
      at += QPoint(below(200) - 100, below(60) - 30);
      QMouseEvent move(QEvent::MouseMove, QPointF(at), on->mapToGlobal(QPointF(at)), Qt::NoButton, with, held);
      QApplication::sendEvent(on, &move);
    }
    if (guard) QTest::mouseRelease(on, with, held, at);
  }
  void wheel(QWidget* on, QPoint at) {
    QWheelEvent event(QPointF(at), on->mapToGlobal(QPointF(at)), {}, {0, 120 * (below(7) - 3)}, Qt::NoButton,
                      modifiers(), Qt::NoScrollPhase, false);
    QApplication::sendEvent(on, &event);
  }
  void menu(QWidget* on, QPoint at) {
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, on->mapToGlobal(at));
    QApplication::sendEvent(on, &event);
  }
  void text() {
    static const char* kTexts[] = {"mm", "/a(", "/sgemm.*/", "cat:kernel", "args:128", "zzz", "12.5 ms", "µ\"<"};
    if (QWidget* focused = QApplication::focusWidget()) {
      QTest::keyClicks(focused, QString::fromUtf8(kTexts[below(int(std::size(kTexts)))]));
    }
  }
  void action() {
    const QList<QAction*> actions = m_test.window.findChildren<QAction*>();
    QAction* chosen = actions[below(static_cast<int>(actions.size()))];
    const bool isKept =
        m_kept.contains(chosen) || chosen->objectName().startsWith(QLatin1String("lab")) || chosen->menu() != nullptr;
    if (!isKept && chosen->isEnabled()) chosen->trigger();
  }
  void closeSome() {
    if (below(6) != 0) return;
    if (QWidget* popup = QApplication::activePopupWidget()) popup->close();
    if (auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget())) dialog->reject();
  }

  TestWindow& m_test;
  QStringList m_traces;
  std::mt19937 m_random;
  QList<QAction*> m_kept;
  bool m_isActing = false;
};

constexpr int kLeastActs = 100;

TEST(RandomUser, DoesNoHarm) {
  QTemporaryDir folder;
  const QByteArray fromOutside = qgetenv("ATTNSCOPE_TRACES");
  QStringList traces = QString::fromLocal8Bit(fromOutside).split(u':', Qt::SkipEmptyParts);
  if (traces.isEmpty()) {
    traces << test::naive() << test::flash() << test::cudaTrace()
           << test::writeFile(folder.filePath(QStringLiteral("steps.json")),
                              test::workTraceJson(test::WorkTrace{12, 1.0, 3}))
           << test::writeFile(folder.filePath(QStringLiteral("bad.json")), "{\"traceEvents\": [");
  }
  const bool isChosen = qEnvironmentVariableIsSet("ATTNSCOPE_SEED");
  const unsigned seed =
      isChosen ? qEnvironmentVariable("ATTNSCOPE_SEED").toUInt() : static_cast<unsigned>(std::random_device{}());
  const int seconds = qEnvironmentVariableIntValue("ATTNSCOPE_SECONDS");
  std::printf("random user: ATTNSCOPE_SEED=%u\n", seed);
  std::fflush(stdout);
  RecordProperty("seed", std::to_string(seed));
  TestWindow window({1440, 900});
  test::TurnWatch watch(250);
  RandomUser user(window, traces, seed);
  QElapsedTimer clock;
  clock.start();
  int acts = 0;
  QEventLoop loop;
  QTimer next;
  QObject::connect(&next, &QTimer::timeout, &loop, [&] {
    user.act();
    ++acts;
    // On a machine that has little time for this, longer: so few acts would have tried nothing.
    if (acts >= kLeastActs && clock.elapsed() > 1000 * (seconds > 0 ? seconds : 60)) loop.quit();
  });
  next.start(1);
  QTimer guard;
  QObject::connect(&guard, &QTimer::timeout, &loop, [&user] { user.closeWhatWaits(); });
  guard.start(50);
  loop.exec();
  std::printf("random user: %d acts\n", acts);
  const test::TurnReport turns = watch.report();
  std::printf("longest turn of the event loop: %.0f ms\n%s", turns.longestMs, turns.longestStack.c_str());
  user.closeWhatWaits();
  EXPECT_TRUE(window.settle(60000)) << "the window works on, whatever was done to it";
}

}  // namespace
}  // namespace attnscope::ui
