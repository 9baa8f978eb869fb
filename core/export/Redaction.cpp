// SPDX-License-Identifier: Apache-2.0
#include "core/export/Redaction.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <optional>
#include <utility>

#include "core/trace/ArgsText.h"

namespace attnscope {

namespace {

constexpr std::string_view kLeftOut = "(left out)";
constexpr int kDeepest = 16;  // of objects that are looked into key by key

bool isWordByte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || (c & 0x80) != 0;
}

std::string lowered(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

bool isAny(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool endsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// "HF_TOKEN", "apiKey", "db-password"; and not "num_tokens" or "token_ids".
bool namesSecret(std::string_view key) {
  std::string lower = lowered(key);
  std::replace(lower.begin(), lower.end(), '-', '_');
  for (const std::string_view word : {"token", "apikey", "api_key", "access_key", "secret_key", "private_key", "secret",
                                      "password", "passwd", "credential", "credentials", "authorization", "cookie"})
    if (endsWith(lower, word)) return true;
  return lower.find("secret") != std::string::npos || lower.find("password") != std::string::npos;
}

bool namesUser(std::string_view key) {
  return isAny(lowered(key), {"user", "username", "user_name", "logname", "owner", "sudo_user"});
}
bool namesHost(std::string_view key) {
  return isAny(lowered(key), {"host", "hostname", "host_name", "node_name", "nodename", "machine_name"});
}
bool namesPlace(std::string_view key) {
  return isAny(lowered(key), {"home", "mail", "email", "ssh_client", "ssh_connection", "ssh_auth_sock", "ssh_tty"});
}

struct TokenForm {
  std::string_view begin;
  std::size_t least;  // bytes, with the beginning
};
constexpr std::array<TokenForm, 14> kTokenForms = {{{"ghp_", 20},
                                                    {"gho_", 20},
                                                    {"ghs_", 20},
                                                    {"github_pat_", 30},
                                                    {"glpat-", 20},
                                                    {"hf_", 24},
                                                    {"sk-", 24},
                                                    {"xoxb-", 20},
                                                    {"xoxp-", 20},
                                                    {"AKIA", 20},
                                                    {"ASIA", 20},
                                                    {"AIza", 35},
                                                    {"eyJhbGci", 40},
                                                    {"wandb_", 24}}};

std::size_t wordEnd(std::string_view text, std::size_t at) {
  while (at < text.size() && (isWordByte(text[at]) || text[at] == '.')) ++at;
  return at;
}

void replaceTokens(std::string& text) {
  for (const TokenForm& form : kTokenForms) {
    for (std::size_t at = text.find(form.begin); at != std::string::npos; at = text.find(form.begin, at + 1)) {
      if (at > 0 && isWordByte(text[at - 1])) continue;
      const std::size_t end = wordEnd(text, at);
      if (end - at >= form.least) text.replace(at, end - at, kLeftOut);
    }
  }
}

bool isSlash(char c) { return c == '/' || c == '\\'; }

struct Home {
  std::size_t begin;
  std::size_t end;         // behind the name
  std::string_view owner;  // empty: root
};

// The first home folder at or behind `from`. Slashes may be doubled: they are so in JSON text.
std::optional<Home> findHome(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find_first_of("/\\", from); at != std::string_view::npos;
       at = text.find_first_of("/\\", at + 1)) {
    if (at > 0 && isSlash(text[at - 1])) continue;
    std::size_t name = at;
    while (name < text.size() && isSlash(text[name])) ++name;
    const std::string_view rest = text.substr(name);
    if (rest.rfind("root", 0) == 0 && text[at] == '/' && (rest.size() == 4 || !isWordByte(rest[4])) &&
        (at == 0 || !isWordByte(text[at - 1])))
      return Home{at, name + 4, {}};
    const std::size_t folder = rest.rfind("home", 0) == 0 ? 4 : rest.rfind("Users", 0) == 0 ? 5 : 0;
    if (folder == 0 || folder >= rest.size() || !isSlash(rest[folder])) continue;
    std::size_t owner = name + folder;
    while (owner < text.size() && isSlash(text[owner])) ++owner;
    const std::size_t end = wordEnd(text, owner);
    if (end == owner) continue;
    const bool hasDrive = at >= 2 && text[at - 1] == ':' && std::isalpha(static_cast<unsigned char>(text[at - 2])) != 0;
    const bool isInside = at > 0 && !hasDrive && isWordByte(text[at - 1]);
    return Home{hasDrive ? at - 2 : isInside ? name : at, end, text.substr(owner, end - owner)};
  }
  return std::nullopt;
}

void replaceHomes(std::string& text) {
  for (std::size_t at = 0;;) {
    const auto home = findHome(text, at);
    if (!home) return;
    text.replace(home->begin, home->end - home->begin, "~");
    at = home->begin + 1;
  }
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  return text;
}

}  // namespace

void Redaction::replaceWord(std::string& text, const Word& word) {
  for (std::size_t at = text.find(word.found); at != std::string::npos; at = text.find(word.found, at)) {
    const std::size_t end = at + word.found.size();
    const auto ends = [&](bool isEdge, char c) {
      return word.isFolder ? !isEdge && isSlash(c) : isEdge || !isWordByte(c);
    };
    const bool isWhole = ends(at == 0, at == 0 ? ' ' : text[at - 1]) &&
                         (end == text.size() ? true : ends(false, text[end]) || (word.isFolder && text[end] == '"'));
    if (isWhole) text.replace(at, word.found.size(), word.replacement);
    at += isWhole ? word.replacement.size() : 1;
  }
}

Redaction::Redaction(const Trace& trace) {
  for (const auto& [key, value] : trace.metadata) learn(key, value, 0);
  for (std::uint32_t i = 0; i < trace.strings.size(); ++i) learnHome(trace.strings.view(StringId{i}));
  // "node7.example.org" before "node7".
  std::stable_sort(m_words.begin(), m_words.end(),
                   [](const Word& a, const Word& b) { return a.found.size() > b.found.size(); });
}

void Redaction::learn(std::string_view key, std::string_view value, int depth) {
  value = trimmed(value);
  if (value.empty() || depth > kDeepest) return;
  if (value.front() == '{') {
    for (const ArgsMember& member : argsMembers(value)) learn(member.key, member.value, depth + 1);
  } else if (value.front() == '[') {
    for (const std::string_view element : arrayElements(value)) learn({}, element, depth + 1);
  } else if (value.front() == '"') {
    const std::string text = decodeText(value);
    if (namesUser(key)) addWord(text, "user", false);
    if (namesHost(key)) {
      addWord(text, "host", false);
      addWord(text.substr(0, text.find('.')), "host", false);
    }
    learnHome(text);
  }
}

void Redaction::learnHome(std::string_view text) {
  for (std::size_t at = 0;;) {
    const auto home = findHome(text, at);
    if (!home) return;
    addWord(home->owner, "user", true);
    at = home->end;
  }
}

// Short and general words would be found in what has nothing to do with a person.
void Redaction::addWord(std::string_view found, std::string_view replacement, bool isFolder) {
  if (found.size() < 3 || isAny(lowered(found), {"root", "user", "host", "home", "ubuntu", "admin", "localhost",
                                                 "runner", "python", "torch", "public", "shared"}))
    return;
  const bool known = std::any_of(m_words.begin(), m_words.end(),
                                 [&](const Word& word) { return word.found == found && word.isFolder == isFolder; });
  if (!known) m_words.push_back({std::string(found), std::string(replacement), isFolder});
}

std::string Redaction::text(std::string_view given) const {
  std::string text(given);
  if (text.find_first_of("/\\") != std::string::npos) replaceHomes(text);
  replaceTokens(text);
  for (const Word& word : m_words) replaceWord(text, word);
  return text;
}

std::string Redaction::json(std::string_view json) const { return text(members(json, false, 0)); }

std::string Redaction::metadata(std::string_view key, std::string_view value) const {
  const std::string whole = members("{\"" + escapeText(key) + "\": " + std::string(value) + "}", true, 0);
  const auto cleaned = argsMembers(whole);
  return text(cleaned.empty() ? value : cleaned.front().value);
}

// The same text with values left out of members whose keys ask for it.
std::string Redaction::members(std::string_view value, bool isMetadata, int depth) const {
  const std::string_view inner = trimmed(value);
  if (inner.empty() || depth > kDeepest || (inner.front() != '{' && inner.front() != '[')) return std::string(value);
  std::string result;
  std::size_t copied = 0;
  const auto replace = [&](std::string_view part, std::string_view with) {
    const auto at = static_cast<std::size_t>(part.data() - value.data());
    result += value.substr(copied, at - copied);
    result += with;
    copied = at + part.size();
  };
  const auto visit = [&](std::string_view key, std::string_view part) {
    const bool isText = !part.empty() && part.front() == '"' && part.size() > 2;
    const bool isPersonal = isMetadata && (namesUser(key) || namesHost(key) || namesPlace(key));
    if (isText && (isPersonal || namesSecret(key))) {
      replace(part, '"' + std::string(kLeftOut) + '"');
    } else if (!part.empty() && (part.front() == '{' || part.front() == '[')) {
      const std::string changed = members(part, isMetadata, depth + 1);
      if (changed != part) replace(part, changed);
    }
  };
  if (inner.front() == '{') {
    for (const ArgsMember& member : argsMembers(inner)) visit(member.key, member.value);
  } else {
    for (const std::string_view element : arrayElements(inner)) visit({}, element);
  }
  return result + std::string(value.substr(copied));
}

}  // namespace attnscope
