// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shapes of known models, as data.

#include <span>
#include <string_view>

#include "core/problem/Problem.h"

namespace attnscope {

struct Preset {
  std::string_view id;      // "gpt2-medium": for --preset
  std::string_view title;   // "GPT-2 medium block"
  std::string_view source;  // where the shape is from
  Problem problem;
};

[[nodiscard]] std::span<const Preset> presets();  // in order of showing; the first is "quick-look"
[[nodiscard]] const Preset* findPreset(std::string_view id);

}  // namespace attnscope
