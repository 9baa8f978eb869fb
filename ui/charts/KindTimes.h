// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Time by kind of work in each run: kernels, copies and memsets of the device, or, where a run has none, the host self
// time of operators. Pure function, any thread, O(rows of the tables).

#include <memory>
#include <vector>

#include <QString>

#include "ui/bridge/Run.h"

namespace attnscope::ui {

struct KindInput {
  int runNumber = 0;
  QString letter;
  std::shared_ptr<const RunFacts> facts;
  std::shared_ptr<const RunTables> tables;
};

struct KindTimes {
  struct Kind {
    WorkKind kind = WorkKind::kUnknown;
    std::vector<std::int64_t> ns;  // by run
  };
  bool byDevice = true;     // every run has device work
  std::vector<int> runs;    // numbers
  QStringList letters;      // by run
  std::vector<Kind> kinds;  // most in any run first; those without time are left out
};
[[nodiscard]] KindTimes kindTimes(const std::vector<KindInput>& inputs);

}  // namespace attnscope::ui
