// SPDX-License-Identifier: Apache-2.0
#pragma once

// The problems that implementations are checked on: ones, primes, blocks and one more than blocks, unequal lengths,
// grouped heads, value heads of another size, each mask, each type, both layouts; and what single families need:
// windows, equal lengths, chunks, latents, a cache that grows, and what a problem may add to softmax attention.

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/problem/MaskTable.h"
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

// A table with holes everywhere, a row that sees nothing, and where asked for a bias.
enum class TableKind : std::uint8_t { kBoolean, kBias };
inline Mask tableMask(const Shape& shape, TableKind kind) {
  auto table = std::make_shared<MaskTable>();
  table->queries = shape.queryLength;
  table->keys = shape.keyValueLength;
  for (std::int64_t query = 0; query < table->queries; ++query) {
    for (std::int64_t key = 0; key < table->keys; ++key) {
      const bool seen = query != 3 && (query * 7 + key * 5) % 3 != 0 && (key / 70 + query / 70) % 2 == 0;
      table->visible.push_back(seen ? 1 : 0);
      if (kind == TableKind::kBias) {
        table->bias.push_back(seen ? static_cast<float>((query + 3 * key) % 11) * 0.25f - 1 : -INFINITY);
      }
    }
  }
  return FileMask{kind == TableKind::kBias ? "bias" : "boolean", table};
}

// Every type and layout of one problem.
inline void addAll(std::vector<Problem>& problems, const Problem& one) {
  for (const DataType type : {DataType::kFloat32, DataType::kFloat64, DataType::kBFloat16, DataType::kFloat16}) {
    for (const Layout layout : {Layout::kBhnd, Layout::kBnhd}) {
      Problem problem = one;
      problem.dtype = type;
      problem.layout = layout;
      problem.seed = problems.size();
      problems.push_back(problem);
    }
  }
}

inline Problem maskedProblem(const Shape& shape, const Mask& mask) {
  Problem problem = problemOf(shape);
  problem.mask = mask;
  return problem;
}

inline void addShapesAndMasks(std::vector<Problem>& problems) {
  for (const Shape& shape : checkedShapes()) {
    for (const Mask& mask : checkedMasks(shape)) addAll(problems, maskedProblem(shape, mask));
    addAll(problems, maskedProblem(shape, tableMask(shape, TableKind::kBoolean)));
  }
}

inline void addGroups(std::vector<Problem>& problems) {
  for (const Shape& shape : std::vector<Shape>{
           {1, 6, 3, 31, 31, 5, 5}, {1, 6, 2, 1, 97, 16, 16}, {2, 4, 1, 65, 33, 8, 8}, {1, 8, 4, 128, 128, 64, 64}}) {
    for (const Mask& mask : checkedMasks(shape)) addAll(problems, maskedProblem(shape, mask));
  }
}

inline void addWindows(std::vector<Problem>& problems) {
  for (const Shape& shape : std::vector<Shape>{{1, 2, 2, 97, 97, 8, 8},
                                               {2, 2, 1, 64, 64, 16, 16},
                                               {1, 3, 3, 33, 65, 8, 5},
                                               {1, 1, 1, 1, 7, 4, 4},
                                               {1, 4, 2, 1100, 1100, 16, 16}}) {
    for (const std::int64_t width : {2, 31, 64, 1000}) {
      addAll(problems, maskedProblem(shape, WindowMask{width, CausalAlignment::kBottomRight}));
    }
  }
}

inline const std::vector<Shape>& squareShapes() {
  static const std::vector<Shape> shapes = {
      {1, 2, 2, 2, 2, 4, 4},       {1, 4, 2, 65, 65, 16, 16},   {2, 2, 1, 64, 64, 8, 8},
      {1, 4, 4, 129, 129, 32, 32}, {1, 2, 2, 200, 200, 24, 24}, {2, 4, 2, 257, 257, 16, 16},
      {1, 3, 1, 13, 13, 3, 3},     {1, 1, 1, 193, 193, 64, 64}, {1, 2, 2, 67, 67, 16, 40}};
  return shapes;
}

inline void addSquares(std::vector<Problem>& problems) {
  for (const Shape& shape : squareShapes()) {
    addAll(problems, maskedProblem(shape, NoMask{}));
    addAll(problems, maskedProblem(shape, CausalMask{CausalAlignment::kTopLeft}));
    addAll(problems, maskedProblem(shape, CausalMask{CausalAlignment::kBottomRight}));
  }
}

inline void addChunks(std::vector<Problem>& problems) {
  for (const Shape& shape : squareShapes()) {
    for (const std::int64_t size : {1, 13, 64}) {
      DocumentsMask chunks;
      for (std::int64_t left = shape.queryLength; left > 0; left -= chunks.lengths.back()) {
        chunks.lengths.push_back(std::min(size, left));
      }
      for (const InsideDocument inside : {InsideDocument::kFull, InsideDocument::kCausal}) {
        chunks.inside = inside;
        addAll(problems, maskedProblem(shape, chunks));
      }
    }
  }
}

inline void addLatents(std::vector<Problem>& problems) {
  for (const Shape& shape : std::vector<Shape>{{1, 1, 1, 1, 1, 4, 4},
                                               {1, 2, 2, 1, 33, 12, 8},
                                               {2, 4, 4, 1, 130, 24, 16},
                                               {1, 4, 4, 33, 65, 24, 16},
                                               {2, 3, 3, 31, 31, 20, 12},
                                               {1, 2, 2, 64, 64, 48, 32},
                                               {1, 2, 2, 17, 5, 8, 8}}) {
    for (const Mask& mask :
         std::vector<Mask>{NoMask{}, CausalMask{CausalAlignment::kTopLeft}, CausalMask{CausalAlignment::kBottomRight},
                           WindowMask{16, CausalAlignment::kBottomRight}}) {
      for (const std::int64_t rope : {0, 3}) {
        Problem problem = maskedProblem(shape, mask);
        problem.latentSize = rope == 0 ? 5 : 16;
        problem.ropeSize = rope;
        addAll(problems, problem);
      }
    }
  }
}

inline void addDecodes(std::vector<Problem>& problems) {
  for (const Shape& shape : std::vector<Shape>{{1, 2, 2, 1, 1, 8, 8},
                                               {1, 4, 2, 1, 300, 64, 64},
                                               {2, 4, 4, 1, 65, 16, 16},
                                               {1, 8, 1, 3, 67, 8, 8},
                                               {2, 2, 1, 7, 130, 16, 16},
                                               {1, 2, 2, 9, 9, 5, 5},
                                               {1, 4, 4, 2, 1200, 16, 16}}) {
    for (const Mask& mask : std::vector<Mask>{NoMask{}, CausalMask{CausalAlignment::kBottomRight},
                                              WindowMask{16, CausalAlignment::kBottomRight}}) {
      if (std::holds_alternative<NoMask>(mask) && shape.queryLength > 1) continue;
      Problem problem = maskedProblem(shape, mask);
      addAll(problems, problem);
      problem.sink = true;
      addAll(problems, problem);
      problem.alibi = true;
      addAll(problems, problem);
    }
  }
}

// Each alone, and all that go together.
inline void addExtras(std::vector<Problem>& problems) {
  for (const Shape& shape : std::vector<Shape>{{1, 1, 1, 1, 1, 8, 8},
                                               {1, 4, 2, 33, 65, 16, 16},
                                               {2, 3, 3, 31, 31, 16, 16},
                                               {1, 2, 2, 300, 150, 16, 16},
                                               {1, 8, 1, 127, 127, 8, 8}}) {
    for (const Mask& mask :
         std::vector<Mask>{NoMask{}, CausalMask{CausalAlignment::kTopLeft},
                           WindowMask{16, CausalAlignment::kBottomRight}, tableMask(shape, TableKind::kBias)}) {
      Problem problem = maskedProblem(shape, mask);
      problem.softcap = 2;
      addAll(problems, problem);
      problem.sink = true;
      problem.alibi = true;
      addAll(problems, problem);
      problem.dropout = 0.25;
      addAll(problems, problem);
      problem.softcap = 0;
      problem.sink = false;
      addAll(problems, problem);
      problem.dropout = 0;
      addAll(problems, problem);
      problem.sink = true;
      problem.alibi = false;
      addAll(problems, problem);
    }
  }
}

// All of them, forward.
inline std::vector<Problem> checkedProblems() {
  std::vector<Problem> problems;
  addShapesAndMasks(problems);
  addGroups(problems);
  addWindows(problems);
  addSquares(problems);
  addChunks(problems);
  addLatents(problems);
  addDecodes(problems);
  addExtras(problems);
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
