// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tile sizes that are fastest on this CPU, found once by a short measurement (a third of a second) and kept in a
// JSON file that may be looked at and deleted: { "CPU's name": { "avx2": { "key_block": 256, "row_chunk": 384 } } }.
// Without the file, and where it cannot be written or read, the kernels work with what is measured or with the
// defaults. Any thread; two processes that search at once both write a whole file, and the last one stays.

#include <filesystem>

#include "core/engine/kernels/Isa.h"
#include "core/engine/kernels/KernelTable.h"

namespace attnscope::kernels {

// attnscope/kernel-tiles.json in $XDG_CACHE_HOME, else in ~/.cache; empty where there is neither.
[[nodiscard]] std::filesystem::path tileFile();
// From the file; where it says nothing of this CPU and instruction set, measured and written.
[[nodiscard]] TileSizes tileSizesFrom(const std::filesystem::path& file, Isa isa);
// Of tileFile().
[[nodiscard]] TileSizes tileSizesHere(Isa isa);
[[nodiscard]] TileSizes measuredTileSizes(Isa isa);

// The largest that a search takes, and that a file may name. A block's weighted values are added in one chain: of 512
// keys it rounds a fifth more than LibTorch's product, of 256 as much.
inline constexpr TileSizes kLargestTiles{.keyBlock = 256, .rowChunk = 768};

}  // namespace attnscope::kernels
