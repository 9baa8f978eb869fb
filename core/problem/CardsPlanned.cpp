// SPDX-License-Identifier: Apache-2.0
// Implementations that this version lists and cannot run, each with the reason.

#include <array>

#include "core/problem/CardTables.h"

namespace attnscope {
namespace {

constexpr std::string_view kNeedsCuda = "Needs CUDA; this version runs on the CPU only.";

Card planned(std::string_view id, std::string_view title, CardGroup group, std::string_view complexity,
             std::string_view reason, Exactness exactness = Exactness::kExact) {
  return {.id = id,
          .title = title,
          .group = group,
          .exactness = exactness,
          .complexity = complexity,
          .onCpu = reason != kNeedsCuda,
          .onCuda = reason == kNeedsCuda,
          .notBuilt = reason,
          .refusal = nullptr,
          .figures = nullptr};
}

}  // namespace

std::span<const Card> plannedCards() {
  using Group = CardGroup;
  static constexpr std::string_view kFused = "time N², memory N";
  static const std::array<Card, 2> cards = {{
      planned("sdpa.efficient", "SDPA memory-efficient", Group::kFused, kFused, kNeedsCuda),
      planned("sdpa.cudnn", "SDPA cuDNN", Group::kFused, kFused, kNeedsCuda),
  }};
  return cards;
}

}  // namespace attnscope
