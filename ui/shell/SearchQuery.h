// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What is typed to find slices. Plain text is looked for in names, in any case; /text/ is a regular expression;
// cat:word narrows to categories that hold the word, args:word to slices whose arguments do (quotes hold a word with
// spaces together). Values; pure functions.

#include <QRegularExpression>
#include <QString>

namespace attnscope::ui {

struct SearchQuery {
  QString name;
  QRegularExpression expression;  // where `isExpression`
  bool isExpression = false;
  QString category;
  QString args;
  QString problem;  // why nothing can be looked for: "missing ) at letter 5"
  [[nodiscard]] bool isEmpty() const { return name.isEmpty() && category.isEmpty() && args.isEmpty(); }
};
[[nodiscard]] SearchQuery parseSearch(const QString& text);

}  // namespace attnscope::ui
