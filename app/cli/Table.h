// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows of an answer that is a table: sorted by a column's JSON name, printed as aligned text, CSV or Markdown.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/cli/Options.h"
#include "app/cli/Output.h"
#include "core/base/Result.h"

namespace attnscope::cli {

enum class CellKind : std::uint8_t { kText, kCount, kTime, kBytes, kShare, kNumber };  // time in ns

struct Column {
  std::string name;  // in JSON and CSV
  std::string head;  // in text, without its unit
  CellKind kind = CellKind::kText;
  bool inText = true;  // else in CSV alone
  int unitGroup = 0;   // columns of one group have one unit, so that they can be read against each other; 0: of none
};

using Cell = std::variant<std::monostate, std::string, std::int64_t, double>;  // monostate: unknown

class Table {
 public:
  explicit Table(std::vector<Column> columns) : m_columns(std::move(columns)) {}
  void add(std::vector<Cell> row) { m_rows.push_back(std::move(row)); }
  [[nodiscard]] std::size_t size() const { return m_rows.size(); }

  // Numbers downwards, texts upwards, unknown last; fails with the names of the columns.
  [[nodiscard]] Result<std::vector<std::size_t>> order(const std::optional<std::string>& column,
                                                       std::optional<std::uint64_t> top) const;
  // One unit a column, or a group of them, in its head; `-` for unknown.
  void printText(Output& output, const std::vector<std::size_t>& order) const;
  void printCsv(Output& output, const std::vector<std::size_t>& order) const;
  void printMarkdown(Output& output, const std::vector<std::size_t>& order) const;
  void print(Output& output, OutputForm form, const std::vector<std::size_t>& order) const;

 private:
  // Of the column and those of its unit group.
  [[nodiscard]] double largestShown(std::size_t column, const std::vector<std::size_t>& order) const;
  // Heads and cells as they are shown.
  [[nodiscard]] std::vector<std::vector<std::string>> shown(const std::vector<std::size_t>& order) const;

  std::vector<Column> m_columns;
  std::vector<std::vector<Cell>> m_rows;
};

// A text as one field of CSV.
[[nodiscard]] std::string csvField(std::string_view text);
// On one line and printable; cut at `length` characters with "..." unless that is 0.
[[nodiscard]] std::string oneLine(std::string_view text, std::size_t length = 0);
// "12.3 us", "4.0 MiB": a figure that stands alone.
[[nodiscard]] std::string timeText(std::int64_t ns);
[[nodiscard]] std::string bytesText(std::int64_t bytes);

}  // namespace attnscope::cli
