#include "risk/tail_index.hpp"
#include <adacvar/base/error.hpp>
#include <adacvar/base/rng.hpp>

#include "support/expect_words.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <tuple>
#include <vector>

namespace adacvar {
namespace {

using Losses = std::vector<double>;

/// Quantiles of the generalised Pareto distribution with that index and scale 1, in shuffled order.
Losses quantiles(std::size_t n, double xi) {
  Losses losses(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double u = (static_cast<double>(i * 7919 % n) + 0.5) / static_cast<double>(n);
    losses[i] = xi == 0 ? -std::log(u) : (std::pow(u, -xi) - 1) / xi;
  }
  return losses;
}

TEST(TailIndex, is_recovered) {
  for (const double xi : {-0.5, -0.2, 0.0, 0.2, 0.5, 0.8, 1.2}) {
    EXPECT_NEAR(tail_index(quantiles(100'000, xi)).value(), xi, 0.05) << xi;
    EXPECT_NEAR(tail_index(quantiles(500, xi)).value(), xi, 0.2) << xi;
  }
}

TEST(TailIndex, does_not_depend_on_units_or_zero) {
  const Losses losses = quantiles(1000, 0.4);
  Losses moved;
  for (const double loss : losses) moved.push_back(1e-200 * (loss - 1000));
  EXPECT_NEAR(tail_index(moved).value(), tail_index(losses).value(), 1e-6);
}

TEST(TailIndex, needs_twenty_positive_excesses) {
  EXPECT_FALSE(tail_index(quantiles(99, 0.4)).has_value());
  EXPECT_TRUE(tail_index(quantiles(100, 0.4)).has_value());
  EXPECT_FALSE(tail_index(Losses(1000, 3.0)).has_value());
  Losses ones(1000, 0.0);
  for (std::size_t i = 0; i < 15; ++i) ones[i] = 1;
  EXPECT_FALSE(tail_index(ones).has_value());
  for (std::size_t i = 0; i < 50; ++i) ones[i] = 1;  // bounded
  EXPECT_LT(tail_index(ones).value_or(-1), 0);
}

TEST(TailIndex, of_the_largest_numbers_is_finite) {
  constexpr double kMax = std::numeric_limits<double>::max();
  Losses losses = quantiles(200, 0.3);
  for (std::size_t i = 0; i < 200; ++i) losses[i] = i % 2 == 0 ? kMax / (1 + losses[i]) : -kMax;
  const auto index = tail_index(losses);
  EXPECT_TRUE(!index || std::isfinite(*index));
}

TEST(TailIndex, bad_losses_are_named) {
  support::expect_words<DataError>([] { std::ignore = tail_index(Losses{}); },
                                   "losses is empty: at least one loss is needed");
  support::expect_words<DataError>(
      [] {
        std::ignore = tail_index(Losses{1, std::nan("")});
      },
      "losses[1] = nan is not finite");
}

}  // namespace
}  // namespace adacvar
