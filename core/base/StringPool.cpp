// SPDX-License-Identifier: Apache-2.0
#include "core/base/StringPool.h"

#include <cstring>
#include <functional>

namespace attnscope {

namespace {
constexpr std::size_t kBlockBytes = 64 * 1024;
constexpr std::size_t kFirstSlots = 64;

std::size_t hashOf(std::string_view text) { return std::hash<std::string_view>{}(text); }
}  // namespace

StringPool::StringPool(const StringPool& other) {
  m_views.reserve(other.m_views.size());
  for (const std::string_view text : other.m_views) m_views.push_back(store(text));
  m_slots = other.m_slots;
}

std::string_view StringPool::store(std::string_view text) {
  if (text.empty()) return "";
  if (m_blockUsed + text.size() > m_blockSize) {
    m_blockSize = text.size() > kBlockBytes ? text.size() : kBlockBytes;
    m_blocks.push_back(std::make_unique<char[]>(m_blockSize));
    m_blockUsed = 0;
  }
  char* place = m_blocks.back().get() + m_blockUsed;
  std::memcpy(place, text.data(), text.size());
  m_blockUsed += text.size();
  return {place, text.size()};
}

void StringPool::grow() {
  const std::size_t slots = m_slots.empty() ? kFirstSlots : m_slots.size() * 2;
  m_slots.assign(slots, 0);
  for (std::size_t i = 0; i < m_views.size(); ++i) {
    std::size_t slot = hashOf(m_views[i]) & (slots - 1);
    while (m_slots[slot] != 0) slot = (slot + 1) & (slots - 1);
    m_slots[slot] = static_cast<std::uint32_t>(i + 1);
  }
}

StringId StringPool::find(std::string_view text) const {
  if (m_slots.empty()) return kNoString;
  std::size_t slot = hashOf(text) & (m_slots.size() - 1);
  while (m_slots[slot] != 0) {
    if (m_views[m_slots[slot] - 1] == text) return StringId{m_slots[slot] - 1};
    slot = (slot + 1) & (m_slots.size() - 1);
  }
  return kNoString;
}

StringId StringPool::intern(std::string_view text) {
  if ((m_views.size() + 1) * 2 > m_slots.size()) grow();
  std::size_t slot = hashOf(text) & (m_slots.size() - 1);
  while (m_slots[slot] != 0) {
    if (m_views[m_slots[slot] - 1] == text) return StringId{m_slots[slot] - 1};
    slot = (slot + 1) & (m_slots.size() - 1);
  }
  m_views.push_back(store(text));
  m_slots[slot] = static_cast<std::uint32_t>(m_views.size());
  return StringId{static_cast<std::uint32_t>(m_views.size() - 1)};
}

}  // namespace attnscope
