// SPDX-License-Identifier: Apache-2.0
#include "core/import/MappingGuard.h"

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <utility>

namespace attnscope {

namespace {

constexpr std::uintptr_t kPage = 4096;

struct Slot {
  std::atomic<bool> taken{false};
  std::atomic<std::uintptr_t> begin{0};  // 0: nothing to guard
  std::atomic<std::uintptr_t> end{0};
  std::atomic<bool> broken{false};
};
static_assert(std::atomic<std::uintptr_t>::is_always_lock_free, "read inside a signal handler");

std::array<Slot, 64> slots;
struct sigaction before;

// Atomics and mmap() alone: a signal handler.
void onBusError(int /*signal*/, siginfo_t* information, void* /*context*/) {
  const auto address = reinterpret_cast<std::uintptr_t>(information->si_addr);
  for (Slot& slot : slots) {
    const std::uintptr_t begin = slot.begin.load();
    const std::uintptr_t end = slot.end.load();
    if (begin == 0 || address < begin || address >= end) continue;
    const int error = errno;
    void* const page = reinterpret_cast<void*>(address / kPage * kPage);  // NOLINT(performance-no-int-to-ptr)
    void* const zeros = ::mmap(page, end - address / kPage * kPage, PROT_READ,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    errno = error;
    if (zeros == MAP_FAILED) break;
    slot.broken.store(true);
    return;
  }
  ::sigaction(SIGBUS, &before, nullptr);  // the access is made again, and ends as it would have
}

void install() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action {};
    action.sa_sigaction = onBusError;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &before);
  });
}

}  // namespace

MappingGuard::MappingGuard(char* data, std::uint64_t bytes) {
  install();
  for (int i = 0; i < static_cast<int>(slots.size()); ++i) {
    Slot& slot = slots[static_cast<std::size_t>(i)];
    if (slot.taken.exchange(true)) continue;
    slot.broken.store(false);
    slot.end.store(reinterpret_cast<std::uintptr_t>(data) + bytes);
    slot.begin.store(reinterpret_cast<std::uintptr_t>(data));
    m_slot = i;
    return;
  }
}

MappingGuard::MappingGuard(MappingGuard&& other) noexcept : m_slot(std::exchange(other.m_slot, -1)) {}

MappingGuard& MappingGuard::operator=(MappingGuard&& other) noexcept {
  std::swap(m_slot, other.m_slot);
  return *this;
}

MappingGuard::~MappingGuard() {
  if (m_slot < 0) return;
  Slot& slot = slots[static_cast<std::size_t>(m_slot)];
  slot.begin.store(0);
  slot.taken.store(false);
}

bool MappingGuard::broken() const { return m_slot >= 0 && slots[static_cast<std::size_t>(m_slot)].broken.load(); }

}  // namespace attnscope
