// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/NaiveFp32.h"

#include "core/engine/implementations/WrittenOut.h"

namespace attnscope::engine {
namespace {

class NaiveFp32 final : public Implementation {
 public:
  explicit NaiveFp32(const Problem& problem) : m_writtenOut(problem) {}

  at::Tensor call(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const override {
    const at::Tensor keys = repeatedHeads(key, query.size(1));
    const at::Tensor values = repeatedHeads(value, query.size(1));
    const at::Tensor query32 = converted(query, at::kFloat);
    const at::Tensor keys32 = converted(keys, at::kFloat);
    return m_writtenOut.attend(query32, keys32, values);
  }

 private:
  WrittenOut m_writtenOut;
};

}  // namespace

ImplementationEntry naiveFp32() {
  return {.id = "naive.fp32", .make = [](const Problem& problem) -> std::unique_ptr<Implementation> {
            return std::make_unique<NaiveFp32>(problem);
          }};
}

}  // namespace attnscope::engine
