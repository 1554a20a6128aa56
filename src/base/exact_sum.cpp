#include "base/exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace adacvar {

namespace {

constexpr unsigned kDigitBits = 32;
constexpr std::int64_t kDigitMask = 0xffff'ffff;
constexpr int kLeastExponent = -1074;  // of the lowest bit of the lowest digit

}  // namespace

void ExactSum::add(double term) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(term);
  const std::uint64_t exponent = (bits >> 52U) & 0x7ffU;
  std::uint64_t mantissa = bits & 0x000f'ffff'ffff'ffffU;
  if (exponent == 0x7ffU) {
    ++state_.at(std::isnan(term) ? kNan : term > 0 ? kPositive : kNegative);
    return;
  }
  if (exponent > 0) mantissa |= std::uint64_t{1} << 52U;
  const std::uint64_t place = exponent > 0 ? exponent - 1 : 0;
  const std::uint64_t shift = place % kDigitBits;
  const std::uint64_t low = mantissa << shift;
  const std::uint64_t high = shift > 0 ? mantissa >> (64 - shift) : 0;
  std::int64_t* const digit = state_.data() + place / kDigitBits;
  const std::int64_t sign = (bits >> 63U) != 0 ? -1 : 1;
  digit[0] += sign * static_cast<std::int64_t>(low & 0xffff'ffffU);
  digit[1] += sign * static_cast<std::int64_t>(low >> kDigitBits);
  digit[2] += sign * static_cast<std::int64_t>(high);
  if (++terms_ >= kMostTerms) normalise();
}

void ExactSum::add_product(double a, double b) noexcept {
  const double product = a * b;
  add(product);
  if (std::isfinite(product)) add(std::fma(a, b, -product));
}

void ExactSum::add(const ExactSum& other) noexcept {
  ExactSum more = other;
  more.normalise();
  normalise();
  for (std::size_t i = 0; i < kSize; ++i) state_[i] += more.state_[i];
  normalise();
}

// Digits become 0 .. 2^32 - 1, but the highest, which has the sign.
void ExactSum::normalise() noexcept {
  std::int64_t carry = 0;
  for (std::size_t i = 0; i + 1 < kDigits; ++i) {
    const std::int64_t digit = state_[i] + carry;
    state_[i] = digit & kDigitMask;
    carry = digit >> kDigitBits;
  }
  state_[kDigits - 1] += carry;
  terms_ = 0;
}

double ExactSum::value() const noexcept {
  if (state_[kNan] > 0 || (state_[kPositive] > 0 && state_[kNegative] > 0)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (state_[kPositive] > 0) return std::numeric_limits<double>::infinity();
  if (state_[kNegative] > 0) return -std::numeric_limits<double>::infinity();

  ExactSum sum = *this;
  sum.normalise();
  const bool is_negative = sum.state_[kDigits - 1] < 0;
  if (is_negative) {
    for (std::size_t i = 0; i < kDigits; ++i) sum.state_[i] = -sum.state_[i];
    sum.normalise();
  }
  std::size_t top = kDigits;
  while (top > 0 && sum.state_[top - 1] == 0) --top;
  if (top == 0) return 0;

  // The 64 leading bits; the last of them is set if any bit below is, so that the conversion to
  // double rounds as the whole number would. Below the normal doubles all bits fit: no rounding.
  const auto digit = [&](std::size_t below) {
    return top > below ? static_cast<std::uint64_t>(sum.state_[top - 1 - below]) : 0;
  };
  const auto unused = static_cast<unsigned>(std::countl_zero(digit(0))) - kDigitBits;
  std::uint64_t lead = (digit(0) << kDigitBits | digit(1)) << unused;
  const std::uint64_t next = digit(2) << unused;
  lead |= next >> kDigitBits;
  bool has_more = (next & 0xffff'ffffU) != 0;
  for (std::size_t below = 3; below < top && !has_more; ++below) has_more = digit(below) != 0;
  if (has_more) lead |= 1U;
  const int exponent = static_cast<int>(kDigitBits * top) - 64 - static_cast<int>(unused);
  const double rounded = std::ldexp(static_cast<double>(lead), exponent + kLeastExponent);
  return is_negative ? -rounded : rounded;
}

void sum(Communicator& ranks, std::span<ExactSum> sums) {
  if (ranks.size() == 1) return;
  std::vector<std::int64_t> all;
  for (ExactSum& one : sums) {
    one.normalise();
    all.insert(all.end(), one.state().begin(), one.state().end());
  }
  ranks.sum(std::span(all));
  auto place = all.begin();
  for (ExactSum& one : sums) {
    std::ranges::copy_n(place, static_cast<std::ptrdiff_t>(one.state().size()),
                        one.state().begin());
    place += static_cast<std::ptrdiff_t>(one.state().size());
    one.normalise();
  }
}

ExactSum exact_sum(std::span<const double> terms) noexcept {
  ExactSum result;
  for (const double term : terms) result.add(term);
  return result;
}

}  // namespace adacvar
