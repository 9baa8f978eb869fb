// SPDX-License-Identifier: Apache-2.0
#include "core/export/CleanJson.h"

#include "core/trace/Utf8.h"

namespace attnscope {

namespace {

bool isSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

bool isJsonNumber(std::string_view word) {
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t begin = at;
    while (at < word.size() && isDigit(word[at])) ++at;
    return at > begin;
  };
  if (at < word.size() && word[at] == '-') ++at;
  if (at >= word.size() || !isDigit(word[at])) return false;
  if (word[at] == '0') {
    ++at;
  } else {
    digits();
  }
  if (at < word.size() && word[at] == '.') {
    ++at;
    if (!digits()) return false;
  }
  if (at < word.size() && (word[at] == 'e' || word[at] == 'E')) {
    ++at;
    if (at < word.size() && (word[at] == '+' || word[at] == '-')) ++at;
    if (!digits()) return false;
  }
  return at == word.size();
}

class Cleaner {
 public:
  explicit Cleaner(std::string_view text) : m_text(text) { m_out.reserve(text.size() + 16); }

  std::string run() {
    while (m_at < m_text.size()) {
      const char c = m_text[m_at];
      if (isSpace(c)) {
        m_gap += c;
        ++m_at;
      } else if (c == ',') {
        ++m_at;
        m_comma = true;
      } else if (c == '}' || c == ']') {
        if (!close(c)) break;
      } else if (c == ':') {
        m_comma = false;
        m_out += c;
        ++m_at;
        m_afterValue = false;
      } else {
        beginValue();
        if (c == '"') {
          string();
        } else if (c == '{' || c == '[') {
          m_open += c;
          m_out += c;
          ++m_at;
          m_afterValue = false;
        } else {
          word();
        }
      }
    }
    while (!m_open.empty()) {
      m_out += m_open.back() == '{' ? '}' : ']';
      m_open.pop_back();
    }
    if (auto repaired = repairedUtf8(m_out)) return *repaired;
    return std::move(m_out);
  }

 private:
  void flushGap() {
    m_out += m_gap;
    m_gap.clear();
  }

  void beginValue() {
    if (m_comma && m_afterValue) m_out += ',';
    flushGap();
    m_comma = false;
  }

  bool close(char c) {
    const char wanted = c == '}' ? '{' : '[';
    if (m_open.empty()) return false;
    flushGap();
    // A bracket of the other kind closes what is open.
    m_out += m_open.back() == wanted ? c : m_open.back() == '{' ? '}' : ']';
    m_open.pop_back();
    ++m_at;
    m_comma = false;
    m_afterValue = true;
    return true;
  }

  void control(char c) {
    static constexpr char kHex[] = "0123456789abcdef";
    m_out += "\\u00";
    m_out += kHex[static_cast<unsigned char>(c) >> 4];
    m_out += kHex[c & 15];
  }

  void string() {
    m_out += '"';
    for (++m_at; m_at < m_text.size() && m_text[m_at] != '"'; ++m_at) {
      const char c = m_text[m_at];
      if (static_cast<unsigned char>(c) < 0x20) {
        control(c);
      } else if (c == '\\') {
        escape();
      } else {
        m_out += c;
      }
    }
    m_out += '"';
    if (m_at < m_text.size()) ++m_at;
    m_afterValue = true;
  }

  void escape() {
    const char next = m_at + 1 < m_text.size() ? m_text[m_at + 1] : '\0';
    if (next == '\'') {
      m_out += next;
      ++m_at;
    } else if (next == 'u' && hasFourHex(m_at + 2)) {
      m_out += "\\u";
      ++m_at;
    } else if (next != '\0' && next != 'u' && std::string_view("\"\\/bfnrt").find(next) != std::string_view::npos) {
      m_out += '\\';
      m_out += next;
      ++m_at;
    } else {
      m_out += "\\\\";
    }
  }

  [[nodiscard]] bool hasFourHex(std::size_t at) const {
    if (at + 4 > m_text.size()) return false;
    for (std::size_t i = at; i < at + 4; ++i) {
      const char c = m_text[i];
      if (!isDigit(c) && !(c >= 'a' && c <= 'f') && !(c >= 'A' && c <= 'F')) return false;
    }
    return true;
  }

  void word() {
    const std::size_t begin = m_at;
    while (m_at < m_text.size() && std::string_view(",}]:").find(m_text[m_at]) == std::string_view::npos &&
           !isSpace(m_text[m_at]))
      ++m_at;
    const std::string_view found = m_text.substr(begin, m_at - begin);
    if (isJsonNumber(found) || found == "true" || found == "false" || found == "null") {
      m_out += found;
    } else {
      m_out += '"';
      for (const char c : found) {
        if (static_cast<unsigned char>(c) < 0x20) {
          control(c);
        } else {
          if (c == '"' || c == '\\') m_out += '\\';
          m_out += c;
        }
      }
      m_out += '"';
    }
    m_afterValue = true;
  }

  std::string_view m_text;
  std::size_t m_at = 0;
  std::string m_out;
  std::string m_open;
  std::string m_gap;
  bool m_comma = false;
  bool m_afterValue = false;
};

}  // namespace

std::string cleanJson(std::string_view text) {
  std::string cleaned = Cleaner(text).run();
  return cleaned.empty() ? std::string("null") : cleaned;
}

}  // namespace attnscope
