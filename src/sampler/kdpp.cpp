#include <adacvar/sampler/kdpp.hpp>

#include <adacvar/base/error.hpp>

#include "base/portable_math.hpp"
#include "base/printable.hpp"
#include "base/vector.hpp"
#include "sampler/fourier_marginals.hpp"
#include "sampler/kdpp_support.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace adacvar {

namespace {

// sum sigma(z) - k, as (light items' sum) - (heavy items' missing part) + (number of heavy items -
// k): each part keeps its relative accuracy near 0.
struct Balance {
  double light = 0.0;       // sum of sigma(z) over z <= 0
  double heavy = 0.0;       // sum of 1 - sigma(z) over z > 0
  double count = 0.0;       // number of z > 0
  double derivative = 0.0;  // sum of sigma(z) (1 - sigma(z))

  [[nodiscard]] double gap(double k) const { return (light - heavy) + (count - k); }
};

ADACVAR_WIDE void sum_block(const double* x, std::size_t count, double tilt, Balance* balance) {
  Vec4 light{}, heavy{}, derivative{}, above{};
  const Vec4 zero{};
  for (std::size_t i = 0; i < count; i += 4) {
    const Vec4 z = Vec4{x[i], x[i + 1], x[i + 2], x[i + 3]} + tilt;
    Vec4 w = z > 0.0 ? -z : z;
    portable::detail::exponentiate<Vec4, Vec4Bits>(w);
    const Vec4 rest = 1.0 / (1.0 + w);
    const Vec4 small = w * rest;
    light += z > 0.0 ? zero : small;
    heavy += z > 0.0 ? small : zero;
    above += z > 0.0 ? zero + 1.0 : zero;
    derivative += small * rest;
  }
  balance->light += sum_lanes(light);
  balance->heavy += sum_lanes(heavy);
  balance->count += sum_lanes(above);
  balance->derivative += sum_lanes(derivative);
}

// `x` is padded to a multiple of 4 by values that count as 0.
Balance balance_at(std::span<const double> x, double tilt) {
  constexpr std::size_t kBlock = 4096;  // sums of sums: rounding grows with the square root only
  Balance balance;
  for (std::size_t start = 0; start < x.size(); start += kBlock) {
    sum_block(x.data() + start, std::min(kBlock, x.size() - start), tilt, &balance);
  }
  return balance;
}

// Newton step; if every marginal is near 0 or 1, the two parts behave as e^nu and e^-nu, and half
// the logarithm of their ratio is the solution.
double newton_step(const Balance& balance, double k) {
  const bool separated = balance.count == k && balance.light > 0.0 && balance.heavy > 0.0;
  if (separated && balance.light + balance.heavy < 0.1) {
    return 0.5 * (portable::log(balance.heavy) - portable::log(balance.light));
  }
  return -balance.gap(k) / balance.derivative;
}

double solve_tilt(std::vector<double>& x, std::size_t k) {
  const std::size_t n = x.size();
  // A copy, since the order after selection, and with it the rounding of sums, depends on the
  // standard library.
  std::vector<double> selected = x;
  const auto kth = selected.begin() + static_cast<std::ptrdiff_t>(k) - 1;
  std::ranges::nth_element(selected, kth, std::ranges::greater{});
  const double middle = -0.5 * *kth - 0.5 * *std::max_element(kth + 1, selected.end());
  // With the k-th and (k+1)-th largest on either side of -nu, one of them outweighs all others of
  // the other kind once nu is this far off.
  double low = middle - portable::log(static_cast<double>(n - k)) - 1e-9 * (1.0 + std::abs(middle));
  double high = middle + portable::log(static_cast<double>(k)) + 1e-9 * (1.0 + std::abs(middle));
  x.resize((n + 3) / 4 * 4, -std::numeric_limits<double>::infinity());

  const auto target = static_cast<double>(k);
  double tilt = middle;
  for (int iteration = 0; iteration < 200; ++iteration) {
    const Balance balance = balance_at(x, tilt);
    const double gap = balance.gap(target);
    if (gap == 0.0) break;
    (gap < 0.0 ? low : high) = tilt;
    const double next = tilt + newton_step(balance, target);
    // Written so that a NaN or an infinite step bisects.
    if (!(next > low && next < high)) {
      tilt = 0.5 * low + 0.5 * high;
      if (high - low <= 1e-15 * (1.0 + std::abs(tilt))) break;
      continue;
    }
    // Newton squares its error: after a step this small the rest is below rounding.
    const bool there = std::abs(next - tilt) <= 1e-9;
    tilt = next;
    if (there) break;
  }
  return tilt;
}

std::vector<double> finite_weights(std::span<const double> log_weights) {
  std::vector<double> finite;
  finite.reserve(log_weights.size() + 3);
  std::ranges::copy_if(log_weights, std::back_inserter(finite),
                       [](double x) { return std::isfinite(x); });
  return finite;
}

}  // namespace

void check_kdpp(std::span<const double> log_weights, std::size_t k) {
  const std::size_t n = log_weights.size();
  if (n == 0) throw DataError("log_weights is empty: at least one weight is needed");
  if (n > kMaxSize) throw OptionError(fmt::format("size = {} is outside [1, {}]", n, kMaxSize));
  if (k < 1 || k > n) throw OptionError(fmt::format("k = {} is outside [1, {}]", k, n));
  std::size_t positive = 0;
  for (std::size_t i = 0; i < n; ++i) {
    // Written so that a NaN fails.
    if (!(log_weights[i] <= std::numeric_limits<double>::max())) {
      throw DataError(
          fmt::format("log_weights[{}] = {} is outside [-inf, inf)", i, printable(log_weights[i])));
    }
    if (std::isfinite(log_weights[i])) ++positive;
  }
  if (positive < k) {
    throw DataError(
        fmt::format("log_weights has {} finite values, k = {} are needed", positive, k));
  }
}

double matched_tilt(std::span<const double> log_weights, std::size_t k) {
  check_kdpp(log_weights, k);
  std::vector<double> finite = finite_weights(log_weights);
  if (finite.size() == k) return std::numeric_limits<double>::infinity();
  return solve_tilt(finite, k);
}

std::vector<double> matched_marginals(std::span<const double> log_weights, std::size_t k) {
  const double tilt = matched_tilt(log_weights, k);
  std::vector<double> result(log_weights.size());
  // A weight of 0 stays excluded even if an infinite tilt includes all others.
  std::ranges::transform(log_weights, result.begin(), [tilt](double x) {
    return std::isfinite(x) ? x + tilt : -std::numeric_limits<double>::infinity();
  });
  portable::sigmoid_in_place(result);
  return result;
}

std::vector<double> exact_marginals(std::span<const double> log_weights, std::size_t k) {
  const double tilt = matched_tilt(log_weights, k);
  if (std::isinf(tilt)) return matched_marginals(log_weights, k);
  std::vector<double> z(log_weights.size());
  double variance = 0.0;
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = log_weights[i] + tilt;
  {
    std::vector<double> p = z;
    portable::sigmoid_in_place(p);
    for (const double value : p) variance += value * (1.0 - value);
  }
  FourierMarginals fourier;
  fourier.begin(z.size(), variance);
  fourier.include(z);
  fourier.finish(k);
  fourier.marginals(z, z);
  return z;
}

}  // namespace adacvar
