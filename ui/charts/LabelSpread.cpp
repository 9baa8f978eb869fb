// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/LabelSpread.h"

#include <algorithm>
#include <numeric>

namespace attnscope::ui {

namespace {

// Those that stay, by y.
std::vector<std::size_t> chosen(const std::vector<LabelWish>& wishes, std::size_t most) {
  std::vector<std::size_t> order(wishes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return wishes[a].priority < wishes[b].priority; });
  if (order.size() > most) order.resize(most);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return wishes[a].y < wishes[b].y; });
  return order;
}

}  // namespace

std::vector<std::optional<double>> spreadLabels(const std::vector<LabelWish>& wishes, double height, double top,
                                                double bottom) {
  std::vector<std::optional<double>> places(wishes.size());
  if (height <= 0 || bottom - top < height) return places;
  const std::vector<std::size_t> order = chosen(wishes, static_cast<std::size_t>((bottom - top) / height));
  // Labels that would touch are one block, which lies around the mean of what its labels wish.
  struct Block {
    double sum = 0;  // of the wishes
    std::size_t count = 0;
    [[nodiscard]] double half(double each) const { return each * static_cast<double>(count) / 2; }
    [[nodiscard]] double middle(double each, double from, double to) const {
      return std::clamp(sum / static_cast<double>(count), from + half(each), to - half(each));
    }
  };
  std::vector<Block> blocks;
  for (const std::size_t label : order) {
    blocks.push_back({wishes[label].y, 1});
    while (blocks.size() > 1) {
      const Block& last = blocks[blocks.size() - 1];
      Block& before = blocks[blocks.size() - 2];
      const double gap = (last.middle(height, top, bottom) - last.half(height)) -
                         (before.middle(height, top, bottom) + before.half(height));
      if (gap >= 0) break;
      before.sum += last.sum;
      before.count += last.count;
      blocks.pop_back();
    }
  }
  std::size_t next = 0;
  for (const Block& block : blocks) {
    double y = block.middle(height, top, bottom) - block.half(height) + height / 2;
    for (std::size_t i = 0; i < block.count; ++i, y += height) places[order[next++]] = y;
  }
  return places;
}

}  // namespace attnscope::ui
