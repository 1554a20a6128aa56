#pragma once

#include <adacvar/base/communicator.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace adacvar {

/// The exact sum of doubles: a fixed-point number that covers their whole range. Its value is
/// rounded once, so neither the order of the terms nor their distribution over ranks matters.
///
/// Limits: 2^62 terms on all ranks together. Cost: about 4 ns a term, 568 bytes a sum.
class ExactSum {
 public:
  void add(double term) noexcept;
  /// Adds the product of two doubles without rounding it, unless it underflows.
  void add_product(double a, double b) noexcept;
  void add(const ExactSum& other) noexcept;

  /// Returns the sum rounded to nearest, ties to even; infinite or NaN as the terms are, infinite
  /// when it is out of range.
  [[nodiscard]] double value() const noexcept;

  /// The state as integers that may be added to those of up to 2^30 other sums; call normalise
  /// before.
  void normalise() noexcept;
  [[nodiscard]] std::span<std::int64_t> state() noexcept { return state_; }

 private:
  // Digits of 32 bits: enough for the largest double, and 63 bits of carries.
  static constexpr std::size_t kDigits = 68;
  enum Special : std::size_t { kNan = kDigits, kPositive, kNegative, kSize };
  static constexpr std::uint32_t kMostTerms = std::uint32_t{1} << 30U;

  std::array<std::int64_t, kSize> state_{};  // digits, lowest first, then counts of special terms
  std::uint32_t terms_ = 0;                  // since the last normalise
};

/// Replaces the sums of each rank by those over all ranks.
void sum(Communicator& ranks, std::span<ExactSum> sums);

/// Returns the exact sum of the terms of this rank.
[[nodiscard]] ExactSum exact_sum(std::span<const double> terms) noexcept;

}  // namespace adacvar
