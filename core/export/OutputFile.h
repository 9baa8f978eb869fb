// SPDX-License-Identifier: Apache-2.0
#pragma once

// A file that appears under its name only when it is whole; plain, or gzip packed on the way.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/Result.h"

namespace attnscope {

class OutputFile {
 public:
  [[nodiscard]] static Result<std::unique_ptr<OutputFile>> create(const std::string& path, bool gzip);
  virtual ~OutputFile() = default;
  [[nodiscard]] virtual Result<void> write(std::string_view text) = 0;
  // Finishes the file and gives it its name. Without it nothing is left behind.
  [[nodiscard]] virtual Result<void> commit() = 0;
};

}  // namespace attnscope
