// SPDX-License-Identifier: Apache-2.0
#include "core/trace/ArgsText.h"

#include <cstdint>
#include <unordered_map>

namespace attnscope {

namespace {

bool isSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

std::size_t skipSpace(std::string_view text, std::size_t at) {
  while (at < text.size() && isSpace(text[at])) ++at;
  return at;
}

std::size_t stringEnd(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return text.size();
}

int hexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Four hex digits at `at`, or -1.
int codeUnit(std::string_view text, std::size_t at) {
  if (at + 4 > text.size()) return -1;
  int value = 0;
  for (std::size_t i = at; i < at + 4; ++i) {
    const int digit = hexDigit(text[i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

void appendUtf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

}  // namespace

std::size_t valueEnd(std::string_view text, std::size_t at) {
  if (at >= text.size()) return text.size();
  if (text[at] == '"') return stringEnd(text, at);
  if (text[at] == '{' || text[at] == '[') {
    std::size_t depth = 0;
    while (at < text.size()) {
      const char c = text[at];
      if (c == '"') {
        at = stringEnd(text, at);
        continue;
      }
      ++at;
      if (c == '{' || c == '[') ++depth;
      if ((c == '}' || c == ']') && --depth == 0) return at;
    }
    return text.size();
  }
  std::size_t end = at;
  while (end < text.size() && text[end] != ',' && text[end] != '}' && text[end] != ']') ++end;
  while (end > at && isSpace(text[end - 1])) --end;
  return end;
}

std::vector<ArgsMember> argsMembers(std::string_view object) {
  std::vector<ArgsMember> members;
  std::size_t at = skipSpace(object, 0);
  if (at >= object.size() || object[at] != '{') return members;
  ++at;
  for (;;) {
    while (at < object.size() && (isSpace(object[at]) || object[at] == ',')) ++at;
    if (at >= object.size() || object[at] != '"') return members;
    const std::size_t keyEnd = stringEnd(object, at);
    const std::string_view key = object.substr(at + 1, keyEnd >= at + 2 ? keyEnd - at - 2 : 0);
    at = skipSpace(object, keyEnd);
    if (at >= object.size() || object[at] != ':') return members;
    at = skipSpace(object, at + 1);
    const std::size_t end = valueEnd(object, at);
    members.push_back({key, object.substr(at, end - at)});
    at = end;
  }
}

std::optional<std::string_view> argsValue(std::string_view object, std::string_view key) {
  std::optional<std::string_view> value;
  for (const ArgsMember& member : argsMembers(object))
    if (member.key == key) value = member.value;
  return value;
}

std::vector<std::string_view> arrayElements(std::string_view array) {
  std::vector<std::string_view> elements;
  std::size_t at = skipSpace(array, 0);
  if (at == array.size() || array[at] != '[') return elements;
  const auto skipCommas = [&] {
    while (at < array.size() && (isSpace(array[at]) || array[at] == ',')) ++at;
  };
  for (++at, skipCommas(); at < array.size() && array[at] != ']'; skipCommas()) {
    const std::size_t end = valueEnd(array, at);
    if (end <= at) break;
    elements.push_back(array.substr(at, end - at));
    at = end;
  }
  return elements;
}

std::string mergeArgs(std::string_view earlier, std::string_view later) {
  const std::vector<ArgsMember> first = argsMembers(earlier);
  const std::vector<ArgsMember> second = argsMembers(later);
  const auto placesOf = [](const std::vector<ArgsMember>& members) {
    std::unordered_map<std::string_view, std::size_t> places;
    for (std::size_t i = 0; i < members.size(); ++i) places.emplace(members[i].key, i);
    return places;
  };
  const auto inFirst = placesOf(first);
  const auto inSecond = placesOf(second);
  std::string merged = "{";
  const auto add = [&](std::string_view key, std::string_view value) {
    if (merged.size() > 1) merged += ", ";
    merged += '"';
    merged += key;
    merged += "\": ";
    merged += value;
  };
  for (const ArgsMember& member : first) {
    const auto replacement = inSecond.find(member.key);
    add(member.key, replacement != inSecond.end() ? second[replacement->second].value : member.value);
  }
  for (const ArgsMember& member : second)
    if (inFirst.count(member.key) == 0) add(member.key, member.value);
  return merged + "}";
}

std::string decodeText(std::string_view value) {
  if (value.size() < 2 || value.front() != '"' || value.back() != '"') return std::string(value);
  const std::string_view text = value.substr(1, value.size() - 2);
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    switch (c) {
      case '"':
      case '\\':
      case '/':
      case '\'':
        out += c;
        break;
      case 'b':
        out += '\b';
        break;
      case 'f':
        out += '\f';
        break;
      case 'n':
        out += '\n';
        break;
      case 'r':
        out += '\r';
        break;
      case 't':
        out += '\t';
        break;
      case 'u': {
        const int unit = codeUnit(text, i + 1);
        if (unit < 0) {
          out += "\\u";
          break;
        }
        std::uint32_t code = static_cast<std::uint32_t>(unit);
        i += 4;
        if (code >= 0xD800 && code < 0xDC00 && i + 2 < text.size() && text[i + 1] == '\\' && text[i + 2] == 'u') {
          const int low = codeUnit(text, i + 3);
          if (low >= 0xDC00 && low < 0xE000) {
            code = 0x10000 + ((code - 0xD800) << 10) + (static_cast<std::uint32_t>(low) - 0xDC00);
            i += 6;
          }
        }
        if (code >= 0xD800 && code < 0xE000) code = 0xFFFD;  // half a pair is no character
        appendUtf8(out, code);
        break;
      }
      default:  // no escape of JSON: a path of Windows, most likely
        out += '\\';
        out += c;
    }
  }
  return out;
}

std::string escapeText(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += "\\u00";
          out += kHex[static_cast<unsigned char>(c) >> 4];
          out += kHex[c & 15];
        } else {
          out += c;
        }
    }
  }
  return out;
}

}  // namespace attnscope
