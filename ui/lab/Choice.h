// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Which implementations are chosen, in the order of choosing: the first is A, the baseline. A value.

#include <optional>

#include <QString>
#include <QStringList>

namespace attnscope::ui {

class Choice {
 public:
  Choice() = default;
  explicit Choice(const QStringList& ids);

  void toggle(const QString& id);        // what is chosen last gets the next letter
  void makeBaseline(const QString& id);  // chooses it where it is not
  [[nodiscard]] const QStringList& ids() const { return m_ids; }
  [[nodiscard]] std::optional<int> positionOf(const QString& id) const;
  [[nodiscard]] bool contains(const QString& id) const { return m_ids.contains(id); }
  bool operator==(const Choice&) const = default;

 private:
  QStringList m_ids;
};

[[nodiscard]] QString labLetter(int position);  // "A", "B"...

}  // namespace attnscope::ui
