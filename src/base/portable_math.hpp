#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <span>

/// Functions that give the same bits on every platform.
///
/// A draw compares a random number with a probability. If the last bit of exp depended on the C
/// library or the processor, the same seed could give different runs on different machines. These
/// functions use only operations that IEEE 754 rounds exactly (+ - * / and bit patterns), and the
/// library is built without fused multiply-add. Loops over them vectorise: no branches, no tables.
///
/// Error: below 2 units in the last place for exp, 4 for sigmoid, log and log1p; sin and cos below
/// 1e-15 absolute. exp, sigmoid and log1p propagate NaN; the others require arguments that are not
/// NaN.
namespace adacvar::portable {

namespace detail {

// Replaces x by e^x; x is a number or a vector, `Bits` the unsigned integers of the same shape.
// Always inlined, so that it uses the caller's instruction set.
template <class Real, class Bits>
[[gnu::always_inline]] inline void exponentiate(Real& x) noexcept {
  constexpr double kLog2E = 0x1.71547652b82fep0;
  constexpr double kLn2High = 0x1.62e42fefa38p-1;  // 42 bits: n * kLn2High is exact
  constexpr double kLn2Low = 0x1.ef35793c7673p-45;
  constexpr double kRound = 0x1.8p52;  // adding it rounds to the nearest integer, in the low bits
  constexpr std::uint64_t kBias = 1023U - std::bit_cast<std::uint64_t>(kRound);

  const Real zero{};
  Real clamped = x < -709.0 ? zero - 709.0 : x;
  clamped = clamped > 709.0 ? zero + 709.0 : clamped;
  const Real shifted = clamped * kLog2E + kRound;
  const Real n = shifted - kRound;
  const Real r = (clamped - n * kLn2High) - n * kLn2Low;

  // Taylor to degree 13 on |r| <= ln(2)/2, by Estrin's scheme: short dependency chains.
  const Real r2 = r * r;
  const Real r4 = r2 * r2;
  const Real p01 = 1.0 + r;
  const Real p23 = 1.0 / 2 + r * (1.0 / 6);
  const Real p45 = 1.0 / 24 + r * (1.0 / 120);
  const Real p67 = 1.0 / 720 + r * (1.0 / 5040);
  const Real p89 = 1.0 / 40320 + r * (1.0 / 362880);
  const Real pab = 1.0 / 3628800 + r * (1.0 / 39916800);
  const Real pcd = 1.0 / 479001600 + r * (1.0 / 6227020800);
  const Real high = ((p89 + r2 * pab) + r4 * pcd) * (r4 * r4);
  const Real value = (p01 + r2 * p23) + (r4 * (p45 + r2 * p67) + high);

  // The builtin, since the ABI for passing vectors to functions depends on the instruction set.
  const Bits exponent = (__builtin_bit_cast(Bits, shifted) + kBias) << 52U;
  const Real scaled = value * __builtin_bit_cast(Real, exponent);
  const Real infinite = zero + std::numeric_limits<double>::infinity();
  x = x < -708.0 ? zero : (x > 709.0 ? infinite : scaled);
}

}  // namespace detail

/// e^x; 0 below -708 (no subnormal results) and infinity above 709.
[[nodiscard]] inline double exp(double x) noexcept {
  detail::exponentiate<double, std::uint64_t>(x);
  return x;
}

/// 1 / (1 + e^-z).
[[nodiscard]] inline double sigmoid(double z) noexcept { return 1.0 / (1.0 + exp(-z)); }

/// values[j] = sigmoid(values[j]), the same bits, several at a time.
void sigmoid_in_place(std::span<double> values) noexcept;

/// values[j] = e^values[j], the same bits as `exp`, several at a time.
void exp_in_place(std::span<double> values) noexcept;

/// values[j] = log(1 + values[j]) for values in [0, 1], several at a time.
void log1p_in_place(std::span<double> values) noexcept;

/// Natural logarithm of a positive, finite, normal number.
[[nodiscard]] double log(double x) noexcept;

/// values[j] = log(values[j]), the same bits, several at a time.
void log_in_place(std::span<double> values) noexcept;

struct SinCos {
  double sin;
  double cos;
};

/// Sine and cosine of an angle in radians, |angle| below 1e5.
[[nodiscard]] SinCos sin_cos(double angle) noexcept;

/// Sine and cosine of 2 pi numerator / denominator, denominator below 2^60; exact reduction to the
/// first octant.
[[nodiscard]] SinCos sin_cos_turn(std::uint64_t numerator, std::uint64_t denominator) noexcept;

}  // namespace adacvar::portable
