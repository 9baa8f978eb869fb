// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/GapWords.h"

#include <QCoreApplication>

#include "ui/bridge/Format.h"

namespace attnscope::ui {

namespace {
struct Words {
  Q_DECLARE_TR_FUNCTIONS(attnscope::ui::IdleGap)
};
}  // namespace

QString causeWords(IdleCause cause) {
  switch (cause) {
    case IdleCause::kNoLaunch:
      return Words::tr("no launch");
    case IdleCause::kWaiting:
      return Words::tr("waiting");
    case IdleCause::kSynchronisation:
      return Words::tr("synchronisation");
    case IdleCause::kProfiler:
      return Words::tr("the profiler");
    case IdleCause::kUnknown:
      break;
  }
  return Words::tr("cause unknown");
}

QString gapWords(const IdleGap& gap) {
  const QString time = format::time(static_cast<double>(gap.range.durationNs()));
  if (gap.cause == IdleCause::kUnknown) return Words::tr("idle %1").arg(time);
  return Words::tr("idle %1, %2").arg(time, causeWords(gap.cause));
}

}  // namespace attnscope::ui
