// SPDX-License-Identifier: Apache-2.0
#include "core/index/CounterIndex.h"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace attnscope {
namespace {

TEST(CounterIndex, ColumnsHoldMinimumMaximumAndLastOfABruteForce) {
  std::mt19937_64 random(4);
  std::vector<std::int64_t> atNs;
  std::vector<double> values;
  std::int64_t now = 0;
  for (int sample = 0; sample < 5000; ++sample) {
    now += static_cast<std::int64_t>(random() % 900);
    atNs.push_back(now);
    const bool isGap = sample % 97 == 0;
    values.push_back(isGap ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(random() % 4096));
  }
  const CounterIndex index = CounterIndex::build(atNs, values);
  for (const double perPixel : {50.0, 700.0, 5000.0, 200'000.0}) {
    const double start = -1000;
    const int width = 400;
    std::vector<CounterColumn> columns;
    index.query(atNs, values, start, perPixel, width, columns);
    ASSERT_EQ(columns.size(), static_cast<std::size_t>(width));
    for (int x = 0; x < width; ++x) {
      const double left = start + x * perPixel;
      const double right = left + perPixel;
      double low = 1e18;
      double high = -1e18;
      double last = std::numeric_limits<double>::quiet_NaN();
      double inForce = std::numeric_limits<double>::quiet_NaN();
      for (std::size_t at = 0; at < atNs.size() && static_cast<double>(atNs[at]) < right; ++at) {
        last = values[at];
        if (static_cast<double>(atNs[at]) <= left) {
          inForce = values[at];
          if (static_cast<double>(atNs[at]) < left) continue;
        }
        if (std::isnan(values[at])) continue;
        low = std::min(low, values[at]);
        high = std::max(high, values[at]);
      }
      if (!std::isnan(inForce)) {
        low = std::min(low, inForce);
        high = std::max(high, inForce);
      }
      const CounterColumn& column = columns[static_cast<std::size_t>(x)];
      ASSERT_EQ(column.gap, low > high) << x << " at " << perPixel;
      if (!column.gap) {
        ASSERT_EQ(column.low, static_cast<float>(low)) << x << " at " << perPixel;
        ASSERT_EQ(column.high, static_cast<float>(high)) << x << " at " << perPixel;
      }
      ASSERT_EQ(std::isnan(column.last), std::isnan(last)) << x;
      if (!std::isnan(last)) {
        ASSERT_EQ(column.last, static_cast<float>(last)) << x;
      }
    }
  }
}

TEST(CounterIndex, RangesOfNothingAreEmpty) {
  EXPECT_TRUE(CounterIndex().range({}, 0, 0).empty);
  std::vector<CounterColumn> columns;
  CounterIndex().query({}, {}, 0, 1, 3, columns);
  ASSERT_EQ(columns.size(), 3u);
  EXPECT_TRUE(columns[0].gap);
}

}  // namespace
}  // namespace attnscope
