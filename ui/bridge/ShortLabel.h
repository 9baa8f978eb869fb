// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a label may lose before it is cut. Pure function, any thread.

#include <algorithm>
#include <string_view>

namespace attnscope::ui {

// Of a label that is cut: fewer letters say nothing.
inline constexpr int kLeastLabelLetters = 3;

// "aten::addmm" is "addmm" where there is no room for more. Only of names that are one word with its namespaces: in
// those of kernels the last :: may stand anywhere.
[[nodiscard]] inline std::string_view withoutNamespaces(std::string_view name) {
  const auto isOfWords = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':' ||
           c == '.';
  };
  const std::size_t last = name.rfind("::");
  if (last == std::string_view::npos || last + 2 == name.size()) return name;
  return std::all_of(name.begin(), name.end(), isOfWords) ? name.substr(last + 2) : name;
}

}  // namespace attnscope::ui
