#include "base/portable_math.hpp"

#include "base/vector.hpp"

#include <cstring>

namespace adacvar::portable {

namespace {

ADACVAR_WIDE void sigmoid_range(double* values, std::size_t count) {
  std::size_t j = 0;
  for (; j + 4 <= count; j += 4) {
    Vec4 z;
    std::memcpy(&z, values + j, sizeof(z));
    z = -z;
    detail::exponentiate<Vec4, Vec4Bits>(z);
    z = 1.0 / (1.0 + z);
    std::memcpy(values + j, &z, sizeof(z));
  }
  for (; j < count; ++j) values[j] = sigmoid(values[j]);
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

double log(double x) noexcept {
  // x = 2^e * m with m in [sqrt(1/2), sqrt(2)); log m = 2 atanh((m - 1) / (m + 1)).
  constexpr std::uint64_t kSqrtHalf = 0x3fe6a09e667f3bcdU;
  constexpr double kLn2High = 0x1.62e42fefa38p-1;
  constexpr double kLn2Low = 0x1.ef35793c7673p-45;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto exponent = static_cast<std::int64_t>(bits - kSqrtHalf) >> 52;
  const auto m = std::bit_cast<double>(bits - (static_cast<std::uint64_t>(exponent) << 52U));
  const double s = (m - 1.0) / (m + 1.0);
  const double s2 = s * s;
  double series = 0.0;
  for (int odd = 21; odd >= 3; odd -= 2) series = s2 * (series + 1.0 / odd);
  const auto e = static_cast<double>(exponent);
  return e * kLn2High + (2.0 * s + (2.0 * s * series + e * kLn2Low));
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
  // In eighths of a turn the angle is octant + rest / denominator, all whole numbers.
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
