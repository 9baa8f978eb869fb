// SPDX-License-Identifier: Apache-2.0
#pragma once

// Interned byte strings. Each distinct text is stored once and has a dense id in order of first use.
// intern() is for one thread; a const pool may be read by any number of threads. Views stay valid
// for the life of the pool. Amortised O(length) per intern, O(1) per view.

#include <memory>
#include <string_view>
#include <vector>

#include "core/base/Ids.h"

namespace attnscope {

class StringPool {
 public:
  StringPool() = default;
  StringPool(StringPool&&) noexcept = default;
  StringPool& operator=(StringPool&&) noexcept = default;
  explicit StringPool(const StringPool& other);  // the same ids; O(bytes)
  StringPool& operator=(const StringPool&) = delete;
  ~StringPool() = default;

  StringId intern(std::string_view text);
  // kNoString when the text was never interned.
  [[nodiscard]] StringId find(std::string_view text) const;
  // Empty for kNoString.
  [[nodiscard]] std::string_view view(StringId id) const {
    return id == kNoString ? std::string_view{} : m_views[index(id)];
  }
  [[nodiscard]] std::size_t size() const { return m_views.size(); }

 private:
  [[nodiscard]] std::string_view store(std::string_view text);
  void grow();

  std::vector<std::string_view> m_views;
  std::vector<std::uint32_t> m_slots;  // open addressing: id + 1, 0 is free; the size is a power of two
  std::vector<std::unique_ptr<char[]>> m_blocks;
  std::size_t m_blockUsed = 0;
  std::size_t m_blockSize = 0;
};

}  // namespace attnscope
