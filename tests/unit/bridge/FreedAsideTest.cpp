// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/FreedAside.h"

#include <atomic>
#include <thread>

#include <QThreadPool>

#include <gtest/gtest.h>

namespace attnscope::ui {
namespace {

struct Watched {
  explicit Watched(std::atomic<std::thread::id>& of) : freedBy(of) {}
  ~Watched() { freedBy = std::this_thread::get_id(); }
  std::atomic<std::thread::id>& freedBy;
};

TEST(FreedAside, WhatTheGuiThreadLetsGoOfIsFreedByAnother) {
  std::atomic<std::thread::id> freedBy{};
  std::shared_ptr<const Watched> first = makeFreedAside<Watched>(freedBy);
  std::shared_ptr<const Watched> second = first;
  first.reset();
  QThreadPool::globalInstance()->waitForDone();
  EXPECT_EQ(freedBy.load(), std::thread::id{}) << "somebody has it";
  second.reset();
  QThreadPool::globalInstance()->waitForDone();
  EXPECT_NE(freedBy.load(), std::thread::id{});
  EXPECT_NE(freedBy.load(), std::this_thread::get_id());
}

TEST(FreedAside, AWorkerFreesItself) {
  std::atomic<std::thread::id> freedBy{};
  std::thread::id worker;
  std::thread([&] {
    worker = std::this_thread::get_id();
    makeFreedAside<Watched>(freedBy).reset();
  }).join();
  EXPECT_EQ(freedBy.load(), worker);
}

}  // namespace
}  // namespace attnscope::ui
