// SPDX-License-Identifier: Apache-2.0
#include "core/engine/implementations/NaivePlain.h"

#include "core/engine/implementations/WrittenOut.h"

namespace attnscope::engine {
namespace {

class NaivePlain final : public Implementation {
 public:
  explicit NaivePlain(const Problem& problem) : m_writtenOut(problem) {}

  at::Tensor call(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const override {
    const at::Tensor keys = repeatedHeads(key, query.size(1));
    const at::Tensor values = repeatedHeads(value, query.size(1));
    return m_writtenOut.attend(query, keys, values);
  }

 private:
  WrittenOut m_writtenOut;
};

}  // namespace

ImplementationEntry naivePlain() {
  return {.id = "naive.plain", .make = [](const Problem& problem) -> std::unique_ptr<Implementation> {
            return std::make_unique<NaivePlain>(problem);
          }};
}

}  // namespace attnscope::engine
