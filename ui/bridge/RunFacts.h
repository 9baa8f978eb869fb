// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Reading and analysing a run, for a worker: synchronous, no Qt objects, any thread.

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/import/TraceLoader.h"
#include "ui/bridge/Run.h"

namespace attnscope::ui {

// `onBeginning` gets facts of a large file's beginning while the rest is read; it is called by the same thread.
[[nodiscard]] Result<std::shared_ptr<const RunFacts>> readRun(
    const std::string& path, LoadOptions options, Progress& progress, std::stop_token stop,
    const std::function<void(std::shared_ptr<const RunFacts>)>& onBeginning = {});
[[nodiscard]] std::shared_ptr<const RunTables> tablesOf(const RunFacts& facts, TimeRange scope);

}  // namespace attnscope::ui
