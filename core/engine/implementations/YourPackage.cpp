// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/YourPackage.h"

#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/engine/Failure.h"

namespace attnscope::engine {
namespace {

using torch::inductor::AOTIModelPackageLoader;

class YourPackage final : public Implementation {
 public:
  explicit YourPackage(const std::string& file)
      : m_loader(std::make_unique<AOTIModelPackageLoader>(file, "model", /*run_single_threaded=*/true)) {
    const auto metadata = m_loader->get_metadata();
    const auto device = metadata.find("AOTI_DEVICE_KEY");
    if (device != metadata.end() && device->second != "cpu") {
      throw UserCodeError("the package was compiled for " + device->second + ": compile it for the CPU");
    }
  }

  at::Tensor call(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const override {
    const std::vector<at::Tensor> outputs = m_loader->run({query, key, value});
    if (outputs.empty()) throw UserCodeError("the package returned nothing");
    return outputs.front();
  }

 private:
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
