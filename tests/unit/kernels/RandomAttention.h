// SPDX-License-Identifier: Apache-2.0
#pragma once

// Attention problems of every kind with their inputs, drawn from a seed, and what they should give, in float64 by the
// definition in Attention.h. Memory is exactly as large as it must be, so that sanitizers see each step beside it.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/engine/kernels/AttentionKernel.h"

namespace attnscope::kernels {

// What this CPU can run, and the emulation of what it may lack; as a name of a test.
[[nodiscard]] std::vector<Isa> testedIsas();
[[nodiscard]] std::string testNameOf(Isa isa);

// A tensor of any element type, with its values in float64 after rounding to the type.
struct TestTensor {
  std::vector<std::uint8_t> bytes;
  std::vector<double> values;  // by element of `bytes`
  TensorView view;
};

struct TestProblem {
  AttentionShape shape;
  KernelOptions options;
  TestTensor query, key, value, bias;
  std::vector<std::int32_t> pages;
  PagedCache cache;
  std::string words;  // all that was drawn
};

[[nodiscard]] TestProblem drawnProblem(std::uint64_t seed, Isa isa);

struct TestResult {
  std::vector<double> output;     // [B, Hq, N, V]
  std::vector<double> logSumExp;  // [B, Hq, N]
};
[[nodiscard]] TestResult expectedResult(const TestProblem& problem);
// Where the strides of the output are not those of [B, Hq, N, V], its gaps are checked to be left alone.
[[nodiscard]] TestResult kernelResult(const TestProblem& problem);
// What `call` leaves there.
using KernelCall = std::function<void(AttentionKernel& kernel, const AttentionTensors& tensors)>;
[[nodiscard]] TestResult kernelResult(const TestProblem& problem, const KernelCall& call);

// Relative L2; values that are not finite must be the same on both sides, else it is infinite.
[[nodiscard]] double distance(const std::vector<double>& result, const std::vector<double>& expected);
// The largest difference, relative where the expected value is over 1; infinite values must be the same.
[[nodiscard]] double largestDifference(const std::vector<double>& result, const std::vector<double>& expected);
[[nodiscard]] double limitOf(ElementType type);

// Rounds to the nearest, ties to even, as bits of the type; and back.
[[nodiscard]] std::uint16_t halfBits(double value, ElementType type);
[[nodiscard]] double halfValue(std::uint16_t bits, ElementType type);

}  // namespace attnscope::kernels
