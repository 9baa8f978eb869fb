// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/Jobs.h"

#include <chrono>
#include <thread>

#include <QCoreApplication>
#include <QElapsedTimer>

#include <gtest/gtest.h>

namespace attnscope::ui {
namespace {

using namespace std::chrono_literals;

template <class Condition>
bool waitFor(Condition condition) {
  QElapsedTimer timer;
  timer.start();
  while (!condition() && timer.elapsed() < 10'000) {
    QCoreApplication::processEvents(QEventLoop::AllEvents, 10);
    std::this_thread::sleep_for(1ms);
  }
  return condition();
}

TEST(Jobs, ResultArrivesOnTheOwnersThread) {
  Jobs jobs;
  int result = 0;
  std::thread::id where;
  jobs.start(
      QStringLiteral("a"), [](std::stop_token) { return 42; },
      [&](int value) {
        result = value;
        where = std::this_thread::get_id();
      });
  EXPECT_TRUE(jobs.isBusy());
  ASSERT_TRUE(waitFor([&] { return result == 42; }));
  EXPECT_EQ(where, std::this_thread::get_id());
  EXPECT_FALSE(jobs.isBusy());
}

TEST(Jobs, ANewerJobReplacesTheOlder) {
  Jobs jobs;
  std::vector<int> results;
  jobs.start(
      QStringLiteral("a"),
      [](std::stop_token stop) {
        while (!stop.stop_requested()) std::this_thread::sleep_for(1ms);
        return 1;
      },
      [&](int value) { results.push_back(value); });
  jobs.start(
      QStringLiteral("a"), [](std::stop_token) { return 2; }, [&](int value) { results.push_back(value); });
  ASSERT_TRUE(waitFor([&] { return !jobs.isBusy(); }));
  QCoreApplication::processEvents();
  EXPECT_EQ(results, std::vector<int>{2});
}

TEST(Jobs, CancelStopsTheWorkAndDropsTheResult) {
  Jobs jobs;
  std::atomic<bool> stopped = false;
  bool delivered = false;
  jobs.start(
      QStringLiteral("a"),
      [&stopped](std::stop_token stop) {
        while (!stop.stop_requested()) std::this_thread::sleep_for(1ms);
        stopped = true;
        return 1;
      },
      [&](int) { delivered = true; });
  jobs.cancel(QStringLiteral("a"));
  ASSERT_TRUE(waitFor([&] { return stopped.load(); }));
  for (int i = 0; i < 20; ++i) QCoreApplication::processEvents();
  EXPECT_FALSE(delivered);
}

TEST(Jobs, TheDestructorWaits) {
  std::atomic<bool> ended = false;
  {
    Jobs jobs;
    jobs.start(
        QStringLiteral("a"),
        [&ended](std::stop_token stop) {
          while (!stop.stop_requested()) std::this_thread::sleep_for(1ms);
          ended = true;
          return 0;
        },
        [](int) {});
  }
  EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace attnscope::ui
