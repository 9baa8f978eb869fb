// SPDX-License-Identifier: Apache-2.0
#include "core/problem/Presets.h"

#include <functional>
#include <vector>

namespace attnscope {
namespace {

struct Shape {
  std::int64_t batch = 1;
  std::int64_t heads = 1;
  std::int64_t keyValueHeads = 1;
  std::int64_t queries = 1;
  std::int64_t keys = 1;
  std::int64_t headSize = 64;
};

Problem problemOf(const Shape& shape, DataType dtype, Mask mask, Workload workload = Workload::kAttention) {
  Problem problem;
  problem.batch = shape.batch;
  problem.heads = shape.heads;
  problem.keyValueHeads = shape.keyValueHeads;
  problem.queryLength = shape.queries;
  problem.keyValueLength = shape.keys;
  problem.headSize = shape.headSize;
  problem.valueHeadSize = shape.headSize;
  problem.dtype = dtype;
  problem.mask = std::move(mask);
  problem.workload = workload;
  return problem;
}

Problem with(Problem problem, const std::function<void(Problem&)>& change) {
  change(problem);
  return problem;
}

const std::vector<Preset>& table() {
  constexpr CausalAlignment kTopLeft = CausalAlignment::kTopLeft;
  constexpr CausalAlignment kBottomRight = CausalAlignment::kBottomRight;
  static const std::vector<Preset> presets = {
      {"quick-look", "Quick look", "a shape that every CPU runs in a moment", Problem{}},
      {"gpt2-medium", "GPT-2 medium block", "openai-community/gpt2-medium, config.json: n_head 16, n_embd 1024",
       problemOf({1, 16, 16, 1024, 1024, 64}, DataType::kFloat32, CausalMask{}, Workload::kBlock)},
      {"bert-base", "BERT base", "google-bert/bert-base-uncased, config.json: 12 heads, hidden 768, length 512",
       problemOf({8, 12, 12, 512, 512, 64}, DataType::kFloat32, NoMask{})},
      {"vit-b-16", "ViT-B/16 at 224", "google/vit-base-patch16-224, config.json: 12 heads, 196 patches + 1",
       problemOf({8, 12, 12, 197, 197, 64}, DataType::kFloat32, NoMask{})},
      {"llama3-8b", "Llama 3 8B, prefill",
       "meta-llama/Meta-Llama-3-8B, config.json: 32 heads, 8 key/value heads, hidden 4096",
       problemOf({1, 32, 8, 2048, 2048, 128}, DataType::kBFloat16, CausalMask{})},
      {"llama3-8b-decode", "Llama 3 8B, decode",
       "meta-llama/Meta-Llama-3-8B, config.json: one query over a cache of 8192",
       problemOf({1, 32, 8, 1, 8192, 128}, DataType::kBFloat16, NoMask{})},
      {"qwen2.5-7b", "Qwen 2.5 7B, prefill", "Qwen/Qwen2.5-7B, config.json: 28 heads, 4 key/value heads, hidden 3584",
       problemOf({1, 28, 4, 2048, 2048, 128}, DataType::kBFloat16, CausalMask{})},
      {"mistral-7b", "Mistral 7B, window",
       "mistralai/Mistral-7B-v0.1, config.json: 32 heads, 8 key/value heads, sliding_window 4096",
       problemOf({1, 32, 8, 8192, 8192, 128}, DataType::kBFloat16, WindowMask{4096, kTopLeft})},
      {"gpt2", "GPT-2 block, training", "openai-community/gpt2, config.json: n_head 12, n_embd 768, attn_pdrop 0.1",
       with(problemOf({1, 12, 12, 1024, 1024, 64}, DataType::kFloat32, CausalMask{}, Workload::kBlock),
            [](Problem& problem) { problem.pass = Pass::kForwardBackward; })},
      {"llama3-8b-chunk", "Llama 3 8B, chunk of a prefill",
       "meta-llama/Meta-Llama-3-8B, config.json: 512 queries after 3584 that are in the cache",
       problemOf({1, 32, 8, 512, 4096, 128}, DataType::kBFloat16, CausalMask{kBottomRight})},
      {"llama3-8b-generate", "Llama 3 8B, 16 tokens",
       "meta-llama/Meta-Llama-3-8B, config.json: after 4080 in the cache",
       problemOf({1, 32, 8, 16, 4096, 128}, DataType::kBFloat16, CausalMask{kBottomRight})},
      {"llama2-7b", "Llama 2 7B, prefill", "meta-llama/Llama-2-7b-hf, config.json: 32 heads, hidden 4096, length 4096",
       problemOf({1, 32, 32, 4096, 4096, 128}, DataType::kBFloat16, CausalMask{})},
      {"llama3-70b-decode", "Llama 3 70B, decode",
       "meta-llama/Meta-Llama-3-70B, config.json: 64 heads, 8 key/value heads, hidden 8192",
       problemOf({1, 64, 8, 1, 8192, 128}, DataType::kBFloat16, NoMask{})},
      {"falcon-7b-decode", "Falcon 7B, decode",
       "tiiuae/falcon-7b, config.json: 71 heads, one key/value head, hidden 4544",
       problemOf({1, 71, 1, 1, 2048, 64}, DataType::kBFloat16, NoMask{})},
      {"bloom-7b1", "BLOOM 7B1, prefill", "bigscience/bloom-7b1, config.json: n_head 32, hidden_size 4096, ALiBi",
       with(problemOf({1, 32, 32, 2048, 2048, 128}, DataType::kBFloat16, CausalMask{}),
            [](Problem& problem) { problem.alibi = true; })},
      {"gemma2-9b", "Gemma 2 9B, window",
       "google/gemma-2-9b, config.json: 16 heads, 8 key/value heads, head_dim 256, attn_logit_softcapping 50, "
       "sliding_window 4096",
       with(problemOf({1, 16, 8, 8192, 8192, 256}, DataType::kBFloat16, WindowMask{4096, kTopLeft}),
            [](Problem& problem) { problem.softcap = 50; })},
      {"gpt-oss-20b", "gpt-oss 20B, window",
       "openai/gpt-oss-20b, config.json: 64 heads, 8 key/value heads, head_dim 64, sliding_window 128, sinks",
       with(problemOf({1, 64, 8, 4096, 4096, 64}, DataType::kBFloat16, WindowMask{128, kTopLeft}),
            [](Problem& problem) { problem.sink = true; })},
      {"deepseek-v2-lite-decode", "DeepSeek V2 Lite, decode",
       "deepseek-ai/DeepSeek-V2-Lite, config.json: 16 heads, kv_lora_rank 512, qk_nope_head_dim 128, "
       "qk_rope_head_dim 64, v_head_dim 128",
       with(problemOf({1, 16, 16, 1, 4096, 192}, DataType::kBFloat16, NoMask{}),
            [](Problem& problem) {
              problem.valueHeadSize = 128;
              problem.latentSize = 512;
              problem.ropeSize = 64;
            })},
  };
  return presets;
}

}  // namespace

std::span<const Preset> presets() { return table(); }

const Preset* findPreset(std::string_view id) {
  for (const Preset& preset : table()) {
    if (preset.id == id) return &preset;
  }
  return nullptr;
}

}  // namespace attnscope
