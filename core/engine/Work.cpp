// SPDX-License-Identifier: Apache-2.0
#include "core/engine/Work.h"

#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <exception>
#include <span>
#include <utility>

#include "core/engine/Stage.h"

namespace attnscope::engine {
namespace {

// Thrown through autograd and the block, caught in expectedResult().
struct Stopped final : std::exception {};

// The reference as a function that autograd can go through, so that a block in float64 has gradients.
struct ReferenceFunction : public torch::autograd::Function<ReferenceFunction> {
  // torch::autograd::Function asks for this signature; the problem outlives the calls.
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& query, const at::Tensor& key,
                            const at::Tensor& value, const Problem* problem, Definition definition,
                            const KeepGoing* keepGoing) {
    context->save_for_backward({query, key, value});
    context->saved_data["problem"] = reinterpret_cast<std::int64_t>(problem);
    context->saved_data["keep_going"] = reinterpret_cast<std::int64_t>(keepGoing);
    auto result = referenceAttention(*problem, {query, key, value}, definition, {}, *keepGoing);
    if (!result) throw Stopped();
    return result->output;
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& above) {
    const auto saved = context->get_saved_variables();
    const auto* problem = reinterpret_cast<const Problem*>(context->saved_data["problem"].toInt());
    const auto* keepGoing = reinterpret_cast<const KeepGoing*>(context->saved_data["keep_going"].toInt());
    auto result =
        referenceAttention(*problem, {saved[0], saved[1], saved[2]}, Definition::kSoftmax, above[0], *keepGoing);
    if (!result) throw Stopped();
    return {result->queryGradient, result->keyGradient, result->valueGradient, {}, {}, {}};
  }
};

class ReferenceImplementation final : public Implementation {
 public:
  ReferenceImplementation(const Problem& problem, Definition definition, const KeepGoing& keepGoing)
      : m_problem(problem), m_definition(definition), m_keepGoing(keepGoing) {}

  at::Tensor call(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const override {
    return ReferenceFunction::apply(query, key, value, &m_problem, m_definition, &m_keepGoing);
  }

 private:
  Problem m_problem;
  Definition m_definition;
  const KeepGoing& m_keepGoing;
};

CallResult expectedOfBlock(const Problem& problem, const SharedInputs& inputs, Definition definition,
                           const KeepGoing& keepGoing) {
  const bool backward = problem.pass == Pass::kForwardBackward;
  const TransformerBlock block(problem, std::make_unique<ReferenceImplementation>(problem, definition, keepGoing),
                               inputs.blockWeights.to(at::kDouble));
  const at::Tensor input = inputs.blockInput.detach().to(at::kDouble).requires_grad_(backward);
  const at::Tensor output = block.forward(input);
  CallResult result{output.detach()};
  if (backward) {
    result.push_back(torch::autograd::grad({output}, {input}, {inputs.outputGradient.to(at::kDouble)}).front());
  }
  return result;
}

}  // namespace

SharedInputs makeSharedInputs(const Problem& problem) {
  SharedInputs inputs;
  const bool backward = problem.pass == Pass::kForwardBackward;
  if (problem.workload == Workload::kAttention) {
    inputs.attention = makeInputs(problem);
    if (backward) inputs.outputGradient = makeOutputGradient(problem);
    return inputs;
  }
  inputs.blockWeights = makeBlockWeights(problem);
  inputs.blockInput = makeBlockInput(problem);
  if (backward)
    inputs.outputGradient =
        randomNormal(inputs.blockInput.sizes(), 1.0, problem.seed ^ 0x6EAD).to(inputs.blockInput.scalar_type());
  return inputs;
}

Work::Work(const Problem& problem, const SharedInputs& inputs, std::unique_ptr<Implementation> implementation)
    : m_problem(problem), m_inputs(inputs), m_inside(implementation->inside()) {
  if (problem.workload == Workload::kAttention) {
    m_attention = std::move(implementation);
    const c10::InferenceMode noGradients;
    m_attention->prepare(inputs.attention.query, inputs.attention.key, inputs.attention.value);
  } else {
    m_block = std::make_unique<TransformerBlock>(problem, std::move(implementation), inputs.blockWeights);
  }
}

at::Tensor Work::forward() const {
  if (m_block) return m_block->forward(m_inputs.blockInput);
  const Stage stage("attention");
  return m_attention->call(m_inputs.attention.query, m_inputs.attention.key, m_inputs.attention.value);
}

CallResult Work::call() const {
  if (m_problem.pass == Pass::kForward) {
    const c10::InferenceMode noGradients;
    return {forward()};
  }
  const at::Tensor output = forward();
  std::vector<at::Tensor> leaves{m_inputs.attention.query, m_inputs.attention.key, m_inputs.attention.value};
  if (m_block) {
    leaves = m_inputs.blockWeights.all();
    leaves.insert(leaves.begin(), m_inputs.blockInput);
  }
  const Stage stage("backward");
  CallResult result = torch::autograd::grad({output}, leaves, {m_inputs.outputGradient});
  result.insert(result.begin(), output.detach());
  return result;
}

std::optional<CallResult> expectedResult(const Problem& problem, const SharedInputs& inputs, Definition definition,
                                         const KeepGoing& keepGoing) {
  if (problem.workload == Workload::kBlock) {
    try {
      return expectedOfBlock(problem, inputs, definition, keepGoing);
    } catch (const Stopped&) {
      return std::nullopt;
    }
  }
  auto reference = referenceAttention(problem, inputs.attention, definition, inputs.outputGradient, keepGoing);
  if (!reference) return std::nullopt;
  CallResult result{reference->output};
  if (reference->queryGradient.defined()) {
    result.insert(result.end(), {reference->queryGradient, reference->keyGradient, reference->valueGradient});
  }
  return result;
}

Distance distanceOf(const CallResult& actual, const CallResult& expected) {
  const std::size_t both = std::min(actual.size(), expected.size());
  const Distance output = distanceOf(std::span(actual).first(1), std::span(expected).first(1));
  if (both == 1) return output;
  const Distance gradients =
      distanceOf(std::span(actual).subspan(1, both - 1), std::span(expected).subspan(1, both - 1));
  return {.relativeL2 = std::max(output.relativeL2, gradients.relativeL2),
          .maxAbs = std::max(output.maxAbs, gradients.maxAbs),
          .finite = output.finite && gradients.finite};
}

}  // namespace attnscope::engine
