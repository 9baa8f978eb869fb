// SPDX-License-Identifier: Apache-2.0
#include "core/problem/Presets.h"

#include <array>

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

const std::array<Preset, 8>& table() {
  static const std::array<Preset, 8> presets = {{
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
       problemOf({1, 32, 8, 8192, 8192, 128}, DataType::kBFloat16, WindowMask{4096, CausalAlignment::kTopLeft})},
  }};
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
