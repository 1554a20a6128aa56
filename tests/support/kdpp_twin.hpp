#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

/// Slow, obvious versions of the k-DPP's marginals.
namespace adacvar::twin {

/// nu with sum sigma(x_i + nu) = k, by bisection in long double; +inf where k of k are finite.
inline long double matched_tilt(std::span<const double> x, std::size_t k) {
  const auto gap_at = [&](long double nu) {
    // Heavy items by what they lack, so that the sum is right near saturation.
    long double light = 0;
    long double lacking = 0;
    long double heavy = 0;
    for (const double xi : x) {
      const long double z = xi + nu;
      if (z > 0) {
        lacking += 1 / (1 + std::exp(z));
        heavy += 1;
      } else {
        light += 1 / (1 + std::exp(-z));
      }
    }
    return (light - lacking) + (heavy - static_cast<long double>(k));
  };
  long double low = std::numeric_limits<long double>::infinity();
  long double high = -low;
  std::size_t finite = 0;
  for (const double xi : x) {
    if (!std::isfinite(xi)) continue;
    low = std::min(low, -static_cast<long double>(xi) - 60);
    high = std::max(high, -static_cast<long double>(xi) + 60);
    ++finite;
  }
  if (finite == k) return std::numeric_limits<long double>::infinity();
  for (int i = 0; i < 300; ++i) {
    const long double middle = (low + high) / 2;
    (gap_at(middle) < 0 ? low : high) = middle;
  }
  return high;
}

/// sigma(x_i + nu) with sum w_i sigma(x_i + nu) = alpha W, by bisection in long double.
inline std::vector<double> weighted_marginals(std::span<const double> x, std::span<const double> w,
                                              double alpha) {
  long double low = std::numeric_limits<long double>::infinity();
  long double high = -low;
  for (const double xi : x) {
    low = std::min(low, -static_cast<long double>(xi) - 200);
    high = std::max(high, -static_cast<long double>(xi) + 200);
  }
  for (int i = 0; i < 300; ++i) {
    const long double nu = (low + high) / 2;
    long double gap = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      const long double z = x[j] + nu;
      gap += w[j] * (1 / (1 + std::exp(-z)) - static_cast<long double>(alpha));
    }
    (gap < 0 ? low : high) = nu;
  }
  std::vector<double> p(x.size());
  std::ranges::transform(x, p.begin(), [&](double xi) {
    return static_cast<double>(1 / (1 + std::exp(-(xi + high))));
  });
  return p;
}

/// sigma(x_i + nu).
inline std::vector<double> matched_marginals(std::span<const double> x, std::size_t k) {
  const long double nu = matched_tilt(x, k);
  std::vector<double> p(x.size());
  std::ranges::transform(x, p.begin(), [nu](double xi) {
    return std::isfinite(xi) ? static_cast<double>(1 / (1 + std::exp(-(xi + nu)))) : 0.0;
  });
  return p;
}

/// P_i = w_i e_(k-1)(w without i) / e_k(w), by prefix and suffix sums of products, all in scaled
/// probabilities of the tilted distribution. Cost: O(N k) time and memory.
inline std::vector<double> exact_marginals(std::span<const double> x, std::size_t k) {
  const std::size_t n = x.size();
  // Any tilt gives the same answer; this one keeps the numbers in range.
  const long double nu = matched_tilt(x, k);
  std::vector<double> p(n);
  std::vector<double> r(n);  // 1 - p, without cancellation
  for (std::size_t i = 0; i < n; ++i) {
    const bool finite = std::isfinite(x[i]);
    p[i] = finite ? static_cast<double>(1 / (1 + std::exp(-(x[i] + nu)))) : 0;
    r[i] = finite ? static_cast<double>(1 / (1 + std::exp(x[i] + nu))) : 1;
  }

  const std::size_t width = k + 1;
  std::vector<double> before((n + 1) * width, 0.0);  // Pr(m of the first i)
  std::vector<double> after((n + 1) * width, 0.0);   // Pr(m of those from i on)
  before[0] = 1;
  after[n * width] = 1;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t m = 0; m <= k; ++m) {
      before[(i + 1) * width + m] =
          r[i] * before[i * width + m] + (m > 0 ? p[i] * before[i * width + m - 1] : 0);
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t m = 0; m <= k; ++m) {
      after[i * width + m] =
          r[i] * after[(i + 1) * width + m] + (m > 0 ? p[i] * after[(i + 1) * width + m - 1] : 0);
    }
  }
  const double total = before[n * width + k];
  std::vector<double> marginals(n);
  for (std::size_t i = 0; i < n; ++i) {
    double without = 0;  // Pr(k - 1 of the others)
    for (std::size_t m = 0; m < k; ++m) {
      without += before[i * width + m] * after[(i + 1) * width + (k - 1 - m)];
    }
    marginals[i] = p[i] * without / total;
  }
  return marginals;
}

}  // namespace adacvar::twin
