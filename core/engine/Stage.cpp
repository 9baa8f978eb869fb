// SPDX-License-Identifier: Apache-2.0
#include "core/engine/Stage.h"

#include <ATen/record_function.h>

#include <utility>

namespace attnscope::engine {

Stage::Stage(std::string name) : m_record(std::make_unique<at::RecordFunction>(at::RecordScope::USER_SCOPE)) {
  if (!m_record->isActive()) return;
  at::detail::record_function_with_scope(*m_record, std::move(name), c10::ArrayRef<const c10::IValue>{});
}

Stage::~Stage() = default;

}  // namespace attnscope::engine
