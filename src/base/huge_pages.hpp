#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace adacvar {

/// Hints that the system should back [memory, memory + bytes) with huge pages.
void advise_huge_pages(void* memory, std::size_t bytes) noexcept;

/// Moves memory already in use to huge pages at once; its contents do not change.
void collapse_huge_pages(const void* memory, std::size_t bytes) noexcept;

/// Allocator for arrays with random access. With 4 KB pages nearly every access to an array of
/// hundreds of megabytes also misses the TLB; huge pages avoid that.
template <class T>
struct HugePageAllocator {
  using value_type = T;
  static constexpr std::size_t kLarge = std::size_t{2} << 20U;

  HugePageAllocator() = default;
  // Containers convert allocators implicitly.
  template <class U>
  HugePageAllocator(const HugePageAllocator<U>& /*other*/) noexcept {
  }  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / (2 * sizeof(T))) throw std::bad_array_new_length();
    const std::size_t bytes = count * sizeof(T);
    void* memory = ::operator new(bytes, alignment(bytes));
    if (bytes >= kLarge) advise_huge_pages(memory, bytes);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    ::operator delete(memory, alignment(count * sizeof(T)));
  }

  friend bool operator==(const HugePageAllocator&, const HugePageAllocator&) { return true; }

 private:
  static std::align_val_t alignment(std::size_t bytes) {
    return std::align_val_t{bytes >= kLarge ? kLarge : std::size_t{64}};
  }
};

template <class T>
using BigVector = std::vector<T, HugePageAllocator<T>>;

}  // namespace adacvar
