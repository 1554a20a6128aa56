#pragma once

#include <cstdint>

/// Four doubles with the usual operators. The compiler maps them to the registers of the target;
/// each lane rounds as a scalar does, so the register width does not change results.
namespace adacvar {

using Vec4 = double __attribute__((vector_size(32), may_alias));

/// Two doubles fit a register of the x86-64 baseline: comparisons of Vec4 are taken apart there.
using Vec2 = double __attribute__((vector_size(16), may_alias));

using Vec4Bits = std::uint64_t __attribute__((vector_size(32), may_alias));

[[nodiscard]] inline double sum_lanes(const Vec4& v) noexcept {
  return (v[0] + v[1]) + (v[2] + v[3]);
}

}  // namespace adacvar

/// On x86-64 with glibc a function marked so is compiled for AVX2 and for the baseline; the dynamic
/// linker picks one. Sanitizers start before that is possible, so their builds have the baseline.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ADACVAR_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define ADACVAR_WIDE
#endif
