#include "base/huge_pages.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace adacvar {

void advise_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef __linux__
  // A refusal costs speed only.
  (void)::madvise(memory, bytes, MADV_HUGEPAGE);
#endif
}

}  // namespace adacvar
