// SPDX-License-Identifier: Apache-2.0
// Implementations that this version lists and cannot run, each with the reason.

#include <array>

#include "core/problem/CardTables.h"

namespace attnscope {
namespace {

constexpr std::string_view kNeedsCuda = "Needs CUDA; this version runs on the CPU only.";

Card planned(std::string_view id, std::string_view title, CardGroup group, std::string_view complexity,
             std::string_view reason, Exactness exactness = Exactness::kExact) {
  return {.id = id,
          .title = title,
          .group = group,
          .exactness = exactness,
          .complexity = complexity,
          .onCpu = reason != kNeedsCuda,
          .onCuda = reason == kNeedsCuda,
          .notBuilt = reason,
          .refusal = nullptr,
          .figures = nullptr};
}

}  // namespace

std::span<const Card> plannedCards() {
  using Group = CardGroup;
  static constexpr std::string_view kFused = "time N², memory N";
  static constexpr std::string_view kOneQuery = "time M, memory M";
  static const std::array<Card, 15> cards = {{
      planned("sdpa.efficient", "SDPA memory-efficient", Group::kFused, kFused, kNeedsCuda),
      planned("sdpa.cudnn", "SDPA cuDNN", Group::kFused, kFused, kNeedsCuda),
      planned("own.fused", "Fused, own kernel", Group::kFused, kFused,
              "Not built: this version has no kernels of its own."),
      planned("own.decode", "Decode, own kernel", Group::kDecode, kOneQuery,
              "Not built: this version has no kernels of its own."),
      planned("sparse.blocks", "Block-sparse", Group::kSparse, "time r N², memory N",
              "Not built: problems have no block-sparse mask in this version."),
      planned("chunked.plain", "Chunked", Group::kSparse, "time N C, memory N",
              "Not built: problems have no chunked mask in this version."),
      planned("lsh.reformer", "Reformer, hashed", Group::kApproximate, "time N log N, memory N",
              "Not built in this version.", Exactness::kApproximate),
      planned("mla.absorbed", "Latent attention, absorbed", Group::kShared, kFused,
              "Not built: problems have no latent size in this version."),
      planned("mla.plain", "Latent attention, expanded", Group::kShared, kFused,
              "Not built: problems have no latent size in this version."),
      planned("decode.cat", "Cache grown by cat", Group::kDecode, kOneQuery,
              "Not built: decoding step by step is not in this version."),
      planned("decode.preallocated", "Cache allocated once", Group::kDecode, kOneQuery,
              "Not built: decoding step by step is not in this version."),
      planned("decode.paged", "Paged cache", Group::kDecode, kOneQuery,
              "Not built: decoding step by step is not in this version."),
      planned("ring.threads", "Ring, by threads", Group::kDistributed, "time N² / hosts, memory N",
              "Not built in this version."),
      planned("byo.script", "Your TorchScript", Group::kYours, "unknown",
              "Not built: running your own code is not in this version."),
      planned("byo.package", "Your AOTInductor package", Group::kYours, "unknown",
              "Not built: running your own code is not in this version."),
  }};
  return cards;
}

}  // namespace attnscope
