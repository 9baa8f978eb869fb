// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/YourPackage.h"

#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/engine/Failure.h"

namespace attnscope::engine {
namespace {

using torch::inductor::AOTIModelPackageLoader;

// What compiled code says of its failures goes to std::cerr; the exception that follows names LibTorch's line alone.
class HeardErrors {
 public:
  HeardErrors() : m_before(std::cerr.rdbuf(m_text.rdbuf())) {}
  ~HeardErrors() { std::cerr.rdbuf(m_before); }
  HeardErrors(const HeardErrors&) = delete;
  HeardErrors& operator=(const HeardErrors&) = delete;

  [[nodiscard]] std::string firstLine() const {
    const std::string text = m_text.str();
    return text.substr(0, text.find('\n'));
  }

 private:
  std::ostringstream m_text;
  std::streambuf* m_before;
};

class YourPackage final : public Implementation {
 public:
  explicit YourPackage(const std::string& file) {
    // Compiled code reads what it was compiled for, and beyond smaller tensors. Asked so, it looks at their types and
    // sizes first; the answer is kept from its first call on.
    setenv("AOTI_RUNTIME_CHECK_INPUTS", "1", /*replace=*/0);
    m_loader = std::make_unique<AOTIModelPackageLoader>(file, "model", /*run_single_threaded=*/true);
    const auto metadata = m_loader->get_metadata();
    const auto device = metadata.find("AOTI_DEVICE_KEY");
    if (device != metadata.end() && device->second != "cpu") {
      throw UserCodeError("the package was compiled for " + device->second + ": compile it for the CPU");
    }
  }

  at::Tensor call(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const override {
    const std::vector<at::Tensor> outputs = outputsOf({query, key, value});
    if (outputs.empty()) throw UserCodeError("the package returned nothing");
    return outputs.front();
  }

 private:
  std::vector<at::Tensor> outputsOf(const std::vector<at::Tensor>& inputs) const {
    const HeardErrors errors;
    try {
      return m_loader->run(inputs);
    } catch (const std::exception& exception) {
      const std::string said = errors.firstLine();
      throw UserCodeError("the package failed: " + (said.empty() ? firstLine(exception) : said) +
                          ". Compile it for this shape and type, or with dynamic sizes");
    }
  }

  std::unique_ptr<AOTIModelPackageLoader> m_loader;
};

std::unique_ptr<Implementation> made(const std::string& file) {
  try {
    return std::make_unique<YourPackage>(file);
  } catch (const UserCodeError&) {
    throw;
  } catch (const std::exception& exception) {
    throw UserCodeError(file + " cannot be used: " + firstLine(exception));
  }
}

}  // namespace

ImplementationEntry yourPackage(const UserCode& code) {
  ImplementationEntry entry;
  entry.id = "byo.package";
  entry.make = [code](const Problem&) { return made(code.packageFile); };
  entry.refusal = [code](const Problem&) -> std::optional<std::string> {
    if (code.packageFile.empty()) return "Needs your package of AOTInductor (.pt2). Use --package FILE.";
    if (!code.allowed) return "Your code runs with your rights, and only after your yes. Use --allow-code.";
    return std::nullopt;
  };
  return entry;
}

}  // namespace attnscope::engine
