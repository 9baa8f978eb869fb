// SPDX-License-Identifier: Apache-2.0
// Code of the person who runs it: nothing is known about it but what it should give. It runs in the runner's process,
// after a yes (RunPlan.h), and is checked as every other.

#include <array>

#include "core/problem/CardTables.h"

namespace attnscope {
namespace {

CardFigures yourFigures(const Problem& problem, const CardConditions&) {
  CardFigures figures = commonFigures(problem);
  figures.heldBytes =
      saturatingSum({saturatingProduct({bytesOf(problem.dtype), maskBytes(problem)}), biasBytes(problem)});
  return figures;
}

// What the function is not told of, it cannot compute.
std::optional<std::string> refusedYours(const Problem& problem) {
  if (auto reason = refusedExtras(problem, kBias, "Your function is told of the mask and the scale alone: it")) {
    return reason;
  }
  return std::nullopt;
}

std::optional<std::string> refusedPackage(const Problem& problem) {
  if (auto reason = refusedYours(problem)) return reason;
  return refusedBackward(problem, "A package of AOTInductor gives no gradients.");
}

}  // namespace

std::span<const Card> yourCards() {
  static const std::array<Card, 2> cards = {{
      builtCard("byo.script", "Your TorchScript", CardGroup::kYours, "unknown", refusedYours, yourFigures),
      builtCard("byo.package", "Your AOTInductor package", CardGroup::kYours, "unknown", refusedPackage, yourFigures),
  }};
  return cards;
}

}  // namespace attnscope
