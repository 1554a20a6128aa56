#include "base/portable_math.hpp"

#include "base/vector.hpp"

#include <cstring>

namespace adacvar::portable {

namespace {

// Four values at a time; the remainder is padded and goes through the same arithmetic.
template <class Function>
[[gnu::always_inline]] inline void apply_in_fours(double* values, std::size_t count,
                                                  Function function) {
  Vec4 z;
  std::size_t j = 0;
  for (; j + 4 <= count; j += 4) {
    std::memcpy(&z, values + j, sizeof(z));
    function(z);
    std::memcpy(values + j, &z, sizeof(z));
  }
  if (j == count) return;
  z = Vec4{};
  std::memcpy(&z, values + j, (count - j) * sizeof(double));
  function(z);
  std::memcpy(values + j, &z, (count - j) * sizeof(double));
}

// Always inlined, like apply_in_fours, so that it uses the caller's instruction set.
struct Exponentiate {
  [[gnu::always_inline]] void operator()(Vec4& z) const { detail::exponentiate<Vec4, Vec4Bits>(z); }
};

struct Sigmoid {
  [[gnu::always_inline]] void operator()(Vec4& z) const {
    z = -z;
    detail::exponentiate<Vec4, Vec4Bits>(z);
    z = 1.0 / (1.0 + z);
  }
};

// log(1 + z) = 2 atanh(s) with s = z / (2 + z) <= 1/3: 16 terms of the series leave less than
// 2e-17. Even and odd terms are summed separately: two short dependency chains.
struct Log1p {
  [[gnu::always_inline]] void operator()(Vec4& z) const {
    const Vec4 s = z / (2.0 + z);
    const Vec4 s2 = s * s;
    const Vec4 s4 = s2 * s2;
    Vec4 even{};
    Vec4 odd{};
#pragma GCC unroll 8
    for (int n = 28; n >= 4; n -= 4) {
      even = s4 * (even + 1.0 / (n + 1));
      odd = s4 * (odd + 1.0 / (n + 3));
    }
    // The leading term is added last, so that the sum of the small terms keeps its precision.
    z = 2.0 * s + 2.0 * s * (even + s2 * (odd + 1.0 / 3));
  }
};

// Replaces x, a number or a vector of them, by log x. x = 2^e * m with m in [sqrt(1/2), sqrt(2));
// log m = 2 atanh((m - 1) / (m + 1)).
template <class Real, class Bits>
[[gnu::always_inline]] inline void take_log(Real& x) noexcept {
  constexpr std::uint64_t kSqrtHalf = 0x3fe6a09e667f3bcdU;
  constexpr std::uint64_t kBias = 1024;  // keeps exponents positive: vectors lack a signed shift
  constexpr double kRound = 0x1p52;      // its low bits hold an integer
  constexpr double kLn2High = 0x1.62e42fefa38p-1;
  constexpr double kLn2Low = 0x1.ef35793c7673p-45;
  const Bits bits = __builtin_bit_cast(Bits, x);
  const Bits exponent = (bits + ((kBias << 52U) - kSqrtHalf)) >> 52U;
  const Real m = __builtin_bit_cast(Real, bits - ((exponent - kBias) << 52U));
  const Real s = (m - 1.0) / (m + 1.0);
  const Real s2 = s * s;
  Real series{};
#pragma GCC unroll 10
  for (int odd = 21; odd >= 3; odd -= 2) series = s2 * (series + 1.0 / odd);
  const Bits shifted = exponent | std::bit_cast<std::uint64_t>(kRound);
  const Real e = __builtin_bit_cast(Real, shifted) - (kRound + static_cast<double>(kBias));
  x = e * kLn2High + (2.0 * s + (2.0 * s * series + e * kLn2Low));
}

struct Log {
  [[gnu::always_inline]] void operator()(Vec4& z) const { take_log<Vec4, Vec4Bits>(z); }
};

ADACVAR_WIDE void sigmoid_range(double* values, std::size_t count) {
  apply_in_fours(values, count, Sigmoid{});
}

ADACVAR_WIDE void exp_range(double* values, std::size_t count) {
  apply_in_fours(values, count, Exponentiate{});
}

ADACVAR_WIDE void log_range(double* values, std::size_t count) {
  apply_in_fours(values, count, Log{});
}

ADACVAR_WIDE void log1p_range(double* values, std::size_t count) {
  apply_in_fours(values, count, Log1p{});
}

// For |a| <= pi/4.
SinCos sin_cos_small(double a) noexcept {
  const double a2 = a * a;
  double sin_tail = 0.0;
  double cos_tail = 0.0;
  for (int n = 18; n >= 2; n -= 2) {
    sin_tail = -a2 / (n * (n + 1)) * (1.0 + sin_tail);
    cos_tail = -a2 / (n * (n - 1)) * (1.0 + cos_tail);
  }
  return {a + a * sin_tail, 1.0 + cos_tail};
}

}  // namespace

void sigmoid_in_place(std::span<double> values) noexcept {
  sigmoid_range(values.data(), values.size());
}

void exp_in_place(std::span<double> values) noexcept { exp_range(values.data(), values.size()); }

void log1p_in_place(std::span<double> values) noexcept {
  log1p_range(values.data(), values.size());
}

void log_in_place(std::span<double> values) noexcept { log_range(values.data(), values.size()); }

double log(double x) noexcept {
  take_log<double, std::uint64_t>(x);
  return x;
}

SinCos sin_cos(double angle) noexcept {
  constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
  constexpr double kHalfPiHigh = 0x1.921fb544p0;  // 33 bits: quarters * kHalfPiHigh is exact
  constexpr double kHalfPiLow = 0x1.0b4611a626331p-34;
  constexpr double kRound = 0x1.8p52;
  const double shifted = angle * kTwoOverPi + kRound;
  const double quarters = shifted - kRound;
  const auto [s, c] = sin_cos_small((angle - quarters * kHalfPiHigh) - quarters * kHalfPiLow);
  switch (std::bit_cast<std::uint64_t>(shifted) % 4) {
    case 0:
      return {s, c};
    case 1:
      return {c, -s};
    case 2:
      return {-s, -c};
    default:
      return {-c, s};
  }
}

SinCos sin_cos_turn(std::uint64_t numerator, std::uint64_t denominator) noexcept {
  constexpr double kTwoPi = 0x1.921fb54442d18p2;
  numerator %= denominator;
  // In eighths of a turn the angle is octant + rest / denominator, all integers.
  const std::uint64_t octant = 8 * numerator / denominator;
  const std::uint64_t rest = 8 * numerator % denominator;
  const bool mirrored = octant % 2 == 1;
  const double part = static_cast<double>(mirrored ? denominator - rest : rest) /
                      (8.0 * static_cast<double>(denominator));
  const auto [s, c] = sin_cos_small(kTwoPi * part);
  switch (octant) {
    case 0:
      return {s, c};
    case 1:
      return {c, s};
    case 2:
      return {c, -s};
    case 3:
      return {s, -c};
    case 4:
      return {-s, -c};
    case 5:
      return {-c, -s};
    case 6:
      return {-c, s};
    default:
      return {-s, c};
  }
}

}  // namespace adacvar::portable
