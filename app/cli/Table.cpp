// SPDX-License-Identifier: Apache-2.0
#include "app/cli/Table.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include <fmt/format.h>

namespace attnscope::cli {

namespace {

constexpr std::size_t kWidestText = 72;

struct Unit {
  const char* name;
  double size;
};

Unit timeUnit(double largest) {
  if (largest < 1e7) return {"us", 1e3};
  if (largest < 1e10) return {"ms", 1e6};
  return {"s", 1e9};
}

Unit bytesUnit(double largest) {
  if (largest < 1024) return {"B", 1};
  if (largest < 1024.0 * 1024) return {"KiB", 1024};
  if (largest < 1024.0 * 1024 * 1024) return {"MiB", 1024.0 * 1024};
  return {"GiB", 1024.0 * 1024 * 1024};
}

double amount(const Cell& cell) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  return 0;
}

bool isUnknown(const Cell& cell) { return std::holds_alternative<std::monostate>(cell); }

// Characters of UTF-8, for alignment.
std::size_t widthOf(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }));
}

std::string plainCell(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *integer);
  if (const auto* real = std::get_if<double>(&cell)) return fmt::format("{}", *real);
  return {};
}

bool before(const Cell& a, const Cell& b) {
  if (isUnknown(a) || isUnknown(b)) return !isUnknown(a) && isUnknown(b);
  const auto* textA = std::get_if<std::string>(&a);
  const auto* textB = std::get_if<std::string>(&b);
  if (textA != nullptr && textB != nullptr) return *textA < *textB;
  const auto* integerA = std::get_if<std::int64_t>(&a);
  const auto* integerB = std::get_if<std::int64_t>(&b);
  if (integerA != nullptr && integerB != nullptr) return *integerA > *integerB;
  return amount(a) > amount(b);
}

}  // namespace

std::string csvField(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string field = "\"";
  for (const char c : text) {
    if (c == '"') field += '"';
    field += c;
  }
  return field + '"';
}

std::string oneLine(std::string_view text, std::size_t length) {
  std::string line;
  std::size_t width = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0u) != 0x80u) ++width;
    if (length != 0 && width > length) {
      while (length > 3 && widthOf(line) > length - 3) line.pop_back();
      return line + "...";
    }
    line += byte < 0x20 || byte == 0x7F ? ' ' : c;
  }
  return line;
}

std::string timeText(std::int64_t ns) {
  const Unit unit = timeUnit(std::fabs(static_cast<double>(ns)));
  return fmt::format("{:.1f} {}", static_cast<double>(ns) / unit.size, unit.name);
}

std::string bytesText(std::int64_t bytes) {
  const Unit unit = bytesUnit(std::fabs(static_cast<double>(bytes)));
  return fmt::format("{:.{}f} {}", static_cast<double>(bytes) / unit.size, unit.size == 1 ? 0 : 2, unit.name);
}

Result<std::vector<std::size_t>> Table::order(const std::optional<std::string>& column,
                                              std::optional<std::uint64_t> top) const {
  std::vector<std::size_t> rows(m_rows.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (column) {
    const auto found = std::find_if(m_columns.begin(), m_columns.end(),
                                    [&](const Column& candidate) { return candidate.name == *column; });
    if (found == m_columns.end()) {
      std::string names;
      for (const Column& candidate : m_columns) names += (names.empty() ? "" : ", ") + candidate.name;
      Error error;
      error.kind = ErrorKind::kUsage;
      error.what = fmt::format("--sort {}: no such column", *column);
      error.remedy = "use one of " + names;
      return fail(std::move(error));
    }
    const auto at = static_cast<std::size_t>(found - m_columns.begin());
    std::stable_sort(rows.begin(), rows.end(),
                     [&](std::size_t a, std::size_t b) { return before(m_rows[a][at], m_rows[b][at]); });
  }
  if (top && *top < rows.size()) rows.resize(static_cast<std::size_t>(*top));
  return rows;
}

double Table::largestShown(std::size_t column, const std::vector<std::size_t>& order) const {
  double largest = 0;
  for (std::size_t c = 0; c < m_columns.size(); ++c) {
    const int group = m_columns[c].unitGroup;
    if (c != column && (group == 0 || group != m_columns[column].unitGroup)) continue;
    for (const std::size_t row : order) largest = std::max(largest, std::fabs(amount(m_rows[row][c])));
  }
  return largest;
}

std::vector<std::vector<std::string>> Table::shown(const std::vector<std::size_t>& order) const {
  std::vector<std::vector<std::string>> lines(order.size() + 1);
  for (std::size_t c = 0; c < m_columns.size(); ++c) {
    const Column& column = m_columns[c];
    if (!column.inText) continue;
    const double largest = largestShown(c, order);
    Unit unit{"", 1};
    if (column.kind == CellKind::kTime) unit = timeUnit(largest);
    if (column.kind == CellKind::kBytes) unit = bytesUnit(largest);
    if (column.kind == CellKind::kShare) unit = {"%", 0.01};
    lines[0].push_back(*unit.name == '\0' ? column.head : fmt::format("{} {}", column.head, unit.name));
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Cell& cell = m_rows[order[i]][c];
      if (isUnknown(cell)) {
        lines[i + 1].emplace_back("-");
      } else if (column.kind == CellKind::kText || column.kind == CellKind::kCount) {
        lines[i + 1].push_back(oneLine(plainCell(cell), kWidestText));
      } else {
        const int decimals = column.kind == CellKind::kBytes ? (unit.size > 1 ? 2 : 0) : 1;
        lines[i + 1].push_back(fmt::format("{:.{}f}", amount(cell) / unit.size + 0.0, decimals));  // no "-0.0" for 0
      }
    }
  }
  return lines;
}

void Table::printText(Output& output, const std::vector<std::size_t>& order) const {
  const auto lines = shown(order);
  std::vector<CellKind> kinds;
  for (const Column& column : m_columns) {
    if (column.inText) kinds.push_back(column.kind);
  }
  std::vector<std::size_t> widths(kinds.size(), 0);
  for (const auto& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], widthOf(line[c]));
  }
  for (const auto& line : lines) {
    std::string text;
    for (std::size_t c = 0; c < line.size(); ++c) {
      const std::string padding(widths[c] - widthOf(line[c]), ' ');
      if (c != 0) text += "  ";
      text += kinds[c] == CellKind::kText ? line[c] + padding : padding + line[c];
    }
    text.erase(text.find_last_not_of(' ') + 1);
    output.write(text + '\n');
  }
}

void Table::printCsv(Output& output, const std::vector<std::size_t>& order) const {
  std::string head;
  for (const Column& column : m_columns) head += (head.empty() ? "" : ",") + csvField(column.name);
  output.write(head + '\n');
  for (const std::size_t row : order) {
    std::string line;
    for (std::size_t c = 0; c < m_columns.size(); ++c) {
      if (c != 0) line += ',';
      line += csvField(plainCell(m_rows[row][c]));
    }
    output.write(line + '\n');
  }
}

void Table::printMarkdown(Output& output, const std::vector<std::size_t>& order) const {
  const auto lines = shown(order);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string text = "|";
    for (std::string cell : lines[i]) {
      for (std::size_t at = cell.find('|'); at != std::string::npos; at = cell.find('|', at + 2)) {
        cell.insert(at, "\\");
      }
      text += " " + cell + " |";
    }
    output.write(text + '\n');
    if (i != 0) continue;
    std::string rule = "|";
    for (const Column& column : m_columns) {
      if (column.inText) rule += column.kind == CellKind::kText ? " --- |" : " ---: |";
    }
    output.write(rule + '\n');
  }
}

void Table::print(Output& output, OutputForm form, const std::vector<std::size_t>& order) const {
  switch (form) {
    case OutputForm::kCsv:
      return printCsv(output, order);
    case OutputForm::kMarkdown:
      return printMarkdown(output, order);
    default:
      return printText(output, order);
  }
}

}  // namespace attnscope::cli
