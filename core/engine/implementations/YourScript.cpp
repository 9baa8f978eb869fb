// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/YourScript.h"

#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/engine/Failure.h"
#include "core/engine/Inputs.h"
#include "core/engine/Masks.h"

namespace torch::jit {
// Declared in torch/jit.h, which brings the whole of torch's C++ frontend.
TORCH_API std::shared_ptr<CompilationUnit> compile(const std::string& source);
}  // namespace torch::jit

namespace attnscope::engine {
namespace {

constexpr std::size_t kFewestArguments = 3;
constexpr std::size_t kMostArguments = 5;

// What is called: a function of a source, or a method of a module; `owner` keeps it alive.
struct Callee {
  std::shared_ptr<torch::jit::CompilationUnit> unit;
  std::optional<torch::jit::Module> module;
  torch::jit::Function* function = nullptr;
};

Callee compiled(const std::string& source) {
  Callee callee;
  callee.unit = torch::jit::compile(source);
  callee.function = callee.unit->find_function(c10::QualifiedName("attention"));
  if (callee.function == nullptr) throw UserCodeError("the source defines no function `attention`");
  return callee;
}

Callee loaded(const std::string& file) {
  Callee callee;
  callee.module = torch::jit::load(file, at::kCPU);
  callee.module->eval();
  for (const char* name : {"attention", "forward"}) {
    if (const auto method = callee.module->find_method(name)) {
      callee.function = &method->function();
      return callee;
    }
  }
  throw UserCodeError(file + " has no method `attention` or `forward`");
}

class YourScript final : public Implementation {
 public:
  YourScript(const Problem& problem, Callee callee) : m_callee(std::move(callee)), m_scale(problem.effectiveScale()) {
    const std::size_t self = m_callee.module ? 1 : 0;
    const std::size_t all = m_callee.function->getSchema().arguments().size();
    m_arguments = all - self;
    if (m_arguments < kFewestArguments || m_arguments > kMostArguments) {
      throw UserCodeError("`attention` takes " + std::to_string(m_arguments) +
                          " arguments: give it q, k, v, and after them mask and scale where it needs them");
    }
    if (m_arguments > kFewestArguments && (isMasked(problem) || hasBias(problem))) {
      m_mask = additiveMask(problem, scalarTypeOf(problem.dtype));
    }
  }

  at::Tensor call(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const override {
    std::vector<c10::IValue> stack;
    if (m_callee.module) stack.emplace_back(m_callee.module->_ivalue());
    stack.emplace_back(query);
    stack.emplace_back(key);
    stack.emplace_back(value);
    if (m_arguments > kFewestArguments) stack.emplace_back(m_mask ? c10::IValue(*m_mask) : c10::IValue());
    if (m_arguments == kMostArguments) stack.emplace_back(m_scale);
    const c10::IValue output = (*m_callee.function)(std::move(stack));
    if (!output.isTensor()) throw UserCodeError("`attention` returned no tensor");
    return output.toTensor();
  }

 private:
  Callee m_callee;
  double m_scale;
  std::size_t m_arguments = 0;
  std::optional<at::Tensor> m_mask;
};

// LibTorch throws what a compiler says over several lines, with a mark under the place.
std::unique_ptr<Implementation> made(const UserCode& code, const Problem& problem) {
  try {
    return std::make_unique<YourScript>(problem,
                                        code.scriptFile.empty() ? compiled(code.script) : loaded(code.scriptFile));
  } catch (const UserCodeError&) {
    throw;
  } catch (const std::exception& exception) {
    throw UserCodeError(exception.what());
  }
}

}  // namespace

ImplementationEntry yourScript(const UserCode& code) {
  ImplementationEntry entry;
  entry.id = "byo.script";
  entry.make = [code](const Problem& problem) { return made(code, problem); };
  entry.refusal = [code](const Problem&) -> std::optional<std::string> {
    if (code.script.empty() && code.scriptFile.empty()) {
      return "Needs your code: a TorchScript source or module. Use --script FILE.";
    }
    if (!code.allowed) return "Your code runs with your rights, and only after your yes. Use --allow-code.";
    return std::nullopt;
  };
  return entry;
}

}  // namespace attnscope::engine
