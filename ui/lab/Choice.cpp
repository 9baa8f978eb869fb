// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lab/Choice.h"

#include "core/session/RunPlan.h"

namespace attnscope::ui {

Choice::Choice(const QStringList& ids) : m_ids(ids) { m_ids.removeDuplicates(); }

void Choice::toggle(const QString& id) {
  if (m_ids.removeOne(id)) return;
  m_ids.append(id);
}

void Choice::makeBaseline(const QString& id) {
  m_ids.removeOne(id);
  m_ids.prepend(id);
}

std::optional<int> Choice::positionOf(const QString& id) const {
  const qsizetype at = m_ids.indexOf(id);
  if (at < 0) return std::nullopt;
  return static_cast<int>(at);
}

QString labLetter(int position) { return QString::fromStdString(letterOf(static_cast<std::size_t>(position))); }

}  // namespace attnscope::ui
