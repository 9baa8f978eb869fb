// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What happened and what to do about it, as sentences of their own: the core writes them to stand behind a file's
// name. Pure functions.

#include <QString>

#include "core/base/Result.h"

namespace attnscope::ui {

[[nodiscard]] QString whatHappened(const Error& error);  // with the byte where it was, if that is known
[[nodiscard]] QString whatToDo(const Error& error);      // may be empty

}  // namespace attnscope::ui
