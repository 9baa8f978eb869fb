// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Small tables for the tests.

#include <cmath>
#include <limits>
#include <memory>

#include "ui/tables/TableRows.h"

namespace attnscope::ui {

inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Name, calls A, total A, total B, B - A, per cent; five rows in two groups.
inline std::shared_ptr<TableRows> sampleRows() {
  auto rows = std::make_shared<TableRows>();
  rows->rowCount = 5;
  Column name;
  name.title = QStringLiteral("Kernel");
  name.role = ColumnRole::kName;
  name.width = 220;
  rows->addColumn(name);
  Column calls;
  calls.title = QStringLiteral("Calls");
  calls.role = ColumnRole::kCount;
  calls.hideRank = 4;
  calls.sum = SumRule::kSum;
  rows->addColumn(calls);
  Column total;
  total.title = QStringLiteral("Total");
  total.role = ColumnRole::kTime;
  total.width = 74;
  total.runLetter = QStringLiteral("A");
  total.sum = SumRule::kSum;
  rows->addColumn(total);
  total.runLetter = QStringLiteral("B");
  rows->addColumn(total);
  Column delta;
  delta.title = QStringLiteral("B − A");
  delta.role = ColumnRole::kDelta;
  delta.width = 138;
  delta.sum = SumRule::kDelta;
  delta.baseColumn = 2;
  delta.otherColumn = 3;
  rows->addColumn(delta);
  delta.title = QStringLiteral("%");
  delta.role = ColumnRole::kDeltaShare;
  delta.width = 60;
  delta.hideRank = 5;
  delta.sum = SumRule::kRatio;
  rows->addColumn(delta);
  const char* names[] = {"softmax_warp_forward", "flash_fwd_kernel", "elementwise add", "elementwise mul", "gemm"};
  const double a[] = {128'400, kNone, 121'000, 118'200, 116'000};
  const double b[] = {kNone, 47'600, 100'000, 118'300, 216'000};
  for (std::size_t i = 0; i < 5; ++i) {
    rows->texts[0].add(QString::fromLatin1(names[i]));
    rows->fullNames.add(QStringLiteral("void at::%1<float>").arg(QString::fromLatin1(names[i])));
    rows->numbers[1].push_back(static_cast<double>(i + 1));
    rows->numbers[2].push_back(a[i]);
    rows->numbers[3].push_back(b[i]);
    const double from = std::isnan(a[i]) ? 0 : a[i];
    const double to = std::isnan(b[i]) ? 0 : b[i];
    rows->numbers[4].push_back(to - from);
    rows->numbers[5].push_back(std::isnan(a[i]) || std::isnan(b[i]) ? kNone : (to - from) / from);
    rows->groupOf.push_back(i < 2 ? 0 : 1);
  }
  rows->groupTitles = {QStringLiteral("Attention"), QStringLiteral("Rest")};
  rows->sortColumn = 4;
  return rows;
}

}  // namespace attnscope::ui
