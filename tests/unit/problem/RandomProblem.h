// SPDX-License-Identifier: Apache-2.0
#pragma once

// Valid problems of every kind, small enough to be counted pair by pair.

#include <algorithm>
#include <random>

#include "core/problem/Problem.h"

namespace attnscope {

class RandomProblems {
 public:
  explicit RandomProblems(unsigned seed) : m_random(seed) {}

  Problem next() {
    Problem problem;
    problem.batch = upTo(3);
    problem.keyValueHeads = upTo(4);
    problem.heads = problem.keyValueHeads * upTo(3);
    problem.queryLength = upTo(70);
    problem.keyValueLength = upTo(2) == 1 ? problem.queryLength : upTo(70);
    problem.headSize = upTo(20);
    problem.valueHeadSize = upTo(2) == 1 ? problem.headSize : upTo(20);
    problem.dtype = static_cast<DataType>(upTo(4) - 1);
    problem.mask = mask(problem);
    problem.pass = upTo(3) == 1 ? Pass::kForwardBackward : Pass::kForward;
    problem.layout = upTo(2) == 1 ? Layout::kBhnd : Layout::kBnhd;
    problem.seed = m_random();
    return problem;
  }

  std::int64_t upTo(std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(1, most)(m_random); }

 private:
  CausalAlignment alignment() { return upTo(2) == 1 ? CausalAlignment::kTopLeft : CausalAlignment::kBottomRight; }

  Mask mask(const Problem& problem) {
    switch (upTo(5)) {
      case 1:
        return NoMask{};
      case 2:
        return CausalMask{alignment()};
      case 3:
        return WindowMask{upTo(80), alignment()};
      case 4:
        return PrefixMask{upTo(problem.keyValueLength + 1) - 1};
      default:
        break;
    }
    if (problem.queryLength != problem.keyValueLength) return NoMask{};
    DocumentsMask documents;
    documents.inside = upTo(2) == 1 ? InsideDocument::kFull : InsideDocument::kCausal;
    for (std::int64_t left = problem.queryLength; left > 0; left -= documents.lengths.back()) {
      documents.lengths.push_back(upTo(left));
    }
    return documents;
  }

  std::mt19937_64 m_random;
};

}  // namespace attnscope
