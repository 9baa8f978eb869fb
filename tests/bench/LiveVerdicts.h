// SPDX-License-Identifier: Apache-2.0
#pragma once

// Verdicts measured on this machine while a thread beside keeps a core busy: a workload against itself, and against
// itself with a busy wait of 5 % more, sampled as the runner samples, about 7 s a run. Then the same of whole runs of
// the runner, one for each ten: attention against itself, and against itself with the busy wait put into it.

namespace attnscope {

// Prints the tally of `runs` runs; the program's exit code: 1 where more than 9 of 100 equal ones are called
// different, or a change of 5 % is called the wrong way.
[[nodiscard]] int measureLive(int runs);

}  // namespace attnscope
