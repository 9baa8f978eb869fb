// SPDX-License-Identifier: Apache-2.0
#include "core/engine/SdpaChoice.h"

#include <ATen/Context.h>
#include <ATen/SDPBackend.h>
#include <ATen/ops/_fused_sdp_choice.h>
#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include <optional>

#include "core/engine/Failure.h"
#include "core/engine/Inputs.h"
#include "core/engine/Masks.h"

namespace attnscope::engine {
namespace {

constexpr const char* kCudaOnly = "runs on CUDA only";

class MathSwitchedOff {
 public:
  MathSwitchedOff() : m_before(at::globalContext().userEnabledMathSDP()) { at::globalContext().setSDPUseMath(false); }
  MathSwitchedOff(const MathSwitchedOff&) = delete;
  MathSwitchedOff& operator=(const MathSwitchedOff&) = delete;
  ~MathSwitchedOff() { at::globalContext().setSDPUseMath(m_before); }

 private:
  bool m_before;
};

class WarningCollector final : public c10::WarningHandler {
 public:
  void process(const c10::Warning& warning) override { m_texts.push_back(warning.msg()); }
  [[nodiscard]] const std::vector<std::string>& texts() const { return m_texts; }

 private:
  std::vector<std::string> m_texts;
};

struct Question {
  at::Tensor query, key, value;
  std::optional<at::Tensor> mask;
  bool causal = false;
  bool grouped = false;
};

// One row of memory seen as many.
at::Tensor shapeOf(const Problem& problem, std::int64_t heads, std::int64_t length, std::int64_t size) {
  at::Tensor tensor = at::empty({size}, scalarTypeOf(problem.dtype)).expand({problem.batch, heads, length, size});
  if (problem.pass == Pass::kForwardBackward) tensor.requires_grad_(true);
  return tensor;
}

Question questionOf(const Problem& problem) {
  Question question{
      .query = shapeOf(problem, problem.heads, problem.queryLength, problem.headSize),
      .key = shapeOf(problem, problem.keyValueHeads, problem.keyValueLength, problem.headSize),
      .value = shapeOf(problem, problem.keyValueHeads, problem.keyValueLength, problem.valueHeadSize),
      .mask = std::nullopt,
      .causal = isTopLeftCausal(problem),
      .grouped = problem.heads != problem.keyValueHeads,
  };
  if (hasBias(problem) || (isMasked(problem) && !question.causal)) {
    const at::Tensor one = at::empty({1}, scalarTypeOf(problem.dtype));
    question.mask = problem.alibi ? one.expand({1, problem.heads, problem.queryLength, problem.keyValueLength})
                                  : one.expand({problem.queryLength, problem.keyValueLength});
  }
  return question;
}

std::int64_t ask(const Problem& problem, const Question& question) {
  return at::_fused_sdp_choice(question.query, question.key, question.value, question.mask, problem.dropout,
                               question.causal, problem.scale, question.grouped);
}

// "Flash attention requires ... (Triggered internally at file:line)" without what only LibTorch's makers need.
std::string tidied(const std::string& text) {
  return text.substr(0, std::min(text.find(" (Triggered internally"), text.find('\n')));
}

std::string whyNotFlash(const Problem& problem, const Question& question) {
  const MathSwitchedOff onlyFused;
  WarningCollector collector;
  {
    const c10::WarningUtils::WarningHandlerGuard collecting(&collector);
    try {
      static_cast<void>(ask(problem, question));
    } catch (const c10::Error&) {  // "No available kernel": its reasons were warnings
    }
  }
  std::string reasons;
  for (const std::string& text : collector.texts()) {
    if (text.find("kernel not used because") != std::string::npos) continue;  // a heading
    if (!reasons.empty()) reasons += " ";
    reasons += tidied(text);
  }
  return reasons.empty() ? "LibTorch gives no reason" : reasons;
}

}  // namespace

Result<SdpaChoice> sdpaChoice(const Problem& problem) {
  return guarded("asking LibTorch which backend it would take", [&]() -> Result<SdpaChoice> {
    const Question question = questionOf(problem);
    SdpaChoice choice;
    const auto backend = static_cast<at::SDPBackend>(ask(problem, question));
    if (backend == at::SDPBackend::flash_attention) {
      choice.backend = "flash";
      choice.against.push_back({"math", "flash can run it, and comes first"});
    } else {
      if (backend == at::SDPBackend::math) choice.backend = "math";
      choice.against.push_back({"flash", whyNotFlash(problem, question)});
    }
    choice.against.push_back({"efficient", kCudaOnly});
    choice.against.push_back({"cudnn", kCudaOnly});
    return choice;
  });
}

}  // namespace attnscope::engine
