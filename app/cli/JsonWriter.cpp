// SPDX-License-Identifier: Apache-2.0
#include "app/cli/JsonWriter.h"

#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "core/trace/Utf8.h"

namespace attnscope::cli {

namespace {

constexpr std::size_t kLineLevels = 2;  // brackets of the document and of its lists

}  // namespace

void appendJsonString(std::string& out, std::string_view text) {
  out += '"';
  std::size_t plain = 0;  // begin of what is copied as it is
  const auto replace = [&](std::size_t at, std::string_view by) {
    out += text.substr(plain, at - plain);
    out += by;
    plain = at + 1;
  };
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x80) {
      const std::size_t length = utf8Length(text, i);
      if (length == 0) replace(i, "\xEF\xBF\xBD");
      i += length == 0 ? 1 : length;
      continue;
    }
    if (c == '"') {
      replace(i, "\\\"");
    } else if (c == '\\') {
      replace(i, "\\\\");
    } else if (c == '\n') {
      replace(i, "\\n");
    } else if (c == '\t') {
      replace(i, "\\t");
    } else if (c == '\r') {
      replace(i, "\\r");
    } else if (c < 0x20 || c == 0x7F) {
      replace(i, fmt::format("\\u{:04x}", c));
    }
    ++i;
  }
  out += text.substr(plain);
  out += '"';
}

void JsonWriter::separate() {
  if (m_afterKey) {
    m_afterKey = false;
    return;
  }
  if (m_filled.empty()) return;
  std::string& out = m_output.buffer();
  if (m_filled.back()) out += ',';
  if (m_filled.size() <= kLineLevels) {
    out += '\n';
    out.append(m_filled.size(), ' ');
  } else if (m_filled.back()) {
    out += ' ';
  }
  m_filled.back() = true;
}

void JsonWriter::open(char bracket) {
  separate();
  m_output.buffer() += bracket;
  m_filled.push_back(false);
}

void JsonWriter::close(char bracket) {
  const bool filled = m_filled.back();
  m_filled.pop_back();
  std::string& out = m_output.buffer();
  if (filled && m_filled.size() < kLineLevels) {
    out += '\n';
    out.append(m_filled.size(), ' ');
  }
  out += bracket;
}

void JsonWriter::key(std::string_view name) {
  separate();
  appendJsonString(m_output.buffer(), name);
  m_output.buffer() += ": ";
  m_afterKey = true;
}

void JsonWriter::integer(std::int64_t value) {
  separate();
  fmt::format_to(std::back_inserter(m_output.buffer()), "{}", value);
}

void JsonWriter::count(std::uint64_t value) {
  separate();
  fmt::format_to(std::back_inserter(m_output.buffer()), "{}", value);
}

void JsonWriter::number(double value) {
  if (!std::isfinite(value)) return null();
  separate();
  fmt::format_to(std::back_inserter(m_output.buffer()), "{}", value);
}

void JsonWriter::text(std::string_view value) {
  separate();
  appendJsonString(m_output.buffer(), value);
}

void JsonWriter::boolean(bool value) { raw(value ? "true" : "false"); }

void JsonWriter::null() { raw("null"); }

void JsonWriter::raw(std::string_view json) {
  separate();
  m_output.buffer() += json;
}

void JsonWriter::beginDocument() {
  beginObject();
  text("schema", "attnscope/1");
}

void JsonWriter::endDocument() {
  endObject();
  m_output.buffer() += '\n';
}

}  // namespace attnscope::cli
