// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/PaintTeam.h"

#include <algorithm>
#include <atomic>
#include <memory>

#include <QThread>

namespace attnscope::ui {

namespace {

constexpr int kMostHands = 4;  // more of them wait for memory
constexpr std::size_t kPiecesAHand = 4;

// Outlives the frame in the hands of a thread that comes late: it finds no piece left, and touches nothing else.
struct Frame {
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> done = 0;
  std::size_t count = 0;
  const std::function<void(std::size_t, int)>* draw = nullptr;  // the caller's: valid while a piece is not done

  void work(int hand) {
    for (std::size_t piece = next++; piece < count; piece = next++) {
      (*draw)(piece, hand);
      if (++done == count) done.notify_all();
    }
  }
};

}  // namespace

PaintTeam::PaintTeam() : PaintTeam(std::clamp(QThread::idealThreadCount(), 1, kMostHands)) {}

PaintTeam::PaintTeam(int hands) : m_hands(std::max(1, hands)) {
  m_pool.setMaxThreadCount(m_hands);  // one more than are started: one may be on its way out of the frame before
  m_pool.setExpiryTimeout(-1);
}

void PaintTeam::share(std::size_t count, const std::function<void(std::size_t, int)>& draw) {
  const auto frame = std::make_shared<Frame>();
  frame->count = count;
  frame->draw = &draw;
  const int wanted = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(m_hands), count / kPiecesAHand));
  for (int hand = 1; hand < wanted; ++hand) m_pool.tryStart([frame, hand] { frame->work(hand); });
  frame->work(0);
  for (std::size_t done = frame->done; done < count; done = frame->done) frame->done.wait(done);
}

}  // namespace attnscope::ui
