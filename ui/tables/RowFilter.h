// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a person writes into a table's filter field: words, each of which some text of the row has, or an expression
// over its columns:
//
//   total > 1ms and (name ~ gemm or share >= 5) and not "launched by" = aten::mm
//
//   comparison  COLUMN < <= > >= = != VALUE for numbers; COLUMN ~ = != TEXT for texts, ~ finds it anywhere, /…/ is a
//               regular expression. Case does not matter.
//   COLUMN      a column's title, with the letter of its run where there are several; "name" is the first column
//   VALUE       with a unit (ns us ms s, B KiB MiB GiB, %), else in the unit of the column's head
//   joined by   and, or, not and parentheses; a word alone is looked for in all texts
//
// A text is taken for words unless a column, or anything in front of an operator with spaces around it, says that it
// is an expression: names of kernels have "<" in them. Values; immutable after parse(); any thread.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <QRegularExpression>
#include <QString>
#include <QStringList>

#include "core/base/Result.h"

namespace attnscope::ui {

struct TableRows;

class RowFilter {
 public:
  // A filter that keeps all rows.
  RowFilter() = default;
  // Columns are those of `rows`, whatever its rows are. An error says what is wrong and what may stand there.
  [[nodiscard]] static Result<RowFilter> parse(const QString& text, const TableRows& rows);

  [[nodiscard]] bool isEmpty() const { return m_root == nullptr; }
  // Rows that are kept, in order. O(rows) for each comparison; texts are looked at once each, not once a row.
  [[nodiscard]] std::vector<std::uint32_t> keptRows(const TableRows& rows) const;

  enum class Operator : std::uint8_t { kLess, kLessEqual, kGreater, kGreaterEqual, kEqual, kUnequal, kHas, kHasNot };
  struct Node;

 private:
  std::shared_ptr<const Node> m_root;
};

}  // namespace attnscope::ui
