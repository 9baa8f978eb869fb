// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Reading and analysing a run, for a worker: synchronous, no Qt objects, any thread.

#include <memory>
#include <stop_token>
#include <string>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/import/TraceLoader.h"
#include "ui/bridge/Run.h"

namespace attnscope::ui {

[[nodiscard]] Result<std::shared_ptr<const RunFacts>> readRun(const std::string& path, const LoadOptions& options,
                                                              Progress& progress, std::stop_token stop);
[[nodiscard]] std::shared_ptr<const RunTables> tablesOf(const RunFacts& facts, TimeRange scope);

}  // namespace attnscope::ui
