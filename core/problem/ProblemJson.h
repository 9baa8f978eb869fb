// SPDX-License-Identifier: Apache-2.0
#pragma once

// A problem as JSON: in plans, in sessions, in answers. Keys: batch, heads, kv_heads, seq, kv_seq, head_dim,
// value_head_dim, dtype, mask {kind, alignment, width, length, lengths, inside, path}, scale (null: 1 /
// sqrt(head_dim)), softcap, sink, alibi, dropout, latent, rope, pass, workload, layout, seed.

#include <nlohmann/json_fwd.hpp>

#include "core/base/Result.h"
#include "core/problem/Problem.h"

namespace attnscope {

[[nodiscard]] nlohmann::ordered_json toJson(const Problem& problem);
// A key that is missing has its default; a value of the wrong kind is an error (kInput). Not validated.
[[nodiscard]] Result<Problem> problemFromJson(const nlohmann::ordered_json& json);

}  // namespace attnscope
