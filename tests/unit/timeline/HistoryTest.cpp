// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/History.h"

#include <gtest/gtest.h>

namespace attnscope::ui {
namespace {

TEST(History, GoesBackAndForwardAndForgetsWhatCameAfter) {
  History<int> history;
  EXPECT_EQ(history.back(), nullptr);
  for (const int place : {1, 2, 3}) history.arriveAt(place);
  EXPECT_EQ(*history.back(), 2);
  EXPECT_EQ(*history.back(), 1);
  EXPECT_EQ(history.back(), nullptr);
  EXPECT_EQ(*history.forward(), 2);
  history.arriveAt(2);  // where one is already
  EXPECT_EQ(*history.forward(), 3);
  EXPECT_EQ(*history.back(), 2);
  history.arriveAt(9);
  EXPECT_FALSE(history.canGoForward());
  EXPECT_EQ(*history.back(), 2);
}

TEST(History, KeepsTheNewest) {
  History<int> history;
  const int last = static_cast<int>(History<int>::kMost) + 20;
  for (int place = 0; place <= last; ++place) history.arriveAt(place);
  int steps = 0;
  int oldest = last;
  while (const int* place = history.back()) {
    oldest = *place;
    ++steps;
  }
  EXPECT_EQ(steps, static_cast<int>(History<int>::kMost) - 1);
  EXPECT_EQ(oldest, last - steps);
}

}  // namespace
}  // namespace attnscope::ui
