// SPDX-License-Identifier: Apache-2.0
#include "app/cli/JsonText.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "app/cli/JsonWriter.h"

namespace attnscope::cli {

namespace {

constexpr int kDeepest = 64;

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isHex(char c) { return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// A number of JSON that 64 bits hold: an integer exactly, a fraction without overflow.
bool isHeldNumber(std::string_view word) {
  std::size_t i = word.starts_with('-') ? 1 : 0;
  const std::size_t firstDigit = i;
  while (i < word.size() && isDigit(word[i])) ++i;
  if (i == firstDigit || (word[firstDigit] == '0' && i - firstDigit > 1)) return false;
  if (i == word.size()) {
    std::int64_t signedValue = 0;
    std::uint64_t value = 0;
    const char* begin = word.data();
    const char* end = begin + word.size();
    return std::from_chars(begin, end, signedValue).ec == std::errc{} ||
           std::from_chars(begin, end, value).ec == std::errc{};
  }
  if (word[i] == '.') {
    const std::size_t fraction = ++i;
    while (i < word.size() && isDigit(word[i])) ++i;
    if (i == fraction) return false;
  }
  if (i < word.size() && (word[i] == 'e' || word[i] == 'E')) {
    ++i;
    if (i < word.size() && (word[i] == '+' || word[i] == '-')) ++i;
    const std::size_t exponent = i;
    while (i < word.size() && isDigit(word[i])) ++i;
    if (i == exponent) return false;
  }
  return i == word.size() && std::isfinite(std::strtod(std::string(word).c_str(), nullptr));
}

class Rewriter {
 public:
  Rewriter(std::string& out, std::string_view text) : m_out(out), m_text(text) {}

  bool run() {
    skip();
    if (!value(0)) return false;
    skip();
    return m_at == m_text.size();
  }

 private:
  void skip() {
    while (m_at < m_text.size() && isSpace(m_text[m_at])) ++m_at;
  }
  bool take(char c) {
    skip();
    if (m_at >= m_text.size() || m_text[m_at] != c) return false;
    ++m_at;
    return true;
  }
  bool value(int depth) {
    skip();
    if (m_at >= m_text.size() || depth > kDeepest) return false;
    switch (m_text[m_at]) {
      case '{':
        return list('{', '}', depth);
      case '[':
        return list('[', ']', depth);
      case '"':
        return string();
      default:
        return word();
    }
  }
  bool list(char opening, char closing, int depth) {
    ++m_at;
    m_out += opening;
    bool first = true;
    for (;;) {
      if (take(closing)) break;
      if (!first && !take(',')) return false;
      if (take(closing)) break;  // a comma too many
      if (!first) m_out += ", ";
      first = false;
      if (opening == '{') {
        skip();
        if (m_at >= m_text.size() || m_text[m_at] != '"' || !string() || !take(':')) return false;
        m_out += ": ";
      }
      if (!value(depth + 1)) return false;
    }
    m_out += closing;
    return true;
  }
  bool string() {
    const std::size_t begin = ++m_at;
    bool plain = true;  // can be copied as it is
    for (; m_at < m_text.size() && m_text[m_at] != '"'; ++m_at) {
      const auto c = static_cast<unsigned char>(m_text[m_at]);
      if (c == '\\') {
        if (!isEscape(m_at)) plain = false;
        ++m_at;
      } else if (c < 0x20 || c >= 0x7F) {
        plain = false;
      }
    }
    if (m_at >= m_text.size()) return false;
    const std::string_view body = m_text.substr(begin, m_at - begin);
    ++m_at;
    if (plain) {
      m_out += '"';
      m_out += body;
      m_out += '"';
    } else {
      repaired(body);
    }
    return true;
  }
  [[nodiscard]] bool isEscape(std::size_t at) const {
    if (at + 1 >= m_text.size()) return false;
    const char next = m_text[at + 1];
    if (next == 'u') {
      for (std::size_t i = at + 2; i < at + 6; ++i) {
        if (i >= m_text.size() || !isHex(m_text[i])) return false;
      }
      return true;
    }
    return std::string_view("\"\\/bfnrt").find(next) != std::string_view::npos;
  }
  // Legal escapes stay, a backslash that begins none is doubled, other bytes are made legal.
  void repaired(std::string_view body) {
    const std::size_t offset = static_cast<std::size_t>(body.data() - m_text.data());
    std::string piece;
    std::string result = "\"";
    const auto flush = [&] {
      std::string quoted;
      appendJsonString(quoted, piece);
      result += std::string_view(quoted).substr(1, quoted.size() - 2);
      piece.clear();
    };
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (body[i] == '\\' && isEscape(offset + i)) {
        flush();
        result += body.substr(i, 2);
        ++i;
      } else if (body[i] == '\\' && i + 1 < body.size() && body[i + 1] == '\'') {
        continue;  // an escape of other languages
      } else {
        piece += body[i];
      }
    }
    flush();
    m_out += result + '"';
  }
  bool word() {
    const std::size_t begin = m_at;
    while (m_at < m_text.size() && std::string_view(",]}:\"{[").find(m_text[m_at]) == std::string_view::npos) ++m_at;
    std::string_view text = m_text.substr(begin, m_at - begin);
    while (!text.empty() && isSpace(text.back())) text.remove_suffix(1);
    if (text.empty()) return false;
    if (text == "true" || text == "false" || text == "null" || isHeldNumber(text)) {
      m_out += text;
    } else {
      appendJsonString(m_out, text);
    }
    return true;
  }

  std::string& m_out;
  std::string_view m_text;
  std::size_t m_at = 0;
};

}  // namespace

void appendJsonValue(std::string& out, std::string_view text) {
  const std::size_t before = out.size();
  if (Rewriter(out, text).run()) return;
  out.resize(before);
  appendJsonString(out, text);
}

}  // namespace attnscope::cli
