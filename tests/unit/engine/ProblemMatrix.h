// SPDX-License-Identifier: Apache-2.0
#pragma once

// The problems that implementations are checked on: ones, primes, blocks and one more than blocks, unequal lengths,
// grouped heads, value heads of another size, each mask, each type, both layouts.

#include <string>
#include <vector>

#include "core/problem/Problem.h"

namespace attnscope::engine {

struct Shape {
  std::int64_t batch, heads, keyValueHeads, queryLength, keyValueLength, headSize, valueHeadSize;
};

inline const std::vector<Shape>& checkedShapes() {
  static const std::vector<Shape> shapes = {
      {1, 1, 1, 1, 1, 1, 1},       {1, 1, 1, 1, 1, 8, 8},       {1, 2, 2, 7, 13, 5, 5},    {2, 3, 3, 31, 31, 16, 16},
      {1, 4, 2, 33, 65, 16, 16},   {2, 8, 2, 64, 64, 32, 32},   {1, 8, 1, 127, 127, 8, 8}, {1, 4, 4, 257, 257, 64, 64},
      {2, 4, 2, 300, 520, 24, 24}, {1, 2, 2, 520, 300, 16, 16}, {1, 2, 1, 97, 97, 16, 40}, {1, 4, 4, 1, 300, 64, 64},
      {1, 3, 3, 300, 1, 32, 32},   {3, 2, 2, 129, 129, 7, 3},
  };
  return shapes;
}

inline Problem problemOf(const Shape& shape) {
  Problem problem;
  problem.batch = shape.batch;
  problem.heads = shape.heads;
  problem.keyValueHeads = shape.keyValueHeads;
  problem.queryLength = shape.queryLength;
  problem.keyValueLength = shape.keyValueLength;
  problem.headSize = shape.headSize;
  problem.valueHeadSize = shape.valueHeadSize;
  problem.mask = NoMask{};
  return problem;
}

inline std::vector<Mask> checkedMasks(const Shape& shape) {
  std::vector<Mask> masks = {NoMask{},
                             CausalMask{CausalAlignment::kTopLeft},
                             CausalMask{CausalAlignment::kBottomRight},
                             WindowMask{1, CausalAlignment::kTopLeft},
                             WindowMask{16, CausalAlignment::kTopLeft},
                             WindowMask{16, CausalAlignment::kBottomRight}};
  if (shape.keyValueLength >= 5) masks.emplace_back(PrefixMask{5});
  if (shape.queryLength == shape.keyValueLength && shape.queryLength >= 7) {
    const std::vector<std::int64_t> lengths = {1, 5, shape.queryLength - 6};
    masks.emplace_back(DocumentsMask{lengths, InsideDocument::kFull});
    masks.emplace_back(DocumentsMask{lengths, InsideDocument::kCausal});
  }
  return masks;
}

// All of them, forward.
inline std::vector<Problem> checkedProblems() {
  std::vector<Problem> problems;
  for (const Shape& shape : checkedShapes()) {
    for (const Mask& mask : checkedMasks(shape)) {
      for (const DataType type : {DataType::kFloat32, DataType::kFloat64, DataType::kBFloat16, DataType::kFloat16}) {
        for (const Layout layout : {Layout::kBhnd, Layout::kBnhd}) {
          Problem problem = problemOf(shape);
          problem.mask = mask;
          problem.dtype = type;
          problem.layout = layout;
          problem.seed = problems.size();
          problems.push_back(problem);
        }
      }
    }
  }
  return problems;
}

// One of `share` of them, spread over all their properties.
inline std::vector<Problem> someOf(const std::vector<Problem>& problems, std::uint64_t share) {
  std::vector<Problem> some;
  for (std::uint64_t i = 0; i < problems.size(); ++i) {
    if ((i * 2654435761ull >> 16) % share == 0) some.push_back(problems[i]);
  }
  return some;
}

}  // namespace attnscope::engine
