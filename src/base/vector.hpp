#pragma once

#include <cstdint>

/// Four doubles at once, in plain operators. The compiler maps them to whatever the processor has;
/// each lane rounds as a scalar would, so the width does not change a result.
namespace adacvar {

using Vec4 = double __attribute__((vector_size(32), may_alias));

using Vec4Bits = std::uint64_t __attribute__((vector_size(32), may_alias));

[[nodiscard]] inline double sum_lanes(const Vec4& v) noexcept {
  return (v[0] + v[1]) + (v[2] + v[3]);
}

}  // namespace adacvar

/// On x86-64 with glibc a function so marked is compiled twice, the better version chosen when the
/// program starts. Sanitizers run before that choice can be made, so they get the plain one.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ADACVAR_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define ADACVAR_WIDE
#endif
