// SPDX-License-Identifier: Apache-2.0
#pragma once

// --name REGEX over interned names: each distinct name is tried once.

#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "core/base/Result.h"
#include "core/base/StringPool.h"

namespace attnscope::cli {

class NameFilter {
 public:
  static Result<NameFilter> make(const std::optional<std::string>& pattern, const StringPool& strings) {
    NameFilter filter;
    if (!pattern) return filter;
    try {
      // Without backtracking: names reach tens of thousands of characters and must not exhaust the stack.
      const std::regex regex(*pattern, std::regex::ECMAScript | std::regex_constants::__polynomial);
      filter.m_all = false;
      filter.m_matches.resize(strings.size());
      for (std::size_t i = 0; i < strings.size(); ++i) {
        const std::string_view name = strings.view(StringId{static_cast<std::uint32_t>(i)});
        filter.m_matches[i] = std::regex_search(name.begin(), name.end(), regex);
      }
      filter.m_empty = std::regex_search(std::string(), regex);
    } catch (const std::regex_error&) {
      Error error;
      error.kind = ErrorKind::kUsage;
      error.what = "--name " + *pattern + ": no regular expression";
      error.remedy = "escape ( ) [ ] { } . * + ? ^ $ | with a backslash where they are meant as they stand";
      return fail(std::move(error));
    }
    return filter;
  }
  [[nodiscard]] bool holds(StringId name) const {
    return m_all || (name == kNoString ? m_empty : m_matches[index(name)]);
  }

 private:
  bool m_all = true;
  bool m_empty = false;
  std::vector<bool> m_matches;
};

}  // namespace attnscope::cli
