// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/ViewState.h"

#include <gtest/gtest.h>

namespace attnscope::ui {
namespace {

TEST(ViewState, ShowsAllWithAMargin) {
  ViewState view;
  view.setExtent({-100, 900'000});
  view.showAll();
  EXPECT_LT(view.startNs(), -100);
  EXPECT_GT(view.endNs(), 900'000);
}

TEST(ViewState, ZoomKeepsThePlaceUnderThePointer) {
  ViewState view;
  view.setExtent({0, 1'000'000});
  view.showAll();
  const double pointer = 250'000;
  const double before = (pointer - view.startNs()) / view.spanNs();
  view.zoomAbout(pointer, 0.25);
  EXPECT_NEAR((pointer - view.startNs()) / view.spanNs(), before, 1e-9);
}

TEST(ViewState, StopsAtTheWholeAndAtAHundredNanoseconds) {
  ViewState view;
  view.setExtent({0, 1'000'000});
  for (int i = 0; i < 100; ++i) view.zoomAbout(500'000, 2);
  EXPECT_LE(view.spanNs(), 1'040'001);
  for (int i = 0; i < 100; ++i) view.zoomAbout(500'000, 0.5);
  EXPECT_DOUBLE_EQ(view.spanNs(), 100);
  for (int i = 0; i < 1000; ++i) view.panBy(1e6);
  EXPECT_LE(view.startNs(), 1'020'001);
}

TEST(ViewState, TellsOnlyOfChanges) {
  ViewState view;
  view.setExtent({0, 1'000'000});
  view.showAll();
  int told = 0;
  QObject::connect(&view, &ViewState::viewChanged, [&told] { ++told; });
  view.setView(view.startNs(), view.spanNs());
  EXPECT_EQ(told, 0);
  view.panBy(10);
  EXPECT_EQ(told, 1);
}

}  // namespace
}  // namespace attnscope::ui
