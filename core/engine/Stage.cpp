// SPDX-License-Identifier: Apache-2.0
#include "core/engine/Stage.h"

#include <ATen/record_function.h>

#include <string>
#include <utility>

namespace attnscope::engine {

Stage::Stage(std::string_view name) {
  auto callbacks = at::getStepCallbacksUnlessEmpty(at::RecordScope::USER_SCOPE);
  if (!callbacks) return;
  m_record = std::make_unique<at::RecordFunction>(std::move(*callbacks));
  at::detail::record_function_with_scope(*m_record, std::string(name), c10::ArrayRef<const c10::IValue>{});
}

Stage::~Stage() = default;

}  // namespace attnscope::engine
