#include "base/exact_sum.hpp"

#include "base/thread_communicator.hpp"

#include <adacvar/base/rng.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace adacvar {
namespace {

constexpr double kMax = std::numeric_limits<double>::max();
constexpr double kTiny = std::numeric_limits<double>::denorm_min();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double sum_of_terms(const std::vector<double>& terms) { return exact_sum(terms).value(); }

TEST(ExactSum, keeps_what_doubles_lose) {
  EXPECT_EQ(sum_of_terms({}), 0);
  EXPECT_EQ(sum_of_terms({1e300, 1, -1e300}), 1);
  EXPECT_EQ(sum_of_terms({kMax, kMax, -kMax}), kMax);
  EXPECT_EQ(sum_of_terms({1, kTiny, -1}), kTiny);
  EXPECT_EQ(sum_of_terms({-kTiny, -kTiny}), -2 * kTiny);
  EXPECT_EQ(sum_of_terms({1e16, 1, 1}), 1e16 + 2);
  EXPECT_EQ(sum_of_terms({-3.5, 1.25}), -2.25);
}

TEST(ExactSum, rounds_once_ties_to_even) {
  const double half = std::ldexp(1.0, -53);
  EXPECT_EQ(sum_of_terms({1, half}), 1);                        // a tie, down to even
  EXPECT_EQ(sum_of_terms({1, half, kTiny}), 1 + 2 * half);      // above the tie
  EXPECT_EQ(sum_of_terms({1 + 2 * half, half}), 1 + 4 * half);  // a tie, up to even
  EXPECT_EQ(sum_of_terms({-1, -half, -kTiny}), -1 - 2 * half);
}

TEST(ExactSum, values_out_of_range) {
  EXPECT_EQ(sum_of_terms({kMax, kMax}), kInfinity);
  EXPECT_EQ(sum_of_terms({-kMax, -kMax}), -kInfinity);
  EXPECT_EQ(sum_of_terms({1, kInfinity}), kInfinity);
  EXPECT_EQ(sum_of_terms({-kInfinity, kMax}), -kInfinity);
  EXPECT_TRUE(std::isnan(sum_of_terms({kInfinity, -kInfinity})));
  EXPECT_TRUE(std::isnan(sum_of_terms({1, std::nan("")})));
}

// Whole numbers below 2^40 times 2^shift: their sum is known from integers.
TEST(ExactSum, agrees_with_integers) {
  Rng rng(1);
  for (int trial = 0; trial < 500; ++trial) {
    const int shift = static_cast<int>(rng.below(1900)) - 1074;
    std::int64_t total = 0;
    ExactSum sum;
    for (int i = 0; i < 50; ++i) {
      const auto term =
          static_cast<std::int64_t>(rng.below(4'000'000'000)) * 256 - (std::int64_t{1} << 39U);
      total += term;
      sum.add(std::ldexp(static_cast<double>(term), shift));
    }
    ASSERT_EQ(sum.value(), std::ldexp(static_cast<double>(total), shift)) << shift;
  }
}

TEST(ExactSum, products_are_not_rounded) {
  const double a = 1 + std::ldexp(1.0, -30);
  ExactSum sum;
  sum.add_product(a, a);
  sum.add(-1);
  sum.add(-std::ldexp(1.0, -29));
  EXPECT_EQ(sum.value(), std::ldexp(1.0, -60));
}

TEST(ExactSum, order_and_ranks_do_not_matter) {
  Rng rng(7);
  std::vector<double> terms;
  for (int i = 0; i < 3000; ++i) {
    const double mantissa = static_cast<double>(rng.below(1U << 31U)) - (1 << 30);
    terms.push_back(std::ldexp(mantissa, static_cast<int>(rng.below(2000)) - 1040));
  }
  const double expected = sum_of_terms(terms);
  std::ranges::reverse(terms);
  EXPECT_EQ(sum_of_terms(terms), expected);
  for (const std::size_t count : {1U, 2U, 4U, 7U}) {
    run_on_threads(count, [&](Communicator& ranks) {
      std::vector<ExactSum> sums(256);
      for (std::size_t i = ranks.rank(); i < terms.size(); i += count) sums[200].add(terms[i]);
      sum(ranks, sums);
      EXPECT_EQ(sums[200].value(), expected);
      EXPECT_EQ(sums[0].value(), 0);
    });
  }
}

TEST(ExactSum, sums_are_added) {
  ExactSum one = exact_sum(std::vector<double>{1e300, -5});
  one.add(exact_sum(std::vector<double>{-1e300, kTiny}));
  one.add(5);
  EXPECT_EQ(one.value(), kTiny);
}

}  // namespace
}  // namespace adacvar
