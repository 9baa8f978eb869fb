// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that can take the focus has a name that assistive tools can read.
#include <QAbstractScrollArea>
#include <QAccessible>

#include <gtest/gtest.h>

#include "TestWindow.h"

namespace attnscope::ui {
namespace {

using test::TestWindow;

QStringList unnamed(const QWidget& window) {
  QStringList found;
  for (QWidget* widget : window.findChildren<QWidget*>()) {
    if (!widget->isVisible() || widget->focusPolicy() == Qt::NoFocus) continue;
    QString name = widget->accessibleName();
    if (name.isEmpty()) {
      if (QAccessibleInterface* interface = QAccessible::queryAccessibleInterface(widget)) {
        name = interface->text(QAccessible::Name);
      }
    }
    if (name.isEmpty()) {
      found << QStringLiteral("%1 '%2' in %3")
                   .arg(QLatin1String(widget->metaObject()->className()), widget->objectName(),
                        QLatin1String(widget->parentWidget()->metaObject()->className()));
    }
  }
  return found;
}

TEST(AccessibleNames, StartPage) {
  TestWindow test;
  test.settings.addRecent(test::naive(), QStringLiteral("trace, CPU"), 1000);
  ASSERT_TRUE(test.settle());
  EXPECT_EQ(unnamed(test.window).join(u'\n').toStdString(), "");
}

TEST(AccessibleNames, EveryTabOfTwoRuns) {
  TestWindow test({1920, 1080});
  ASSERT_TRUE(test.open({test::naive(), test::flash()}));
  test.window.session().selectSlice(0, SliceId{5}, SelectionOrigin::kTimeline);
  for (const ViewName view : {ViewName::kKernels, ViewName::kOperators, ViewName::kMemory, ViewName::kDetails}) {
    test.window.showView(view);
    ASSERT_TRUE(test.settle());
    EXPECT_EQ(unnamed(test.window).join(u'\n').toStdString(), "") << toString(view).toStdString();
  }
}

TEST(AccessibleNames, NarrowWindowAndFailedFile) {
  TestWindow test({1024, 640});
  ASSERT_TRUE(test.open({test::naive(), QStringLiteral("/nowhere.json")}));
  EXPECT_EQ(unnamed(test.window).join(u'\n').toStdString(), "");
}

}  // namespace
}  // namespace attnscope::ui
