#include "base/huge_pages.hpp"

#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace adacvar {

void advise_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef __linux__
  // Failure only costs speed.
  (void)::madvise(memory, bytes, MADV_HUGEPAGE);
#endif
}

void collapse_huge_pages([[maybe_unused]] const void* memory,
                         [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef __linux__
  constexpr int kCollapse = 25;  // MADV_COLLAPSE since Linux 6.1; older headers lack it
  constexpr std::uintptr_t kPage = 4096;
  const std::uintptr_t begin =
      (reinterpret_cast<std::uintptr_t>(memory) + kPage - 1) / kPage * kPage;
  const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / kPage * kPage;
  if (end <= begin) return;
  (void)::madvise(reinterpret_cast<void*>(begin), end - begin, kCollapse);  // NOLINT
#endif
}

}  // namespace adacvar
