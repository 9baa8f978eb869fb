// SPDX-License-Identifier: GPL-3.0-or-later
// Tab walks through everything on a page that can be used, once, from region to region downwards, and is caught
// nowhere.
#include <algorithm>
#include <vector>

#include <QAccessible>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "TestWindow.h"
#include "ui/compare/VerdictStrip.h"
#include "ui/lab/ImplementationList.h"
#include "ui/lab/LabPage.h"
#include "ui/lab/ProblemForm.h"
#include "ui/lab/RunColumn.h"
#include "ui/shell/Details.h"
#include "ui/shell/LowerArea.h"
#include "ui/shell/RunRail.h"
#include "ui/shell/Sidebar.h"
#include "ui/shell/StartPage.h"
#include "ui/shell/StatusLine.h"
#include "ui/shell/TopBar.h"
#include "ui/timeline/TimelineView.h"

namespace attnscope::ui {
namespace {

using test::TestWindow;

constexpr std::size_t kMostStops = 400;

// What assistive tools read: the name that was given, else the words on a button.
std::string nameOf(QWidget* widget) {
  QString name = widget->accessibleName();
  if (name.isEmpty()) {
    if (QAccessibleInterface* interface = QAccessible::queryAccessibleInterface(widget)) {
      name = interface->text(QAccessible::Name);
    }
  }
  return QStringLiteral("%1 '%2'").arg(QLatin1String(widget->metaObject()->className()), name).toStdString();
}

// What has the focus after each Tab, from the first stop of the top bar until it comes round.
std::vector<QWidget*> walk(MainWindow& window) {
  std::vector<QWidget*> stops;
  for (QWidget* each : window.findChild<TopBar*>()->findChildren<QWidget*>()) {
    if (each->isVisible() && each->isEnabled() && (each->focusPolicy() & Qt::TabFocus) != 0) {
      each->setFocus(Qt::TabFocusReason);
      break;
    }
  }
  while (stops.size() < kMostStops) {
    QWidget* now = window.focusWidget();
    if (now == nullptr || std::find(stops.begin(), stops.end(), now) != stops.end()) return stops;
    stops.push_back(now);
    QTest::keyClick(now, Qt::Key_Tab);
  }
  return stops;
}

// Those that the walk should have met and did not.
std::vector<std::string> missed(const MainWindow& window, const std::vector<QWidget*>& stops) {
  std::vector<std::string> names;
  for (QWidget* each : window.findChildren<QWidget*>()) {
    const bool isStop = each->isVisible() && each->isEnabled() && (each->focusPolicy() & Qt::TabFocus) != 0 &&
                        each->window() == &window && each->focusProxy() == nullptr;
    if (isStop && std::find(stops.begin(), stops.end(), each) == stops.end()) names.push_back(nameOf(each));
  }
  return names;
}

// The innermost of `regions` that holds a stop, by its place in the list; -1: none.
int regionOf(const std::vector<const QWidget*>& regions, const QWidget* stop) {
  for (const QWidget* at = stop; at != nullptr; at = at->parentWidget()) {
    const auto found = std::find(regions.begin(), regions.end(), at);
    if (found != regions.end()) return static_cast<int>(found - regions.begin());
  }
  return -1;
}

void expectWalk(TestWindow& test, const std::vector<const QWidget*>& regions) {
  const std::vector<QWidget*> stops = walk(test.window);
  ASSERT_GT(stops.size(), 3U);
  ASSERT_LT(stops.size(), kMostStops);
  EXPECT_THAT(missed(test.window, stops), testing::IsEmpty());
  int last = 0;
  for (QWidget* stop : stops) {
    EXPECT_FALSE(nameOf(stop).ends_with("''")) << nameOf(stop) << " has no name";
    const int region = regionOf(regions, stop);
    EXPECT_GE(region, last) << nameOf(stop) << " comes after what is below it";
    last = std::max(last, region);
  }
}

TEST(TabOrder, StartPage) {
  TestWindow test;
  test.settings.addRecent(test::naive(), QStringLiteral("trace, CPU"), 1000);
  ASSERT_TRUE(test.settle());
  const MainWindow& window = test.window;
  expectWalk(test, {window.findChild<TopBar*>(), window.findChild<StartPage*>(), window.findChild<StatusLine*>()});
}

TEST(TabOrder, TwoRunsOnEveryTab) {
  TestWindow test({1920, 1080});
  ASSERT_TRUE(test.open({test::naive(), test::flash()}));
  test.window.session().selectSlice(0, SliceId{5}, SelectionOrigin::kTimeline);
  const MainWindow& window = test.window;
  for (const ViewName view : {ViewName::kKernels, ViewName::kOperators, ViewName::kMemory, ViewName::kDetails}) {
    SCOPED_TRACE(toString(view).toStdString());
    test.window.showView(view);
    ASSERT_TRUE(test.settle());
    expectWalk(test,
               {window.findChild<TopBar*>(), window.findChild<Sidebar*>(), window.findChild<VerdictStrip*>(),
                window.findChild<TimelineView*>(), window.findChild<LowerArea*>(), window.findChild<StatusLine*>()});
  }
}

TEST(TabOrder, OneRunWithDetailsAsideAndTheNarrowRail) {
  {
    TestWindow test({1920, 1080});
    ASSERT_TRUE(test.open({test::cudaTrace()}));
    test.window.showView(ViewName::kDetails);
    ASSERT_TRUE(test.settle());
    const MainWindow& window = test.window;
    expectWalk(test, {window.findChild<TopBar*>(), window.findChild<Sidebar*>(), window.findChild<VerdictStrip*>(),
                      window.findChild<TimelineView*>(), window.findChild<LowerArea*>(), window.findChild<Details*>(),
                      window.findChild<StatusLine*>()});
  }
  TestWindow test({1280, 800});
  ASSERT_TRUE(test.open({test::cudaTrace()}));
  const MainWindow& window = test.window;
  expectWalk(test,
             {window.findChild<TopBar*>(), window.findChild<RunRail*>(), window.findChild<VerdictStrip*>(),
              window.findChild<TimelineView*>(), window.findChild<LowerArea*>(), window.findChild<StatusLine*>()});
}

TEST(TabOrder, Lab) {
  TestWindow test({1440, 900});
  test.window.showPage(WindowPage::kLab);
  ASSERT_TRUE(test.settle());
  const MainWindow& window = test.window;
  const QWidget* list = window.findChild<ImplementationList*>()->parentWidget();
  expectWalk(test, {window.findChild<TopBar*>(), list, window.findChild<ProblemForm*>(), window.findChild<RunColumn*>(),
                    window.findChild<StatusLine*>()});
}

}  // namespace
}  // namespace attnscope::ui
